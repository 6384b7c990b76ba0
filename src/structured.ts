import { ConfigError, got, type Issue, ModelError } from './errors.js'
import { ANYTHING, check, isWhole, oneOf, type Rules } from './internal/check.js'
import { isStandardSchema, issuesText, type Validation } from './internal/standard-schema.js'
import type { Route } from './log/entry.js'
import {
  type AssistantMessage,
  callsOf,
  missingResult,
  type ToolMessage,
  textOf,
  type UserMessage,
  user,
  type WireToolCall,
} from './messages.js'
import type { JsonSchema, ModelProfile, ToolDefinition } from './models/model.js'
import { strictValidator, toObjectSchema } from './tools/schema.js'

/** How a structured answer is asked for. */
export type Strategy = 'auto' | 'native' | 'tool'

/** A structured answer that a run is to end with, as the engine works with it. */
export interface OutputFormat {
  readonly schema: JsonSchema
  readonly strategy: Strategy
  readonly repairs: number
  validate(value: unknown): Validation | Promise<Validation>
  /** The tool that carries the answer where a provider has no native form. */
  readonly tool: ToolDefinition
}

const formats = new WeakMap<object, OutputFormat>()

/**
 * Reads a `responseFormat`: a schema, or `{ schema, strategy, repairs }`. The strategy is `'auto'` by default: native
 * where the model has it, else through a tool. `repairs` (1 by default) is how often an invalid answer is asked again.
 * @throws ConfigError for anything else.
 */
export function readFormat(format: unknown): OutputFormat | undefined {
  if (format === undefined) return undefined
  if ((typeof format !== 'object' && typeof format !== 'function') || format === null) throw misfit(format)
  const known = formats.get(format)
  if (known) return known
  const made = makeFormat(format)
  formats.set(format, made)
  return made
}

const misfit = (value: unknown): ConfigError =>
  new ConfigError(
    `responseFormat: expected a schema, or { schema, strategy: 'auto' | 'native' | 'tool', repairs }, got ${got(value)}`,
  )

const FORMAT: Rules = {
  schema: ANYTHING,
  strategy: oneOf('auto', 'native', 'tool'),
  repairs: [(value) => isWhole(value, 0), 'a whole number from 0'],
}

function makeFormat(format: object): OutputFormat {
  const wrapped = !isStandardSchema(format) && 'schema' in format
  const given = check(wrapped ? format : { schema: format }, FORMAT, 'responseFormat')
  const {
    schema,
    strategy = 'auto',
    repairs = 1,
  } = given as Partial<Pick<OutputFormat, 'strategy' | 'repairs'>> & {
    readonly schema: unknown
  }
  const inputSchema = toObjectSchema(schema, 'responseFormat')
  const description = 'Gives the final answer. Call it once, when the answer is complete.'
  return {
    schema: inputSchema,
    strategy,
    repairs,
    // A strict provider makes the model write null for what is optional.
    validate: strictValidator(schema, inputSchema, 'responseFormat'),
    tool: { name: 'final_answer', description, inputSchema },
  }
}

/** Whether a model is asked natively. @throws ConfigError if `'native'` is demanded of a model that has no such form. */
export function isNative(format: OutputFormat, profile: ModelProfile, model: string): boolean {
  if (format.strategy === 'native' && !profile.nativeStructuredOutput) {
    throw new ConfigError(
      `responseFormat: strategy 'native' was asked for, but ${model} has no native structured output; use 'auto' or 'tool'`,
    )
  }
  return format.strategy !== 'tool' && profile.nativeStructuredOutput === true
}

/** What a reply says as a structured answer: nothing (it calls other tools), a value, or why there is none. */
export type Answer =
  | { readonly value: unknown }
  | { readonly issues: readonly Issue[]; readonly text: string }
  | undefined

/** Reads the answer of a reply: the arguments of its answer call, else its text. */
export async function readAnswer(format: OutputFormat, message: AssistantMessage, byTool: boolean): Promise<Answer> {
  const asked = callsOf(message)
  const call = byTool ? asked.find(({ function: { name } }) => name === format.tool.name) : undefined
  if (call === undefined && asked.length > 0) return undefined
  const text = call === undefined ? textOf(message.content) : call.function.arguments
  let issues: readonly Issue[] = [{ path: '', message: 'expected a JSON object' }]
  for (const value of call === undefined ? await valuesIn(text) : jsonOf(text)) {
    const result = await format.validate(value)
    if (result.issues === undefined) return { value: result.value }
    issues = result.issues
  }
  return { issues, text }
}

/** Text that is JSON as a whole is the rule; what searches a text is loaded with the first one that is not. */
async function valuesIn(text: string): Promise<readonly unknown[]> {
  const whole = jsonOf(text)
  return whole.length > 0 ? whole : (await import('./structured-text.js')).jsonValuesIn(text)
}

function jsonOf(text: string): readonly unknown[] {
  try {
    return [JSON.parse(text)]
  } catch {
    return []
  }
}

/** The structured answer of one run: what was accepted, and how often a misfit was sent back. */
export class Answers {
  accepted: { readonly value: unknown } | undefined
  repairs = 0

  /** Where an answer sends the run. @throws ModelError with the raw text for a misfit that was sent back often enough. */
  take(format: OutputFormat, answer: NonNullable<Answer>): Route {
    if ('value' in answer) {
      this.accepted = answer
      return { next: 'end', stopReason: 'stop' }
    }
    this.#sendBack(format, answer)
    return { next: 'model' }
  }

  #sendBack(
    format: OutputFormat,
    { issues, text }: { readonly issues: readonly Issue[]; readonly text: string },
  ): void {
    if (this.repairs >= format.repairs) {
      throw new ModelError(
        `the model gave no valid structured answer in ${this.repairs + 1} attempts: ${issuesText(issues)}; its last answer is in error.text`,
        { code: 'STRUCTURED_OUTPUT', text },
      )
    }
    this.repairs++
  }
}

/** The result of the call that carries an answer. */
export function answerResult(call: WireToolCall, answer: Answer): ToolMessage {
  if (answer && 'value' in answer) return { ...missingResult(call, 'The answer is accepted.'), status: 'success' }
  return missingResult(
    call,
    `The answer does not fit: ${issuesText(answer?.issues ?? [])}. Correct it and answer again.`,
  )
}

/** What a model is told that answered with a misfit in plain text. */
export const correction = ({ issues }: { readonly issues: readonly Issue[] }): UserMessage =>
  user(`Your answer does not fit: ${issuesText(issues)}. Answer again, with the JSON alone.`)
