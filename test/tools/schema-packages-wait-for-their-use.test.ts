import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, vi } from 'vitest'
import * as z from 'zod'
import * as mini from 'zod/mini'
import { toObjectSchema } from '../../src/tools/schema.js'
import { SAME } from './schema-kinds.js'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Runs a module in a process of its own, with `report` at hand, and reads the JSON that it reports. */
function inAProcess(body: string): unknown {
  const text = `const report = (value) => console.log(JSON.stringify(value))\n${body}`
  const args = ['--import', 'tsx', '--conditions=@cepa/source', '--input-type=module', '--eval', text]
  return JSON.parse(execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8' }))
}

/** Gives the packages that have loaded so far: modules by a hook, what was required by its cache. */
const LOADED = `
import { createRequire, register } from 'node:module'
import { readFileSync, mkdtempSync, writeFileSync } from 'node:fs'
const trace = mkdtempSync((await import('node:os')).tmpdir() + '/cepa-') + '/urls'
writeFileSync(trace, '')
register('data:text/javascript,' + encodeURIComponent(\`
  import { appendFileSync } from 'node:fs'
  export async function load(url, context, next) {
    appendFileSync(\${JSON.stringify(trace)}, url + '\\\\n')
    return next(url, context)
  }\`))
const loaded = () => {
  const urls = [...readFileSync(trace, 'utf8').split('\\n'), ...Object.keys(createRequire(import.meta.url).cache)]
  const names = urls.flatMap((url) => url.match(/.*node_modules[\\\\/]((?:@[^\\\\/]+[\\\\/])?[^\\\\/]+)/)?.[1] ?? [])
  return ['zod', 'zod-to-json-schema', '@cfworker/json-schema', 'koa-compose'].filter((name) => names.includes(name))
}`

describe('the packages behind schemas', () => {
  it('do not load with cepa; each loads with its first use', () => {
    const seen = inAProcess(`${LOADED}
const { tool } = await import('cepa')
const seen = [loaded()]
const made = tool({ name: 't', description: 'T.', schema: { type: 'object' }, execute: () => '' })
seen.push(loaded())
await made.parse({})
seen.push(loaded())
const { z } = await import('zod/v3')
seen.push(loaded())
tool({ name: 'u', description: 'U.', schema: z.object({ at: z.string() }), execute: () => '' })
report([...seen, loaded()])`)
    expect(seen).toEqual([
      ['koa-compose'],
      ['koa-compose'],
      ['@cfworker/json-schema', 'koa-compose'],
      ['zod', '@cfworker/json-schema', 'koa-compose'],
      ['zod', 'zod-to-json-schema', '@cfworker/json-schema', 'koa-compose'],
    ])
  })

  it.each(SAME)('%s is converted at once, where a tool is defined', (_library, schema) => {
    expect(toObjectSchema(schema, 't')).toEqual({
      type: 'object',
      properties: { q: { type: 'string' }, limit: { type: 'number' } },
      required: ['q'],
    })
  })

  it('what is of zod mini inside zod classic is converted too', () => {
    const schema = z.object({ a: mini.optional(mini.string()) as unknown as z.ZodOptional<z.ZodString>, b: z.date() })
    expect(toObjectSchema(schema, 't')).toEqual({
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'string', format: 'date-time' } },
      required: ['b'],
    })
    const bad = z.object({ a: mini.bigint() as unknown as z.ZodBigInt })
    expect(() => toObjectSchema(bad, 'tool "t"')).toThrow('"a" is z.bigint()')
  })

  it('without require, as in a browser, what needs a converter is refused with what to do; the rest is taken', () => {
    const seen = inAProcess(`
delete process.getBuiltinModule
const { tool } = await import('cepa')
const classic = await import('zod')
const mini = await import('zod/mini')
const old = await import('zod/v3')
const schemas = {
  classic: classic.object({ a: classic.date() }),
  mini: mini.object({ a: mini.string() }),
  old: old.object({ a: old.string() }),
  plain: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
}
const seen = {}
for (const [name, schema] of Object.entries(schemas)) {
  try {
    const made = tool({ name, description: 'T.', schema, execute: () => '' })
    seen[name] = (await made.parse({})).issues.length
  } catch (error) {
    seen[name] = error.name + ': ' + error.message
  }
}
report(seen)`)
    const refused = (name: string, by: string): unknown =>
      expect.stringMatching(
        new RegExp(`^ConfigError: the schema of tool "${name}" .*"${by}" .*"zod" 4.*jsonSchema; or plain JSON Schema$`),
      )
    expect(seen).toEqual({
      classic: 1,
      mini: refused('mini', 'zod/v4/core'),
      old: refused('old', 'zod-to-json-schema'),
      plain: 1,
    })
  })

  it('the first check of all by JSON Schema gives a promise; later ones do not', async () => {
    vi.resetModules()
    const { validator } = await import('../../src/tools/schema.js')
    const schema = { type: 'object', properties: { a: { type: 'string' } } }
    const [one, other] = [validator(schema, 't'), validator({ type: 'object', required: ['b'] }, 't')]
    const first = [one({ a: 1 }), one({ a: 'a' })]
    expect(first.every((result) => result instanceof Promise)).toBe(true)
    const misfit = { issues: [{ path: 'a', message: 'expected string, got number' }] }
    expect(await Promise.all(first)).toEqual([misfit, { value: { a: 'a' } }])
    expect(one({ a: 1 })).toEqual(misfit)
    expect(other({})).toEqual({ issues: [{ path: 'b', message: 'is required, but missing' }] })
    expect(validator(schema, 't')({})).toEqual({ value: {} })
  })

  it('names inside JSON Schema that are there twice do no harm', async () => {
    const { validator } = await import('../../src/tools/schema.js')
    const part = {
      $id: 'https://example.org/part',
      $anchor: 'part',
      type: 'object',
      properties: { id: { type: 'string' } },
    }
    const schema = { type: 'object', properties: { a: part, b: { ...part, title: 'b' } } }
    expect(await validator(schema, 't')({ a: { id: 'x' }, b: { id: 5 } })).toEqual({
      issues: [{ path: 'b.id', message: 'expected string, got number' }],
    })
  })
})
