// Preloaded by `--import`: writes the URL of every module that is loaded to the file named by TRACE, one a line.
import { appendFileSync } from 'node:fs'
import { createRequire, register } from 'node:module'

const hook = `
import { appendFileSync } from 'node:fs'
export async function load(url, context, next) {
  appendFileSync(process.env.TRACE, url + '\\n')
  return next(url, context)
}`

register(`data:text/javascript,${encodeURIComponent(hook)}`)

// What a CommonJS module requires does not pass the hook.
const { cache } = createRequire(import.meta.url)
process.on('exit', () => {
  for (const path of Object.keys(cache)) appendFileSync(process.env.TRACE, `file://${path}\n`)
})
