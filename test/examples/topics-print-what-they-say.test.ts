import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { afterEach, expect, test, vi } from 'vitest'
import { NODE_FLAGS, root } from './program-folder.js'

/** What an example prints, line by line. It runs when it is imported. */
async function printedBy(name: string): Promise<string[]> {
  const log = vi.spyOn(console, 'log').mockImplementation(() => {})
  await import(`../../examples/${name}.ts`)
  return log.mock.calls.map((parts) => parts.join(' ')).flatMap((text) => text.split('\n'))
}

afterEach(() => void vi.restoreAllMocks())

const TOPICS: Readonly<Record<string, readonly string[]>> = {
  'first-agent': [
    'user: Do I need an umbrella in Oslo?',
    'assistant: (calls a tool)',
    'tool: {"city":"Oslo","forecast":["rain"]}',
    'assistant: Take an umbrella: it rains in Oslo today.',
    'output: Take an umbrella: it rains in Oslo today.',
    'ended by stop after 2 model requests',
  ],
  'first-middleware': [
    'run begins',
    'turn 1 made 2 calls',
    'turn 2 made 0 calls',
    'run ends: stop',
    'Done. I was told: "Be brief. Calls so far: 2."',
    'toolCalls in the state: 2',
  ],
  'tools-by-state': [
    'guest: I am offered public_search.',
    'logged in: I am offered public_search, private_search.',
    'later in the conversation: I am offered public_search, private_search, advanced_search.',
    'hidden tool: The tool "private_search" is not available. Available now: public_search.',
  ],
  'tools-by-store': [
    'ada: I am offered search, analysis.',
    'linus: I am offered search, analysis, export.',
    'ada, switched off: I am offered nothing.',
  ],
  'tools-by-context': [
    'admin: I am offered read_data, write_data, delete_data.',
    'editor: I am offered read_data, write_data.',
    'viewer: I am offered read_data.',
    'no context: I am offered read_data.',
  ],
  'tools-at-run-time': [
    'calculate_tip: Tip: $17.00',
    'remote_tip: Tip: $10.00 (remote)',
    'install: installed 1',
    'plot: plot ran',
    'turn 1 offered install, calculate_tip, remote_tip',
    'turn 2 offered install, calculate_tip, remote_tip',
    'turn 3 offered install, plot, calculate_tip, remote_tip',
    'turn 4 offered install, plot, calculate_tip, remote_tip',
  ],
  'redact-stream': [
    'token: "Write to "',
    'token: "[email] "',
    'token: "or "',
    'token: "to "',
    'token: "[email] "',
    'token: "today."',
    'streamed: Write to [email] or to [email] today.',
    'unstreamed: Write to [email] or to [email] today.',
  ],
  'structured-output': ['Ada ada@example.com engines', '2 model requests'],
  headless: [
    'interrupt: {"id":"call_1","name":"geolocation","args":{"highAccuracy":true}}',
    'stop: You are at 59.91, 10.75 {"highAccuracy":true}.',
    'user assistant tool assistant',
  ],
  'sub-agent': [
    '→ research',
    '  → search',
    '  ← 3 pages about onions',
    '← Onions have layers.',
    'An essay: onions have layers.',
    '4 model requests in all',
  ],
}

test.each(Object.entries(TOPICS))('examples/%s.ts prints what its comments promise', async (name, lines) => {
  expect(await printedBy(name)).toEqual(lines)
})

// In a process of its own: decorators are compiled by tsx, as they are for whoever runs the example.
test('examples/registry.ts prints what its comments promise', { timeout: 60_000 }, async () => {
  const program = [...NODE_FLAGS, 'examples/registry.ts']
  const { stdout } = await promisify(execFile)(process.execPath, program, { cwd: root })
  expect(stdout.trimEnd().split('\n')).toEqual([
    'getWeather(city)',
    'add(a, b)',
    'now()',
    '1 ok: 8 °C in Oslo',
    '2 ok: 3',
    expect.stringMatching(/^3 TOOL_INPUT: The arguments of "add" do not fit: b: /),
    '4 TOOL_FAILED: I know nothing of Atlantis.',
    '5 TOOL_NOT_FOUND: The tool "translate" is not available. Available now: getWeather, add, now.',
  ])
})

const folder = new URL('../../examples/', import.meta.url)
const files = readdirSync(folder).filter((name) => name.endsWith('.ts'))

test('every example is run by a test', () => {
  const OTHERS = ['express-app', 'koa-app', 'registry']
  expect(files.map((name) => name.slice(0, -3)).sort()).toEqual([...Object.keys(TOPICS), ...OTHERS].sort())
})

test.each(files)('examples/%s is short, and says how it is run and which model it would take', (name) => {
  const text = readFileSync(new URL(name, folder), 'utf8')
  expect(text.split('\n').length).toBeLessThanOrEqual(80)
  expect(text).toContain(`Run: npx tsx --conditions=@cepa/source examples/${name}`)
  if (text.includes('scriptedModel')) expect(text).toMatch(/With (?:a )?real ones?: model: 'openai:gpt-5\.4'/i)
})
