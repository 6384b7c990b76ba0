import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** The project's own folder. */
export const root = fileURLToPath(new URL('../..', import.meta.url))

/** Flags under which node runs TypeScript with Cepa's sources. */
export const NODE_FLAGS = ['--import', 'tsx', '--conditions=@cepa/source']

/** A program of a page, and the output that stands behind it, if one does. */
export interface Program {
  readonly text: string
  readonly output: string | undefined
}

/** The programs of a page, in order: its `ts` blocks. A `text` block behind one says what it prints. */
export function programsOf(page: string): Program[] {
  const blocks = [...page.matchAll(/^```(\w+)\n(.*?)^```$/gms)]
  return blocks.flatMap(([, language, text = ''], index) => {
    const [, next, output] = blocks[index + 1] ?? []
    return language === 'ts' ? [{ text, output: next === 'text' ? output : undefined }] : []
  })
}

/** The links of a page to files, as they are written. */
export const linksOf = (page: string): string[] =>
  [...page.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, path = '']) => path)

/** An app outside the project, in which Cepa is a package like others. */
export class ProgramFolder {
  readonly path = mkdtempSync(join(tmpdir(), 'cepa-programs-'))

  constructor(programs: Readonly<Record<string, string>>) {
    const modules = join(this.path, 'node_modules')
    mkdirSync(modules)
    for (const name of readdirSync(join(root, 'node_modules')).filter((name) => !name.startsWith('.')))
      symlinkSync(join(root, 'node_modules', name), join(modules, name), 'junction')
    symlinkSync(root, join(modules, 'cepa'), 'junction')
    writeFileSync(join(this.path, 'package.json'), '{ "type": "module" }')
    const tsconfig = { extends: join(root, 'tsconfig.json'), include: ['*.ts'] }
    writeFileSync(join(this.path, 'tsconfig.json'), JSON.stringify(tsconfig))
    for (const [name, text] of Object.entries(programs)) writeFileSync(join(this.path, `${name}.ts`), text)
  }

  /** What the compiler has against the programs, line by line. */
  async faults(): Promise<string[]> {
    const { bin } = JSON.parse(readFileSync(join(root, 'node_modules/typescript/package.json'), 'utf8'))
    const tsc = join(root, 'node_modules/typescript', bin.tsc)
    const run = promisify(execFile)(process.execPath, [tsc, '-p', this.path], { cwd: this.path })
    const { stdout } = await run.catch((error: { stdout: string }) => error)
    return stdout.split('\n').filter((line) => /^[\w-]+\.ts\b/.test(line))
  }

  /** Runs a program to its end. Rejects if it fails. */
  async run(name: string): Promise<{ stdout: string; stderr: string }> {
    return promisify(execFile)(process.execPath, [...NODE_FLAGS, `${name}.ts`], { cwd: this.path })
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true })
  }
}
