import { createAgent, createMiddleware, system, wrapModelCall } from 'cepa'
import { scriptedModel } from 'cepa/models/scripted'
import { expect, it } from 'vitest'
import { checked } from '../run/checked.js'

it('case 13: system messages of the state and of layers are merged in order into the one prompt', async () => {
  const reminder = createMiddleware({ name: 'reminder', beforeModel: () => ({ messages: [system('from a hook')] }) })
  const layer = wrapModelCall((request, handler) =>
    handler(request.override({ messages: [...request.messages, system('from a layer')] })),
  )
  for (const profile of [{}, { systemAnywhere: true }]) {
    const model = scriptedModel(['x'], { profile })
    const agent = createAgent({ model, systemPrompt: 'A', middleware: [reminder, layer] })
    const result = checked(await agent.invoke([system('from the input'), { role: 'user', content: 'go' }]), model)
    expect(
      result.messages.map(({ role }) => role),
      'the state keeps them apart',
    ).toEqual(['system', 'user', 'system', 'assistant'])
    const [call] = model.calls
    const roles = call?.messages.map(({ role }) => role)
    if (profile.systemAnywhere) {
      expect(call?.systemPrompt).toBe('A')
      expect(roles).toEqual(['system', 'user', 'system', 'system'])
    } else {
      expect(call?.systemPrompt).toBe('A\n\nfrom the input\n\nfrom a hook\n\nfrom a layer')
      expect(roles).toEqual(['user'])
    }
  }
})
