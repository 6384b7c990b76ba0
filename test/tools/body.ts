import { Scope } from '../../src/internal/scope.js'
import { type Body, runBody } from '../../src/tools/execute.js'
import { LooseHost } from '../../src/tools/loose-host.js'
import type { ToolOutcome } from '../../src/tools/result.js'
import { Secrets } from '../../src/tools/secrets.js'
import type { AnyTool } from '../../src/tools/tool.js'

/** Runs the body of a tool outside any agent. */
export function run(
  tool: AnyTool,
  args: unknown = {},
  body: Partial<Body> & { context?: object } = {},
): ToolOutcome | Promise<ToolOutcome> {
  const { scope = new Scope(), context = {}, ...rest } = body
  const host = new LooseHost(context, scope)
  return runBody(tool, args, { host, toolCallId: 'call_1', attempt: 1, scope, secrets: new Secrets(), ...rest })
}
