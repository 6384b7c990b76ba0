import type { SchemaInput, SchemaOutput } from './internal/standard-schema.js'
import type { MessageUpdate } from './message-list.js'
import type { BaseState } from './state.js'

/** What a middleware, a tool or an agent knows of state and context: one record that inference carries. */
export interface Kind {
  state: object
  update: object
  context: object
  contextInput: object
}

/** What an agent's structured answer is. */
export interface OutputKind {
  structured: unknown
}

/** Of something that declares nothing. */
export interface EmptyKind {
  state: {}
  update: {}
  context: {}
  contextInput: {}
}

/** The whole state as a hook sees it. */
export type StateOf<K extends Kind> = Readonly<BaseState & K['state']>

/** What an update may hold. `undefined` leaves a field as it is. */
export type UpdateOf<K extends Kind> = { messages?: MessageUpdate | undefined } & K['update']

type ValueOf<F> = F extends { readonly '~field': true; readonly '~value'?: infer Value } ? Value : SchemaOutput<F>
type ChangeOf<F> = F extends { readonly '~field': true; readonly '~update'?: infer Change } ? Change : SchemaInput<F>
type AsObject<T> = T extends object ? T : {}

/** The record of fields in a `stateSchema`: itself, or the shape of a `z.object`. */
type Fields<S> = S extends { readonly '~standard': unknown; readonly shape: infer Shape } ? Shape : S

/** The state that a `stateSchema` declares. */
export type DeclaredState<S> = { readonly [P in keyof Fields<S>]: ValueOf<Fields<S>[P]> }

/** The updates that a `stateSchema` allows. */
export type DeclaredUpdate<S> = { [P in keyof Fields<S>]?: ChangeOf<Fields<S>[P]> | undefined }

/** The kind that a state schema `S` and a context schema `C` make. */
export interface KindFrom<S, C> {
  state: DeclaredState<S>
  update: DeclaredUpdate<S>
  context: AsObject<SchemaOutput<C>>
  contextInput: AsObject<SchemaInput<C>>
}

/** Carries a kind; inference looks at this alone, never at the hooks. */
export interface Kinded<K extends Kind = Kind> {
  readonly '~kind'?: K
}

type KindIn<M> = M extends { readonly '~kind'?: infer K } ? NonNullable<K> : never

/** Whole records are intersected, all at once, so that the many that declare nothing count as one. */
type Intersect<K> = (K extends unknown ? (kind: K) => void : never) extends (kind: infer Sum) => void ? Sum : never

/** The kind of a list of middleware over a base, for all four parts together. */
export type KindOf<M extends readonly unknown[], Base = EmptyKind> = Base &
  Intersect<KindIn<M[number]>> extends infer Sum extends Kind
  ? Sum
  : never

/** Flattens an intersection, where a user looks at it. */
export type Flat<T> = { [P in keyof T]: T[P] } & {}

type NeverKeys<T> = { [P in keyof T]-?: [T[P]] extends [never] ? P : never }[keyof T]

/** The keys without a possible value. Where one of the types is a literal or a boolean, TypeScript drops the record whole. */
type Clash<T> = [T] extends [never] ? 'a key with a literal type' : NeverKeys<T>

/** `unknown`, or a sentence about the keys that are declared with different types. */
export type NoClash<K extends Kind> = [Clash<K['state']> | Clash<K['context']>] extends [never]
  ? unknown
  : { 'middleware declare this key with different types': Clash<K['state']> | Clash<K['context']> }
