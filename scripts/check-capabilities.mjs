// Checks docs/capabilities.md: a table of rows `| id | capability | test file · title |`, one for each capability.
// A row is shown by a test whose title names its id, or says `later issue`, if it is one of those that may wait.
import { existsSync, readFileSync } from 'node:fs'

const root = new URL('../', import.meta.url)
const SERIES = { A: 31, S: 28, L: 55 }
const MAY_WAIT = new Set([
  'A2',
  'A3',
  'A4',
  'A5',
  'A8',
  'A9',
  'A10',
  'A27',
  'A28',
  'A29',
  'A30',
  'S25',
  'L46',
  'L48',
  'L49',
  'L54',
])

const faults = []
const page = new URL('docs/capabilities.md', root)
if (!existsSync(page)) {
  console.error('docs/capabilities.md is missing: it lists each capability and the test that shows it.')
  process.exit(1)
}

const rows = new Map()
for (const [index, line] of readFileSync(page, 'utf8').split('\n').entries()) {
  const cells = line.split(/(?<!\\)\|/).map((cell) => cell.trim())
  const id = cells[1]?.replace(/[`*]/g, '')
  if (cells[0] !== '' || !/^[A-Z]\d+$/.test(id ?? '')) continue
  if (rows.has(id)) faults.push(`${id} is in line ${rows.get(id).line} and again in line ${index + 1}`)
  else rows.set(id, { line: index + 1, proof: cells.at(-1) === '' ? cells.at(-2) : cells.at(-1) })
}

const wanted = Object.entries(SERIES).flatMap(([letter, last]) =>
  Array.from({ length: last }, (_, index) => `${letter}${index + 1}`),
)
for (const id of wanted) if (!rows.has(id)) faults.push(`${id} has no row`)
for (const id of rows.keys()) if (!wanted.includes(id)) faults.push(`${id} in line ${rows.get(id).line} is unknown`)

const sources = new Map()
const sourceOf = (path) => {
  if (!sources.has(path)) {
    const file = new URL(path, root)
    sources.set(path, existsSync(file) ? readFileSync(file, 'utf8') : undefined)
  }
  return sources.get(path)
}

/** The string literals of a source, one line at a time: titles are among them. */
const literalsOf = (source) =>
  [...source.matchAll(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\\n]|\\.)*`/g)].map(([text]) => text)

let later = 0
for (const [id, { line, proof }] of rows) {
  const at = `${id} (line ${line})`
  const files = proof.match(/\btest\/[\w./-]+\.ts\b/g) ?? []
  if (files.length === 0) {
    if (!/later issue/i.test(proof)) faults.push(`${at}: expected a test file or \`later issue\`, got "${proof}"`)
    else if (!MAY_WAIT.has(id)) faults.push(`${at}: this capability may not wait for a later issue, it needs a test`)
    else later++
    continue
  }
  for (const file of files) {
    const source = sourceOf(file)
    if (source === undefined) faults.push(`${at}: ${file} does not exist`)
    else if (!literalsOf(source).some((text) => new RegExp(`\\b${id}\\b`).test(text)))
      faults.push(`${at}: no test of ${file} has ${id} in its title`)
  }
}

if (faults.length > 0) {
  console.error(`docs/capabilities.md does not hold:\n${faults.map((fault) => `- ${fault}`).join('\n')}`)
  process.exit(1)
}
console.log(`docs/capabilities.md: ${rows.size - later} capabilities shown by tests, ${later} in a later issue.`)
