import { createAgent, type Model, type Store } from 'cepa'
import { memoryCheckpointer } from 'cepa/checkpointers/memory'
import { deskStack } from './stack.js'
import { deskTools } from './tools.js'

/** The whole agent: a model, tools, and a stack of middleware. */
export const createDesk = (model: Model | string, store: Store) =>
  createAgent({
    name: 'support-desk',
    model,
    systemPrompt: 'You answer customers of a pottery shop. Use your tools; never make up an order.',
    tools: deskTools,
    middleware: deskStack,
    store,
    checkpointer: memoryCheckpointer(),
    maxTurns: 8,
  })

export type Desk = ReturnType<typeof createDesk>
