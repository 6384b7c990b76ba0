// Measures what the types of a large agent cost: how much longer a program with 50 middleware and 100 tools takes to
// check than one with an empty agent, with both compilers, against the built declarations. Two more programs, of 100
// middleware in one list and of 100 chained `use()`, must compile.
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { fileURLToPath } from 'node:url'
import { median, run, SLACK } from './process.mjs'

const ROUNDS = 7
/** A loaded machine may need more than one. */
const ATTEMPTS = 3
const COMPILERS = [
  { name: 'TypeScript 7', tsc: 'node_modules/typescript/bin/tsc', barSeconds: 0.5 },
  { name: 'TypeScript 5.9', tsc: 'node_modules/typescript-5.9/bin/tsc', barSeconds: 2 },
]

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = `${root}node_modules/.cache/types-time`
if (!existsSync(`${root}dist/src/index.d.ts`)) {
  console.error('dist/src/index.d.ts is missing: run `npm run build` first.')
  process.exit(1)
}
process.chdir(root)

const many = (count, text) => Array.from({ length: count }, (_, index) => text(index)).join('\n')

const head = `import { createAgent, createMiddleware, tool } from 'cepa'
import { z } from 'zod'
void [createAgent, createMiddleware, tool, z]
`

const layer = (index) => `const m${index} = createMiddleware({
  name: 'm${index}',
  stateSchema: { count${index}: z.number().default(0), note${index}: z.string().optional() },
  contextSchema: z.object({ user${index}: z.string() }),
  beforeModel(state) {
    return { count${index}: state.count${index} + 1 }
  },
  wrapModelCall: (request, handler) => handler(request.context.user${index} === '' ? request.override({ tools: [] }) : request),
  wrapToolCall: async (request, handler) => {
    const length: number = request.state.note${index}?.length ?? 0
    void length
    return handler(request)
  },
})`

const oneTool = (index) => `const t${index} = tool(
  ({ city, days }) => \`\${city.toUpperCase()} \${days.toFixed()}\`,
  { name: 't${index}', description: 'd', schema: z.object({ city: z.string(), days: z.number().int().optional().default(1), extra${index}: z.boolean().optional() }) },
)`

/** What shows that the types are there, and not merely silent. */
const use = (count) => `
const result = await agent.invoke('hi', { context: { ${many(count, (index) => `user${index}: 'u',`).replaceAll('\n', ' ')} } })
const right: number = result.state.count${count - 1}
// @ts-expect-error: a number is no string
const wrong: string = result.state.count${count - 1}
// @ts-expect-error: the context is required
await agent.invoke('hi')
void [right, wrong]
`

const list = (letter, count) => Array.from({ length: count }, (_, index) => `${letter}${index}`).join(', ')

const programs = {
  empty: `${head}
const agent = createAgent({ model: 'openai:gpt' })
await agent.invoke('hi')
`,
  'fifty-and-hundred': `${head}${many(50, layer)}\n${many(100, oneTool)}
const agent = createAgent({ model: 'openai:gpt', tools: [${list('t', 100)}], middleware: [${list('m', 50)}] })
${use(50)}`,
  'hundred-in-a-list': `${head}${many(100, layer)}
const agent = createAgent({ model: 'openai:gpt', middleware: [${list('m', 100)}] })
${use(100)}`,
  'hundred-chained': `${head}${many(100, layer)}
const agent = createAgent({ model: 'openai:gpt' })${many(100, (index) => `.use(m${index})`).replaceAll('\n', '')}
${use(100)}`,
}

rmSync(folder, { recursive: true, force: true })
for (const [name, text] of Object.entries(programs)) {
  mkdirSync(`${folder}/${name}`, { recursive: true })
  writeFileSync(`${folder}/${name}/main.ts`, text)
  const compilerOptions = {
    target: 'es2022',
    lib: ['es2023', 'dom', 'dom.iterable', 'esnext.disposable'],
    module: 'nodenext',
    types: [],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: true,
    noEmit: true,
    paths: { cepa: [`${root}dist/src/index.d.ts`] },
  }
  writeFileSync(`${folder}/${name}/package.json`, '{ "type": "module" }')
  writeFileSync(`${folder}/${name}/tsconfig.json`, JSON.stringify({ compilerOptions, files: ['main.ts'] }))
}

/** Checks a program and gives the seconds that it took. */
function seconds(tsc, program) {
  const began = performance.now()
  run(process.execPath, [tsc, '--pretty', 'false', '-p', `${folder}/${program}`])
  return (performance.now() - began) / 1000
}

/** How much longer the large program takes than the empty one: the median of interleaved rounds. */
function measure(tsc) {
  const empty = []
  const full = []
  for (let round = 0; round < ROUNDS; round++) {
    empty.push(seconds(tsc, 'empty'))
    full.push(seconds(tsc, 'fifty-and-hundred'))
  }
  return { more: median(full.map((value, round) => value - empty[round])), base: median(empty) }
}

const faults = []
console.log(`${ROUNDS} interleaved rounds, medians`)
for (const { name, tsc, barSeconds } of COMPILERS) {
  let compiles = true
  for (const program of Object.keys(programs)) {
    try {
      console.log(`${name}: ${program} compiles, ${seconds(tsc, program).toFixed(2)} s`)
    } catch (error) {
      compiles = false
      faults.push(`${name}: ${program} does not compile\n${error.message.slice(0, 4000)}`)
    }
  }
  if (!compiles) continue
  let fault
  for (let attempt = 0; attempt === 0 || (fault !== undefined && attempt < ATTEMPTS); attempt++) {
    const { more, base } = measure(tsc)
    const verdict = `${name}: 50 middleware and 100 tools cost ${more.toFixed(2)} s more than an empty agent (${base.toFixed(2)} s), at most ${barSeconds} s`
    console.log(`${verdict}; load ${loadavg()[0].toFixed(2)}`)
    fault = more > barSeconds * SLACK ? verdict : undefined
  }
  if (fault !== undefined) faults.push(fault)
}

if (faults.length > 0) {
  console.error(`\n${faults.join('\n\n')}`)
  process.exit(1)
}
