export { type Circumstances, forTools, unless, when } from './combine.js'
export { dynamicSystemPrompt } from './dynamic-system-prompt.js'
export { type ModelRetryOptions, modelRetry } from './model-retry.js'
export { type ToolErrorsOptions, toolErrors } from './tool-errors.js'
