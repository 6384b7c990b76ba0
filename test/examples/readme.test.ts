import { type ChildProcess, execFile, spawn } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const readme = readFileSync(join(root, 'README.md'), 'utf8')
const SLOW = 60_000

/** The fenced blocks of a language, in order. */
const blocks = (language: string): string[] =>
  [...readme.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, text = '']) => text)

const programs = blocks('ts')
const outputs = blocks('text')
const NODE = ['--import', 'tsx', '--conditions=@cepa/source']
let folder = ''

// An app of its own, outside the project, in which Cepa is a package like others.
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'cepa-readme-'))
  const modules = join(folder, 'node_modules')
  mkdirSync(modules)
  for (const name of readdirSync(join(root, 'node_modules')).filter((name) => !name.startsWith('.')))
    symlinkSync(join(root, 'node_modules', name), join(modules, name), 'junction')
  symlinkSync(root, join(modules, 'cepa'), 'junction')
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  const tsconfig = { extends: join(root, 'tsconfig.json'), include: ['*.ts'] }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(tsconfig))
  for (const [index, text] of programs.entries()) writeFileSync(join(folder, `block-${index + 1}.ts`), text)
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('its programs compile', { timeout: SLOW }, async () => {
  const { bin } = JSON.parse(readFileSync(join(root, 'node_modules/typescript/package.json'), 'utf8'))
  const tsc = join(root, 'node_modules/typescript', bin.tsc)
  const run = promisify(execFile)(process.execPath, [tsc, '-p', folder], { cwd: folder })
  const { stdout } = await run.catch((error: { stdout: string }) => error)
  expect(stdout.split('\n').filter((line) => line.startsWith('block-'))).toEqual([])
})

test.each([1, 2])('program %i prints what it says', { timeout: SLOW }, async (number) => {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [...NODE, `block-${number}.ts`], {
    cwd: folder,
  })
  expect(stderr).toBe('')
  expect(stdout).toBe(outputs[number - 1])
})

test('the app serves an agent', { timeout: SLOW }, async () => {
  expect(programs).toHaveLength(3)
  const port = await freePort()
  const env = { ...process.env, PORT: String(port) }
  const child = spawn(process.execPath, [...NODE, 'block-3.ts'], { cwd: folder, env, stdio: 'inherit' })
  try {
    const headers = { 'content-type': 'application/json', 'x-user': 'ada' }
    const body = JSON.stringify({ message: 'Who am I?' })
    const response = await whenUp(child, () =>
      fetch(`http://127.0.0.1:${port}/chat`, { method: 'POST', headers, body }),
    )
    expect(await response.text()).toBe('You are ada.')
  } finally {
    child.kill()
  }
})

test('its commands and links exist', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  expect(blocks('sh').map((text) => text.trim())).toEqual(['npm ci && npm start', 'npm ci && npm test'])
  const named = [...readme.matchAll(/\bnpm (?:run )?(start|test|chat)\b/g)].map(([, name = '']) => name)
  expect(Object.keys(scripts)).toEqual(expect.arrayContaining(named))
  const links = [...readme.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, path = '']) => path)
  expect(links.filter((path) => !existsSync(join(root, path)))).toEqual([])
})

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' && address ? address.port : 0
}

/** Asks until the server listens, or has ended. */
async function whenUp<T>(child: ChildProcess, ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      if (child.exitCode !== null) throw error
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
}
