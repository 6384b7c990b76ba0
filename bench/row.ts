/** One number of a bench, and where it has to stay. */
export interface Row {
  readonly name: string
  readonly value: number
  readonly unit: string
  /** The most that it may be. */
  readonly bar?: number
}

/** A bench: gives its rows. Runs in a process of its own, against the built package. */
export type Measure = () => Promise<readonly Row[]>

/** Whether a row keeps its bar. */
export const keeps = ({ value, bar }: Row): boolean => bar === undefined || value <= bar

/** A row as a line of text. */
export function line(row: Row): string {
  const { name, value, unit, bar } = row
  const text = `  ${name.padEnd(58)} ${digits(value).padStart(9)} ${unit.padEnd(8)}`
  return bar === undefined ? text.trimEnd() : `${text} ${keeps(row) ? 'ok  ' : 'MISS'} at most ${bar}`
}

const digits = (value: number): string => (value >= 100 ? value.toFixed(0) : value.toFixed(2))
