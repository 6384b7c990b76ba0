// One file for all of them: bundlers make what each lazy file shares with the core a file of its own, so that many lazy
// files would make the core larger again.
export { guarded } from './guarded.js'
export { resultOf } from './result-values.js'
export { createJsonCheck } from './schema-json-check.js'
export { withDates, withoutNulls, withoutPrototypeKeys } from './schema-values.js'
