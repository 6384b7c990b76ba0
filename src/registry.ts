// `cepa/registry`: tools without an agent. An entry of its own, as an agent needs none of it.
export { type FunctionToolDecorator, type FunctionToolOptions, functionTool } from './tools/decorator.js'
export { type ExecuteOptions, type FunctionSchema, ToolRegistry } from './tools/registry.js'
export { type RegistryResult, type RegistryToolCall, toolMessages } from './tools/registry-calls.js'
