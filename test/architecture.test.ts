import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { directionFaults, fileFaults, linesOf, middlewareFaults } from './architecture.js'
import { cycleIn, importsOf, readSources } from './imports.js'

const sources = readSources('src', 'middleware')

const { dependencies, peerDependencies } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
) as Record<'dependencies' | 'peerDependencies', Record<string, string>>
const installed = new Set([...Object.keys(dependencies), ...Object.keys(peerDependencies)])

describe('the source', () => {
  test('is imported in one direction, types included', () => {
    expect(directionFaults(sources)).toEqual([])
  })

  test('has no cycle, types included', () => {
    expect(cycleIn(importsOf(sources))).toBeUndefined()
  })

  test('imports only files that exist', () => {
    const missing = importsOf(sources).filter(
      ({ to }) => to !== undefined && !sources.has(to) && !to.startsWith('test/contracts/'),
    )
    expect(missing).toEqual([])
  })

  test('has middleware that is written as a user would', () => {
    expect(middlewareFaults(sources, installed)).toEqual([])
  })

  test('has names that say something, named exports, and files of at most 400 lines', () => {
    expect(fileFaults(sources)).toEqual([])
  })

  test('has a median file of at most 150 lines', () => {
    const lines = [...sources.values()].map(linesOf).sort((a, b) => a - b)
    expect(lines[Math.floor(lines.length / 2)]).toBeLessThanOrEqual(150)
  })

  test('has examples of at most 80 lines', () => {
    const topics = [...readSources('examples')].filter(([path]) => path.split('/').length === 2)
    expect(topics.filter(([, text]) => linesOf(text) > 80).map(([path]) => path)).toEqual([])
  })
})

describe('the rules go red', () => {
  const faultsOf = (path: string, text: string) => directionFaults(new Map([[path, `${text}\n`]]))

  test.each([
    ['against the direction', 'src/messages.ts', "import type { Agent } from './agent.js'"],
    ['against the direction', 'src/turn.ts', "import {\n  type Run,\n  run,\n} from './run.js'"],
    ['against the direction', 'src/tools/tool.ts', "export type { A } from '../agent.js'"],
    ['the core imports no leaf', 'src/agent.ts', "import { providers } from './models/providers.js'"],
    ['the core imports no leaf', 'src/index.ts', "export { memoryStore } from './stores/memory.js'"],
    ['import() is for', 'src/agent.ts', "const store = await import('./stores/memory.js')"],
    ['a leaf imports no other leaf', 'src/stores/sqlite.ts', "import { a } from '../models/openai-chat.js'"],
    ['a leaf imports no other leaf', 'src/stores/sqlite.ts', "import { a } from './memory.js'"],
    ['only src/onion.ts may', 'src/run.ts', "import compose from 'koa-compose'"],
    ['only src/tools/converters.ts may', 'src/state.ts', "import type { ZodType } from 'zod/v4/core'"],
    ['the core does not know', 'src/agent.ts', "import OpenAI from 'openai'"],
    ['does not load in a browser', 'src/run.ts', "import { hash } from 'node:crypto'"],
    ['expected public names', 'middleware/model-retry.ts', "import { x } from '../src/errors.js'"],
    ['expected public names', 'middleware/model-retry.ts', "import { x } from './tool-errors.js'"],
    ['no place in the order', 'src/manager.ts', ''],
  ])('%s: %s', (fault, path, text) => {
    expect(faultsOf(path, text)).toEqual([expect.stringContaining(fault)])
  })

  test.each([
    ['src/agent.ts', "const { provider } = await import('./models/providers.js')"],
    ['src/models/openai-chat.ts', "import OpenAI from 'openai'\nimport { read } from './stream-reader.js'"],
    ['src/stores/sqlite.ts', "import { driver } from '../databases/sqlite-driver.js'\nimport 'node:fs'"],
    ['src/tools/converters.ts', "import type { toJSONSchema } from 'zod/v4/core'"],
    ['src/run.ts', "// import x from './agent.js'\n/** import('./agent.js') */"],
  ])('but not for what %s may import', (path, text) => {
    expect(faultsOf(path, text)).toEqual([])
  })

  test('a cycle of types', () => {
    const cycle = new Map([
      ['src/a.ts', "import type { B } from './b.js'\n"],
      ['src/b.ts', "import type { A } from './a.js'\n"],
    ])
    expect(cycleIn(importsOf(cycle))).toEqual(['src/a.ts', 'src/b.ts', 'src/a.ts'])
  })

  test('a middleware with a package that no app has', () => {
    const one = new Map([['middleware/a.ts', "import 'lodash'\nimport 'cepa/models/scripted'\nimport 'p-retry'\n"]])
    expect(middlewareFaults(one, installed)).toHaveLength(2)
  })

  test.each([
    ['src/utils/a.ts', ''],
    ['src/types.ts', ''],
    ['src/tools/index.ts', ''],
    ['src/a.ts', 'x\n'.repeat(401)],
    ['src/a.ts', "export * from './b.js'\n"],
    ['src/a.ts', 'export default 1\n'],
  ])('a file %s', (path, text) => {
    expect(fileFaults(new Map([[path, text]]))).toHaveLength(1)
  })
})
