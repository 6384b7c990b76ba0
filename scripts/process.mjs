import { spawnSync } from 'node:child_process'

/** Runs a program to its end and gives what it printed; throws with all of that when it fails. */
export function run(command, args, options = {}) {
  const done = spawnSync(command, args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024, ...options })
  if (done.error) throw done.error
  if (done.status !== 0) {
    const how = done.signal ?? `exit code ${done.status}`
    throw new Error(`${command} ${args.join(' ')}: ${how}\n${done.stdout}${done.stderr}`)
  }
  return done.stdout
}

/** The middle one of some numbers. */
export const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)]

/** A machine that builds for others is slow and noisy: there a time may miss its bar by this factor. */
export const SLACK = process.env.CI ? 2.5 : 1
