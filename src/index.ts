export { type Agent, type AgentOptions, createAgent, type Input, type RunOptions } from './agent.js'
export type { ToolErrors } from './batch.js'
export { type Command, command, type Goto } from './command.js'
export { compose } from './compose.js'
export {
  AgentError,
  type AgentErrorOptions,
  ConfigError,
  ConflictError,
  type ErrorCode,
  type Issue,
  isAgentError,
  LimitError,
  ModelError,
  type ModelErrorOptions,
  ProtocolError,
  StateError,
  StepError,
  StorageError,
  ToolError,
  ToolInputError,
  ToolNotFoundError,
} from './errors.js'
export type { AgentEvent, At, Delta, EventBody, FinishReason, StopReason } from './events.js'
export { type ErrorInfo, errorInfo } from './failure.js'
export { type Interrupt, Interruption, type InterruptPayload, isControl } from './interrupt.js'
export type { EmptyKind, Kind, KindFrom, KindOf } from './kind.js'
export { type MessageChange, removeMessages, replaceMessages } from './message-list.js'
export {
  type AssistantMessage,
  assistant,
  type CallView,
  type Message,
  type Part,
  repairPairs,
  type SystemMessage,
  system,
  type ToolMessage,
  textOf,
  toolMessage,
  type UserMessage,
  user,
  type WireToolCall,
} from './messages.js'
export {
  type AnyMiddleware,
  createMiddleware,
  type Definition,
  type Hook,
  type Hooks,
  type Middleware,
  type Order,
  type RunStep,
  type TurnStep,
  wrapModelCall,
  wrapToolCall,
} from './middleware.js'
export {
  type JsonSchema,
  type Model,
  type ModelCall,
  type ModelProfile,
  type ModelResponse,
  type ModelSettings,
  reply,
  type ToolChoice,
  type ToolDefinition,
} from './models/model.js'
export type { Next } from './onion.js'
export {
  allow,
  deny,
  type ModelHandler,
  type ModelLayer,
  type ModelRequest,
  type ModelRequestChange,
  type RunContext,
  type RunResult,
  type ToolCallRequest,
  type ToolHandler,
  type ToolLayer,
  type ToolResult,
  type TurnContext,
  type Verdict,
  withUpdate,
} from './requests.js'
export { rewriteText, type TextRewriter } from './rewrite-text.js'
export type { Runtime, SideCall, ToolRuntime } from './runtime.js'
export { type BaseState, type Field, type FieldOptions, field } from './state.js'
export type { Item, ListOptions, PutOptions, SearchOptions, Store, StoreOperation } from './stores/store.js'
export type { AgentStream } from './stream.js'
export { errorText } from './tools/error-text.js'
export { Secret, secret } from './tools/secret.js'
export { type AnyTool, providerTool, type RetryKind, type Tool, type ToolOptions, tool } from './tools/tool.js'
export { addUsage, type Usage } from './usage.js'
