import { inspect } from 'node:util'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ConfigError } from '../../src/errors.js'
import { Scrubber } from '../../src/tools/scrubber.js'
import { Secret, secret } from '../../src/tools/secret.js'
import { tool } from '../../src/tools/tool.js'
import { run } from './body.js'

const VALUE = 'sk-12/"34+é'
const options = { name: 'work', description: 'Works.' }

describe('a secret', () => {
  test('A22: prints as [redacted] in every form', () => {
    const made = new Secret(VALUE)
    expect(made.reveal()).toBe(VALUE)
    const { length } = Object.keys(made)
    expect(length).toBe(0)
    const forms = [
      String(made),
      `${made}`,
      JSON.stringify({ made }),
      inspect(made),
      inspect({ a: [made] }, { depth: 9 }),
    ]
    for (const form of forms) {
      expect(form).toContain('[redacted]')
      expect(form).not.toContain('sk-')
    }
  })

  test('A23: is read per call, so keys rotate', async () => {
    let key = 'first-key'
    const work = tool((_args, { deps }) => deps.key.reveal().length, { ...options, inject: { key: secret(() => key) } })
    expect(await run(work)).toMatchObject({ content: '9' })
    key = 'the-second-key'
    expect(await run(work)).toMatchObject({ content: '14' })
    const fixed = tool((_args, { deps }) => deps.key.reveal().length, { ...options, inject: { key: secret('fixed') } })
    expect(await run(fixed)).toMatchObject({ content: '5' })
  })

  test.each([
    ['undefined', undefined],
    ['an empty string', ''],
  ])('a source that gives %s is a ConfigError', async (got, value) => {
    const work = tool(() => 'never', { ...options, inject: { key: secret(async () => value) } })
    const error = await Promise.resolve(run(work)).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(ConfigError)
    expect((error as Error).message).toContain(
      `tool "work": inject.key expected its secret to give a value, got ${got}`,
    )
  })

  test('A22: is taken out of content, artifact, updates, progress and errors', async () => {
    const seen: unknown[] = []
    const work = tool(
      async function* (_args, { deps }) {
        const value = deps.key.reveal()
        yield { value }
        return [`it is ${value}`, { deep: [value] }]
      },
      { ...options, responseFormat: 'content_and_artifact', inject: { key: secret(() => VALUE) } },
    )
    const outcome = await run(work, {}, { onProgress: (chunk) => void seen.push(chunk) })
    expect(outcome).toEqual({ content: 'it is [redacted]', status: 'success', artifact: { deep: ['[redacted]'] } })
    expect(seen).toEqual([{ value: '[redacted]' }])
    const failing = tool(
      (_args, { deps }) => {
        throw new Error(`401 for ${deps.key.reveal()}`, { cause: new Error(deps.key.reveal()) })
      },
      { ...options, inject: { key: secret(() => VALUE) } },
    )
    const error = await Promise.resolve(run(failing)).catch((thrown: unknown) => thrown)
    expect((error as Error).message).toBe('401 for [redacted]')
    expect(inspect(error)).not.toContain('sk-12')
  })
})

describe('the scrubber', () => {
  test('gives the same object where there is nothing to take out', () => {
    const scrubber = new Scrubber()
    const value = { a: [VALUE] }
    expect(scrubber.scrub(value)).toBe(value)
    scrubber.add('another value')
    expect(scrubber.scrub(value)).toBe(value)
    scrubber.add('abc')
    expect(scrubber.text('abc')).toBe('abc')
  })

  test('reaches keys, maps, sets and cycles, and all texts of a secret that is an object', () => {
    const scrubber = new Scrubber()
    scrubber.add({ user: 'ann-the-user', password: { now: 'hunter22' } })
    const value: Record<string, unknown> = {
      hunter22: 1,
      map: new Map([['k', 'hunter22']]),
      set: new Set(['ann-the-user']),
    }
    value.self = value
    const clean = scrubber.scrub(value)
    expect(clean['[redacted]']).toBe(1)
    expect(clean.map).toEqual(new Map([['k', '[redacted]']]))
    expect(clean.set).toEqual(new Set(['[redacted]']))
  })

  test('finds every form at every place', () => {
    const text = fc.string({ unit: 'grapheme', minLength: 6 }).filter((value) => value.trim().length >= 6)
    fc.assert(
      fc.property(text, fc.string({ maxLength: 5 }), (value, before) => {
        const scrubber = new Scrubber()
        scrubber.add(value)
        const base64 = Buffer.from(`${before}:${value}`).toString('base64')
        const forms = [
          value,
          JSON.stringify({ a: value }),
          `https://a.example/?k=${encodeURIComponent(value)}&x=1`,
          new URLSearchParams({ k: value }).toString(),
          base64,
          Buffer.from(`${before}:${value}`).toString('base64url'),
        ]
        for (const form of forms) expect(scrubber.text(form)).toContain('[redacted]')
        expect(scrubber.text(`x${value}y`)).not.toContain(value)
      }),
    )
  })
})
