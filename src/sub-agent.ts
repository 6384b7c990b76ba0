import { ConfigError } from './errors.js'
import type { RunResult } from './requests.js'
import type { ChildAgent, ToolRuntime } from './runtime.js'
import { type AnyTool, tool } from './tools/tool.js'

const INPUT = {
  type: 'object',
  properties: {
    input: { type: 'string', description: 'What the agent is asked to do, with all that it needs to know.' },
  },
  required: ['input'],
  additionalProperties: false,
} as const

/** An agent as a tool: `{ input }` in, its output out. Its events, usage and budget are the outer run's. */
export function subAgentTool(
  agent: ChildAgent<string, RunResult>,
  options: { name: string; description: string },
): AnyTool {
  return tool(
    async (args: { input: string }, runtime: ToolRuntime) => {
      const { output, stopReason } = await runtime.child(agent).invoke(args.input)
      if (stopReason === 'interrupt') {
        throw new ConfigError(`sub-agent "${options.name}": it asked a question, which a sub-agent cannot wait for`)
      }
      return output === '' ? `The agent ended without an answer (${stopReason}).` : output
    },
    { ...options, schema: INPUT, retry: 'safe' },
  )
}
