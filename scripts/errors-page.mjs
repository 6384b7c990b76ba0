// Writes docs/errors.md from src/errors.ts; with --check it only compares. Runs under tsx.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import * as errors from '../src/errors.ts'

const page = new URL('../docs/errors.md', import.meta.url)

const classes = Object.entries(errors).filter(
  ([, value]) => typeof value === 'function' && value.prototype instanceof errors.AgentError,
)
const names = new Set(['AgentError', ...classes.map(([name]) => name)])

const rows = Object.entries(errors.CODES).map(([code, text]) => {
  const [owner, ...when] = text.split(': ')
  if (!names.has(owner)) throw new Error(`src/errors.ts: ${code} names ${owner}, which is no class of that file`)
  const sentence = when.join(': ')
  return `| \`${code}\` | \`${owner}\` | ${sentence[0].toUpperCase()}${sentence.slice(1).replaceAll('|', '\\|')} |`
})

const below = (parent, depth) =>
  classes
    .filter(([, value]) => Object.getPrototypeOf(value) === parent)
    .flatMap(([name, value]) => [`${'  '.repeat(depth)}- \`${name}\``, ...below(value, depth + 1)])

const text = `# Errors

<!-- Written by \`npm run docs:errors\` from src/errors.ts: change it there. -->

Every error that Cepa itself throws is an \`AgentError\` with a \`code\`. Recognise one by \`isAgentError(error)\`, which
also knows the errors of another copy of the package, and branch on \`error.code\`. What a model, a tool or a layer throws
reaches the caller as the same object; \`errorInfo(error)\` tells which run and which layer it came from.

\`error.retryable\` says whether the same call may succeed later, and is \`false\` unless the error says otherwise.
\`error.expose\` says whether the text may be shown to a model or a client, and is \`true\` unless the error says otherwise.

| code | class | when |
| --- | --- | --- |
${rows.join('\n')}

## Classes

- \`AgentError\`
${below(errors.AgentError, 1).join('\n')}

An interruption and an abort are control flow and none of these: a middleware that catches asks \`isControl(error)\` first
and throws such a value on.
`

if (process.argv.includes('--check')) {
  if (!existsSync(page) || readFileSync(page, 'utf8') !== text) {
    console.error('docs/errors.md is not what src/errors.ts says: run `npm run docs:errors` and commit the page.')
    process.exit(1)
  }
  console.log(`docs/errors.md: ${rows.length} codes, up to date.`)
} else {
  writeFileSync(page, text)
  console.log(`docs/errors.md: ${rows.length} codes.`)
}
