import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const MAIN = ['--import', 'tsx', '--conditions=@cepa/source', 'examples/support-desk/main.ts']
const SLOW = 60_000

interface Ended {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** Starts the quick start as npm does, without a key and without a network. */
function desk(args: readonly string[], { input = '', env = {} }: { input?: string; env?: NodeJS.ProcessEnv } = {}) {
  const { OPENAI_API_KEY: _key, MODEL: _model, ROLE: _role, ...rest } = process.env
  const child = spawn(process.execPath, [...MAIN, ...args], { cwd: root, env: { ...rest, ...env } })
  child.stdin.on('error', () => {})
  if (input !== '') child.stdin.end(input)
  return { child, ended: ending(child) }
}

const ending = (child: ChildProcess): Promise<Ended> =>
  new Promise((resolve) => {
    let out = ''
    let err = ''
    child.stdout?.setEncoding('utf8').on('data', (text) => {
      out += text
    })
    child.stderr?.setEncoding('utf8').on('data', (text) => {
      err += text
    })
    child.on('close', (code) => resolve({ code, out, err }))
  })

describe('the support desk', () => {
  test('plays a tour of the whole stack and ends', { timeout: SLOW }, async () => {
    const { code, out, err } = await desk([]).ended
    expect(err).toBe('')
    expect(code).toBe(0)
    expect(out).toMatch(/offline stand-in/)
    expect(out).toMatch(/MODEL=openai:\S+ OPENAI_API_KEY=… npm start/)
    const part = (title: RegExp): string => out.split('\n\n').find((text) => title.test(text)) ?? ''
    expect(part(/^1\./)).toContain('Our shop in Oslo is open 9:00 to 18:00')
    expect(part(/^2\./)).toContain('you must log in first')
    expect(part(/^2\./)).not.toContain('order_status')
    expect(part(/^3\./)).toMatch(/log_in.*= \{"customer":"ada"\}.*offered: [^\n]*order_status.*1043 \(1 teapot/s)
    expect(part(/^4\./)).toContain('desk  Sorry: There is no order 1044 of yours.')
    expect(part(/^5\./)).toMatch(/… asking the carrier.*1 turn,.*desk {2}Parcel of order 1042\n/s)
    expect(part(/^6\./)).toContain('Sending 3 kg to Lisbon costs 27 euros.')
    expect(part(/^7\./)).toContain('not switched on for you')
    expect(part(/^ {3}… and on/)).toContain('How about a teapot or a pair of bowls?')
    expect(part(/^8\./)).toMatch(/→ refund_order.*failed: .*nothing was executed/s)
    expect(part(/^ {3}The same/)).toContain('I have paid back 38 euros for order 1042.')
    expect(part(/^9\./)).toMatch(/I did not understand that.*track_parcel/s)
  })

  test('answers a question by what is in it', { timeout: SLOW }, async () => {
    const { code, out } = await desk(['What', 'does 2.5 kg to berlin cost in postage?']).ended
    expect(out).toContain('→ shipping_quote {"city":"Berlin","kilograms":2.5}')
    expect(out).toContain('desk  Sending 2.5 kg to Berlin costs 27.5 euros.')
    expect(code).toBe(0)
  })

  test('talks on one thread until the input ends', { timeout: SLOW }, async () => {
    const input = 'I am Linus, PIN 1234.\nHow is my order?\n1044\nexit\nRefund 1044\n'
    const { code, out, err } = await desk(['--chat'], { input }).ended
    expect(err).toBe('')
    expect(out).toMatch(
      /Logged in as Linus.*Which order do you mean\?.*Order 1044 \(4 plates, 96 euros\) is delivered/s,
    )
    expect(out).not.toContain('Refund')
    expect(code).toBe(0)
  })

  test('ends cleanly at Ctrl-C', { timeout: SLOW }, async () => {
    const { child, ended } = desk(['--chat'])
    await new Promise<void>((resolve) => {
      child.stdout?.on('data', (text) => String(text).includes('"exit" ends') && resolve())
    })
    child.kill('SIGINT')
    expect(await ended).toMatchObject({ code: 0, err: '' })
  })

  test('says in one line what is wrong with a real model', { timeout: SLOW }, async () => {
    const { code, err } = await desk(['Hello'], { env: { MODEL: 'openai:gpt-5.4' } }).ended
    expect(code).toBe(1)
    expect(err).toMatch(/^.*OPENAI_API_KEY.*\n$/)
  })
})
