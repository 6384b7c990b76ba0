import { createAgent, type ModelCall, tool, wrapModelCall } from 'cepa'
import { scriptedModel, toolCall } from 'cepa/models/scripted'
import { expect, it } from 'vitest'
import { checked } from './checked.js'

const search = tool(() => 'found', { name: 'search', description: 'S.' })
const isForced = ({ toolChoice }: ModelCall) => toolChoice === 'required' || typeof toolChoice === 'object'
const obedient = () => scriptedModel((call) => (isForced(call) ? { toolCalls: [toolCall('search')] } : 'done'))

it.each([['required'], [{ name: 'search' }]] as const)(
  'case 61: toolChoice %j falls back to auto after the first round of tools',
  async (toolChoice) => {
    const model = obedient()
    const agent = createAgent({ model, tools: [search], toolChoice })
    for (let run = 1; run <= 2; run++) {
      expect(checked(await agent.invoke('go'), model).output).toBe('done')
      expect(model.calls).toHaveLength(2 * run)
    }
    expect(model.calls.map((call) => call.toolChoice)).toEqual([toolChoice, 'auto', toolChoice, 'auto'])
  },
)

it('case 61: so does a choice that a layer sets on every request', async () => {
  const model = obedient()
  const forcing = wrapModelCall((request, handler) => handler(request.override({ toolChoice: 'required' })))
  checked(await createAgent({ model, tools: [search], middleware: [forcing] }).invoke('go'), model)
  expect(model.calls).toHaveLength(2)
})

it("case 61: 'none' and 'auto' stay as they are", async () => {
  for (const toolChoice of ['none', 'auto'] as const) {
    const model = scriptedModel([{ toolCalls: [toolCall('search')] }, 'done'])
    checked(await createAgent({ model, tools: [search], toolChoice }).invoke('go'), model)
    expect(model.calls.map((call) => call.toolChoice)).toEqual([toolChoice, toolChoice])
  }
})
