import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { linksOf, ProgramFolder, programsOf, root } from './program-folder.js'

const SLOW = 60_000
const PAGES = ['middleware', 'tools', 'models', 'threads', 'headless-tools', 'coming-from-langchain'] as const
const textOf = (page: string): string => readFileSync(join(root, 'docs', `${page}.md`), 'utf8')

const programs = PAGES.flatMap((page) =>
  programsOf(textOf(page)).map((program, index) => ({ ...program, name: `${page}-${index + 1}` })),
)
let folder: ProgramFolder

// All run one after the other in one process; each begins with a line of its own.
beforeAll(() => {
  const runAll = programs.map(({ name }) => `console.log('==== ${name}')\nawait import('./${name}.js')`)
  const texts = programs.map(({ name, text }) => [name, `${text}\nexport {}\n`] as const)
  folder = new ProgramFolder({ ...Object.fromEntries(texts), all: runAll.join('\n') })
})

afterAll(() => folder.remove())

test('the programs of the docs compile', { timeout: SLOW }, async () => {
  expect(programs.length).toBeGreaterThan(8)
  expect(await folder.faults()).toEqual([])
})

test('the programs of the docs run and print what they say', { timeout: SLOW }, async () => {
  const { stdout, stderr } = await folder.run('all')
  expect(stderr).toBe('')
  const printed = new Map(
    stdout
      .split(/^==== /m)
      .slice(1)
      .map((part) => [part.slice(0, part.indexOf('\n')), part.slice(part.indexOf('\n') + 1)]),
  )
  for (const { name, output } of programs) if (output !== undefined) expect(printed.get(name), name).toBe(output)
  expect([...printed.keys()]).toEqual(programs.map(({ name }) => name))
})

test.each(PAGES)('the links of docs/%s.md lead somewhere', (page) => {
  expect(linksOf(textOf(page)).filter((path) => !existsSync(join(root, 'docs', path)))).toEqual([])
})
