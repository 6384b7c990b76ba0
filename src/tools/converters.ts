import { schemaError } from './json-schema.js'

/** The packages that write a schema as JSON Schema where the schema cannot do it itself. */
interface Converters {
  readonly 'zod/v4/core': typeof import('zod/v4/core')
  readonly 'zod-to-json-schema': typeof import('zod-to-json-schema')
}

const loaded: Partial<Converters> = {}

/**
 * A converter, loaded with its first use: most apps never need one, and the two together take longer to load than all
 * of Cepa. It is required, not imported, since a schema that JSON cannot write is to be refused where a tool is defined,
 * and that is synchronous. `require` comes without a `node:` import, which would keep the core out of browsers.
 *
 * @throws {ConfigError} where there is no `require`, as in a browser, or the package is not installed.
 */
export function converter<Name extends keyof Converters>(name: Name, subject: string): Converters[Name] {
  try {
    const known: Partial<Converters>[Name] = loaded[name]
    if (known !== undefined) return known
    const fresh = requireFromHere(name)
    loaded[name] = fresh
    return fresh
  } catch (cause) {
    throw schemaError(
      subject,
      `is one that "${name}" writes as JSON Schema, which cannot be loaded here (a browser or ` +
        'edge runtime has no require): expected a schema of "zod" 4, not of "zod/mini" or zod 3; or one with ' +
        '~standard.jsonSchema; or plain JSON Schema',
      cause,
    )
  }
}

function requireFromHere<Name extends keyof Converters>(name: Name): Converters[Name] {
  const { createRequire } = globalThis.process.getBuiltinModule('module')
  // Bundled as CommonJS, a file has no URL; packages are then looked up from where the app was started.
  return createRequire(import.meta.url ?? `${process.cwd()}/`)(name) as Converters[Name]
}
