import { type Import, importsOf, packageOf, type Sources } from './imports.js'

// Each row may import the rows above it, and its own as long as no cycle arises. A new file of the core gets its place
// here; a folder stands for the files in it that have no place of their own.
const ORDER: readonly (readonly string[])[] = [
  ['messages', 'usage', 'errors', 'internal'],
  ['interrupt', 'events', 'internal/scope'],
  [
    ...['onion', 'failure', 'state', 'message-list', 'input', 'kind', 'command', 'log'],
    ...['models/model', 'stores/store', 'checkpointers/checkpointer'],
  ],
  ['runtime'],
  ['tools', 'models/wire', 'models/wire-ids', 'models/wire-names', 'models/wire-text', 'models/scripted'],
  ['requests', 'live-requests', 'registry'],
  ['middleware', 'compose', 'context', 'order', 'stream', 'structured', 'structured-text', 'rewrite-text', 'show'],
  ['model-call', 'side-call', 'tool-call'],
  ['stack', 'hooks', 'batch'],
  ['turn', 'spec'],
  ['run'],
  ['thread', 'sub-agent', 'options'],
  ['agent'],
  ['index'],
]

/** Folders of leaves, and the folders whose files each may import; a folder does not even import itself otherwise. */
const LEAVES: Readonly<Record<string, readonly string[]>> = {
  models: ['models'],
  checkpointers: ['databases'],
  stores: ['databases'],
  databases: [],
  client: [],
  testing: ['test/contracts'],
  http: ['protocols'],
  protocols: [],
  interop: [],
  tracing: [],
  queue: [],
  playground: ['http'],
}

const CORE_PACKAGES = new Set(['koa-compose', 'zod', 'zod-to-json-schema', '@cfworker/json-schema'])
const ONLY_IN: Readonly<Record<string, string>> = { 'koa-compose': 'src/onion.ts', zod: 'src/tools/converters.ts' }
/** What the core loads with its first use, and why an app that does not use it should not pay for it. */
const LAZY_FILES: Readonly<Record<string, string>> = {
  'src/side-call.ts': 'most runs make no side call',
  'src/log/fold.ts': 'only a thread is read and written',
  'src/models/providers.ts': 'only a model string needs the table of providers',
  'src/tools/seldom-parts.ts':
    'time limits and dependencies of tools, plain JSON Schema, results and arguments out of the ordinary',
  'src/structured-text.ts': 'only an answer in plain text is searched for JSON',
}
const FORBIDDEN_NAMES = /^(?:utils?|helpers?|common|types|misc|shared)$/
const INDEXES = new Set(['src/index.ts', 'middleware/index.ts'])

const stemOf = (path: string): string => path.replace(/^src\//, '').replace(/(?:\.d)?\.ts$/, '')
const folderOf = (path: string): string => stemOf(path).split('/')[0] ?? ''

const RANKS = new Map(ORDER.flatMap((row, rank) => row.map((name) => [name, rank] as const)))

/** The row of a core file; `undefined` for a leaf and for a file that has no place. */
const rankOf = (path: string): number | undefined => {
  if (!path.startsWith('src/')) return undefined
  return RANKS.get(stemOf(path)) ?? RANKS.get(folderOf(path))
}

const isLeaf = (path: string): boolean =>
  path.startsWith('src/') && rankOf(path) === undefined && folderOf(path) in LEAVES

/** What is wrong with the direction of the imports; one sentence each. */
export function directionFaults(sources: Sources): readonly string[] {
  const faults: string[] = []
  for (const path of sources.keys()) {
    if (path.startsWith('src/') && rankOf(path) === undefined && !isLeaf(path))
      faults.push(`${path} has no place in the order`)
  }
  for (const one of importsOf(sources)) {
    const fault = one.to === undefined ? packageFault(one) : fileFault(one, one.to)
    if (fault) faults.push(`${one.from} imports ${one.specifier}: ${fault}`)
  }
  return faults
}

function packageFault({ from, specifier }: Import): string | undefined {
  if (specifier.startsWith('node:')) {
    return isLeaf(from) && folderOf(from) !== 'models' ? undefined : 'a node: module does not load in a browser'
  }
  const name = packageOf(specifier)
  const only = from.startsWith('src/') ? ONLY_IN[name] : undefined
  if (only !== undefined && from !== only) return `only ${only} may`
  if (rankOf(from) !== undefined && !CORE_PACKAGES.has(name)) return 'the core does not know this package'
  return undefined
}

function fileFault({ from, lazy }: Import, to: string): string | undefined {
  if (from.startsWith('middleware/')) {
    return from === 'middleware/index.ts' && to.startsWith('middleware/') ? undefined : 'expected public names only'
  }
  if (isLeaf(from)) {
    if (!isLeaf(to) && to.startsWith('src/')) return undefined
    const allowed = LEAVES[folderOf(from)] ?? []
    return allowed.some((folder) => to.startsWith(`${folder}/`) || to.startsWith(`src/${folder}/`))
      ? undefined
      : 'a leaf imports no other leaf'
  }
  if (lazy) return to in LAZY_FILES ? undefined : `import() is for ${Object.keys(LAZY_FILES).join(', ')} only`
  const own = rankOf(from)
  const rank = rankOf(to)
  if (rank === undefined) return 'the core imports no leaf'
  return own !== undefined && rank > own ? 'against the direction' : undefined
}

/** What `middleware/` imports beside Cepa's public names and the packages that an app has anyway. */
export function middlewareFaults(sources: Sources, dependencies: ReadonlySet<string>): readonly string[] {
  return importsOf(sources).flatMap(({ from, specifier, to }) => {
    if (!from.startsWith('middleware/') || to !== undefined || specifier === 'cepa') return []
    return dependencies.has(packageOf(specifier)) ? [] : [`${from} imports ${specifier}`]
  })
}

/** What is wrong with names, sizes and exports of files; one sentence each. */
export function fileFaults(sources: Sources, maxLines = 400): readonly string[] {
  return [...sources].flatMap(([path, text]) => {
    const faults: string[] = []
    const parts = path.replace(/(?:\.d)?\.ts$/, '').split('/')
    if (parts.some((part) => FORBIDDEN_NAMES.test(part))) faults.push(`${path}: a name that says nothing`)
    if (parts.at(-1) === 'index' && !INDEXES.has(path)) faults.push(`${path}: there are two index files only`)
    if (linesOf(text) > maxLines) faults.push(`${path}: ${linesOf(text)} lines, at most ${maxLines}`)
    if (/^export\s+\*/m.test(text)) faults.push(`${path}: export *`)
    if (/^export\s+default\b|\bas\s+default\b/m.test(text)) faults.push(`${path}: a default export`)
    return faults
  })
}

/** The number of lines of a text that ends with a line break. */
export const linesOf = (text: string): number => text.split('\n').length - 1
