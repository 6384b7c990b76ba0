import { ModelError } from './errors.js'
import type { Scope } from './internal/scope.js'
import { issuesText } from './internal/standard-schema.js'
import type { Ledger } from './log/ledger.js'
import { repairPairs } from './messages.js'
import { checkReply, ONE, oneCall } from './model-call.js'
import type { Model, ModelResponse } from './models/model.js'
import type { SideCall } from './runtime.js'
import { isNative, readAnswer, readFormat } from './structured.js'

/** What a side call needs of its run. */
export interface SideHost {
  readonly scope: Scope
  readonly ledger: Ledger
  resolve(model: Model | string): Model | Promise<Model>
}

/**
 * A model call beside the turns: booked on the run, not streamed, no layer in between.
 * @throws ModelError as the model does, and where a `responseFormat` was asked for and the answer does not fit.
 */
export async function sideCall(model: Model | string, call: SideCall, host: SideHost): Promise<ModelResponse> {
  const { scope, ledger } = host
  scope.check()
  const resolved = await host.resolve(model)
  const format = readFormat(call.responseFormat)
  const native = format !== undefined && isNative(format, resolved.profile, `${resolved.provider}:${resolved.id}`)
  const byTool = format !== undefined && !native
  let response: ModelResponse
  try {
    const generated = resolved.generate({
      messages: repairPairs(call.messages),
      systemPrompt: call.systemPrompt ?? '',
      tools: byTool ? [format.tool] : [],
      toolChoice: byTool ? { name: format.tool.name } : undefined,
      outputFormat: native ? { name: format.tool.name, schema: format.schema } : undefined,
      settings: call.settings ?? {},
      emit: () => {},
      streaming: false,
      signal: scope.signal,
    })
    response = checkReply(await scope.race(generated), resolved)
  } catch (error) {
    ledger.book(ONE)
    throw error
  }
  ledger.book(oneCall(response.usage))
  if (format === undefined) return response
  const answer = await readAnswer(format, response.message, byTool)
  if (answer && 'value' in answer) return { ...response, structured: answer.value }
  throw new ModelError(
    `runtime.generate(): the model gave no valid structured answer: ${issuesText(answer?.issues ?? [])}; it is in error.text`,
    { code: 'STRUCTURED_OUTPUT', text: answer?.text ?? '' },
  )
}
