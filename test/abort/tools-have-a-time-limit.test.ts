import { createAgent, tool } from 'cepa'
import { scriptedModel, toolCall } from 'cepa/models/scripted'
import { expect, it } from 'vitest'
import { checkNoLeaks } from '../invariants.js'
import { checked, gate, tick } from '../run/checked.js'

it('case 64: a tool over its timeoutMs is an error result, its signal is aborted, siblings and the run go on', async () => {
  const late = gate()
  let signal: AbortSignal | undefined
  const hang = tool(
    async (_args, runtime) => {
      signal = runtime.signal
      await late.promise
      throw new Error('late')
    },
    { name: 'hang', description: 'H.', timeoutMs: 5 },
  )
  const fine = tool(() => 'fine', { name: 'fine', description: 'F.' })
  const model = scriptedModel([{ toolCalls: [toolCall('hang'), toolCall('fine')] }, 'done'])
  const result = await checkNoLeaks(() => createAgent({ model, tools: [hang, fine] }).invoke('go'))
  checked(result, model)
  expect(result.messages.slice(2, 4)).toMatchObject([
    { status: 'error', content: expect.stringContaining('5 ms') },
    { status: 'success', content: 'fine' },
  ])
  expect(signal?.aborted).toBe(true)
  expect(result.stopReason).toBe('stop')
  late.open()
  await tick()
})
