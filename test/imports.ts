import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Source texts by their path from the root of the project, with `/`. */
export type Sources = ReadonlyMap<string, string>

/** One import or re-export of a file. */
export interface Import {
  readonly from: string
  /** As written: `./messages.js`, `openai`. */
  readonly specifier: string
  /** The file of ours that it names; `undefined` for a package. */
  readonly to: string | undefined
  /** Whether it is an `import()`. */
  readonly lazy: boolean
}

const root = fileURLToPath(new URL('..', import.meta.url))

/** Reads all TypeScript files below some folders; one that is not there is empty. */
export function readSources(...folders: readonly string[]): Sources {
  const sources = new Map<string, string>()
  const visit = (path: string): void => {
    for (const name of readdirSync(root + path).sort()) {
      const child = `${path}/${name}`
      if (statSync(root + child).isDirectory()) visit(child)
      else if (name.endsWith('.ts')) sources.set(child, readFileSync(root + child, 'utf8'))
    }
  }
  for (const folder of folders) if (existsSync(root + folder)) visit(folder)
  return sources
}

// Comments begin their own lines here, as the formatter leaves them.
const withoutComments = (text: string): string => text.replace(/^\s*\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')

const STATIC = /^(?:import|export)\s(?:[^'"]*?\sfrom\s+)?['"]([^'"]+)['"]/gm
const LAZY = /\bimport\(\s*['"]([^'"]+)['"]\s*\)/g

/** All imports of some sources, types included. */
export function importsOf(sources: Sources): readonly Import[] {
  return [...sources].flatMap(([from, text]) => {
    const code = withoutComments(text)
    const found = (pattern: RegExp, lazy: boolean): Import[] =>
      [...code.matchAll(pattern)].map(([, specifier = '']) => ({ from, specifier, to: target(from, specifier), lazy }))
    return [...found(STATIC, false), ...found(LAZY, true)]
  })
}

const target = (from: string, specifier: string): string | undefined =>
  specifier.startsWith('.') ? posix.join(posix.dirname(from), specifier).replace(/\.js$/, '.ts') : undefined

/** The name of the package in a specifier. */
export const packageOf = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')

/** The first cycle among the static imports, as the way round it; `undefined` if there is none. */
export function cycleIn(imports: readonly Import[]): readonly string[] | undefined {
  const next = new Map<string, string[]>()
  for (const { from, to, lazy } of imports) {
    if (to !== undefined && !lazy) next.set(from, [...(next.get(from) ?? []), to])
  }
  const done = new Set<string>()
  const walk = (file: string, way: readonly string[]): readonly string[] | undefined => {
    if (way.includes(file)) return [...way.slice(way.indexOf(file)), file]
    if (done.has(file)) return undefined
    for (const child of next.get(file) ?? []) {
      const cycle = walk(child, [...way, file])
      if (cycle) return cycle
    }
    done.add(file)
    return undefined
  }
  for (const file of next.keys()) {
    const cycle = walk(file, [])
    if (cycle) return cycle
  }
  return undefined
}
