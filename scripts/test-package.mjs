// Tests Cepa as it is published: packed, installed into an empty folder, imported under Node 20 or whatever runs this,
// and under Node 24.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { coreSize } from './core-size.mjs'
import { median, run, SLACK } from './process.mjs'

const IMPORT_MS = 60
const CORE_BYTES = 30_000
/** Packages that may load with `cepa` itself; every other one, zod too, waits until it is used. */
const LOADED_WITH_CORE = new Set(['cepa', 'koa-compose'])

const root = fileURLToPath(new URL('..', import.meta.url))
const bin = (name) => join(root, 'node_modules/.bin', name)
const own = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const temporary = mkdtempSync(join(tmpdir(), 'cepa-package-'))
const app = join(temporary, 'app')
const installed = join(app, 'node_modules/cepa')
process.on('exit', () => rmSync(temporary, { recursive: true, force: true }))

const faults = []
const check = (what, holds, why = '') => {
  console.log(`${holds ? 'ok  ' : 'FAIL'} ${what}`)
  if (!holds) faults.push(why === '' ? what : `${what}\n${why}`)
}
/** Checks that some work succeeds; gives what it gave, or `undefined`. */
const attempt = (what, work) => {
  try {
    const value = work()
    check(what, true)
    return value
  } catch (error) {
    check(what, false, error.message)
    return undefined
  }
}

// The package, and what an app would install beside it.
const parcel = join(temporary, 'parcel')
mkdirSync(parcel)
run('npm', ['pack', '--pack-destination', parcel], { cwd: root })
const tarball = join(parcel, readdirSync(parcel)[0])
const install = (folder, ...packages) => {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }')
  run('npm', ['install', '--no-audit', '--no-fund', '--no-package-lock', ...packages], { cwd: folder })
}
install(app, tarball, `zod@${own.devDependencies.zod}`)
check('packs and installs', existsSync(join(installed, 'dist/src/index.js')))

attempt('publint is clean', () => run(bin('publint'), ['run', tarball, '--strict'], { cwd: root }))
attempt('attw --profile esm-only is clean', () => run(bin('attw'), [tarball, '--profile', 'esm-only'], { cwd: root }))

// Every subpath that the exports offer and the package has.
const subpaths = Object.entries(own.exports).flatMap(([subpath, target]) => {
  if (typeof target === 'string') return []
  const file = target.default
  if (!file.includes('*')) return [subpath.replace('.', 'cepa')]
  const [before, after] = file.split('*')
  const folder = join(installed, before)
  if (!existsSync(folder)) return []
  const stems = readdirSync(folder).flatMap((name) => (name.endsWith(after) ? [name.slice(0, -after.length)] : []))
  return stems.map((stem) => subpath.replace('.', 'cepa').replace('*', stem))
})

// The platform's own package holds the binary and needs no install script.
const system = process.platform === 'win32' ? 'win' : process.platform
const other = `node-${system}-${process.arch}`
const beside = join(temporary, 'node24')
install(beside, `${other}@24`)
const runtimes = [process.execPath, join(beside, 'node_modules', other, 'bin/node')]

/** Runs a module of the app, given as text, and reads the JSON that it prints. */
const evaluate = (node, text, options = [], env = {}) =>
  JSON.parse(
    run(node, [...options, '--input-type=module', '--eval', text], { cwd: app, env: { ...process.env, ...env } }),
  )

for (const node of runtimes) {
  const version = run(node, ['--version']).trim()
  const names = {}
  for (const subpath of subpaths) {
    const text = `import * as names from '${subpath}'; console.log(JSON.stringify(Object.keys(names)))`
    names[subpath] = attempt(`Node ${version}: import '${subpath}'`, () => evaluate(node, text))
  }
  for (const [subpath, source] of [
    ['cepa', 'src/index.ts'],
    ['cepa/middleware', 'middleware/index.ts'],
  ]) {
    const listed = valuesListed(readFileSync(join(root, source), 'utf8'))
      .sort()
      .join(' ')
    const got = (names[subpath] ?? []).sort().join(' ')
    check(
      `Node ${version}: '${subpath}' has the names that ${source} lists`,
      listed === got,
      `expected ${listed}\ngot      ${got}`,
    )
  }

  const trace = join(temporary, `trace-${version}`)
  const hook = fileURLToPath(new URL('trace-imports.mjs', import.meta.url))
  const text = `import 'cepa'; console.log('null')`
  attempt(`Node ${version}: import 'cepa' is traced`, () => evaluate(node, text, ['--import', hook], { TRACE: trace }))
  const loaded = existsSync(trace) ? readFileSync(trace, 'utf8').split('\n') : []
  const packages = new Set(loaded.flatMap((url) => url.match(/.*node_modules\/((?:@[^/]+\/)?[^/]+)/)?.[1] ?? []))
  const extra = [...packages].filter((name) => !LOADED_WITH_CORE.has(name))
  check(`Node ${version}: import 'cepa' loads ${[...packages].join(', ')}`, packages.has('cepa') && extra.length === 0)
}

/** The run-time names in the export lists of an index. */
function valuesListed(source) {
  return [...source.matchAll(/export\s*\{([^}]*)\}/g)]
    .flatMap(([, list]) => list.replace(/\/\/.*$|\/\*[\s\S]*?\*\//gm, '').split(','))
    .map((name) => name.trim())
    .filter((name) => name !== '' && !name.startsWith('type '))
    .map((name) => name.split(/\s+as\s+/).at(-1))
}

// The types, as both compilers see them in an app that checks the declarations of its packages.
writeFileSync(
  join(app, 'main.ts'),
  subpaths.map((subpath, index) => `import * as m${index} from '${subpath}'\nvoid m${index}\n`).join(''),
)
const options = { target: 'es2022', module: 'nodenext', lib: ['es2023', 'dom', 'dom.iterable', 'esnext.disposable'] }
writeFileSync(
  join(app, 'tsconfig.json'),
  JSON.stringify({ compilerOptions: { ...options, strict: true, noEmit: true, types: [] }, files: ['main.ts'] }),
)
for (const compiler of ['typescript', 'typescript-5.9']) {
  let printed = ''
  try {
    run(process.execPath, [join(root, 'node_modules', compiler, 'bin/tsc'), '--pretty', 'false'], { cwd: app })
  } catch (error) {
    printed = error.message
  }
  // The declarations of other packages may need types that this app does not install.
  const ours = printed.split('\n').filter((line) => /^(?:node_modules\/cepa\/|main\.ts)|^error TS/.test(line))
  check(`${compiler}: the declarations of every subpath compile`, ours.length === 0, ours.join('\n'))
}

// Numbers.
const clock = `
const began = performance.now()
await import('cepa')
console.log(performance.now() - began)`
attempt(`import 'cepa' takes at most ${IMPORT_MS} ms, the median of 9 processes`, () => {
  const times = Array.from({ length: 9 }, () => evaluate(process.execPath, clock))
  const middle = median(times)
  console.log(`     ${middle.toFixed(1)} ms (${Math.min(...times).toFixed(1)} to ${Math.max(...times).toFixed(1)})`)
  if (middle > IMPORT_MS * SLACK) throw new Error(`${middle.toFixed(1)} ms`)
})

const entry = join(installed, 'dist/src/index.js')
try {
  const size = await coreSize(entry)
  for (const [name, bytes] of Object.entries(size.packages).sort(([, a], [, b]) => b - a)) {
    const without = name === 'cepa' ? undefined : await coreSize(entry, [name, `${name}/*`])
    const share = without === undefined ? '' : `, ${size.gzipped - without.gzipped} gzipped`
    console.log(`     ${name}: ${bytes} bytes minified${share}`)
  }
  check(
    `the core has at most ${CORE_BYTES} bytes, minified and gzipped, without openai and zod: ${size.gzipped}`,
    size.gzipped <= CORE_BYTES,
  )
} catch (error) {
  check('the core bundles for a browser, without a node: module', false, error.message)
}

if (faults.length > 0) {
  console.error(`\n${faults.length} faults:\n\n${faults.join('\n\n')}`)
  process.exit(1)
}
console.log('\nThe package is as it should be.')
