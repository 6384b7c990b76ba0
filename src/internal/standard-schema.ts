import type { Issue } from '../errors.js'

/** A schema of zod 3, zod 4 (classic or mini), or any library of Standard Schema; read by shape, never imported. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
  }
}

type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] }

interface StandardIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/** What a schema makes of a value. The order of the tests matters: a zod 4 schema also has `_output`. */
export type SchemaOutput<S> = S extends { readonly _zod: { readonly output: infer O } }
  ? O
  : S extends { readonly _output: infer O }
    ? O
    : S extends { readonly '~standard': { readonly types?: { readonly output: infer O } | undefined } }
      ? O
      : unknown

/** What a schema takes. */
export type SchemaInput<S> = S extends { readonly _zod: { readonly input: infer I } }
  ? I
  : S extends { readonly _input: infer I }
    ? I
    : S extends { readonly '~standard': { readonly types?: { readonly input: infer I } | undefined } }
      ? I
      : unknown

/** A value that fits, as the schema makes it; or the misfits. */
export type Validation =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly Issue[] }

/** Tells whether a value is a schema that can validate. An arktype schema is a function. */
export const isStandardSchema = (value: unknown): value is StandardSchema =>
  (typeof value === 'object' || typeof value === 'function') &&
  value !== null &&
  typeof (value as StandardSchema)['~standard']?.validate === 'function'

/** Validates by a Standard Schema. A promise only where the schema itself is asynchronous. */
export function validateStandard(schema: StandardSchema, value: unknown): Validation | Promise<Validation> {
  const result = schema['~standard'].validate(value)
  return result instanceof Promise ? result.then(toValidation) : toValidation(result)
}

const toValidation = (result: StandardResult<unknown>): Validation =>
  result.issues === undefined ? result : { issues: result.issues.map(toIssue) }

const toIssue = ({ message, path = [] }: StandardIssue): Issue => ({
  message,
  path: path.map((part) => String(typeof part === 'object' ? part.key : part)).join('.'),
})

/** Writes misfits as one line: `path: message; path: message`. */
export const issuesText = (issues: readonly Issue[]): string =>
  issues.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; ')
