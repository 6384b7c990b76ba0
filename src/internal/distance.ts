/** Levenshtein's distance, for suggestions in errors. */
export function distance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 4) return 5
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1
      next.push(Math.min((row[j] as number) + 1, (next[j - 1] as number) + 1, (row[j - 1] as number) + cost))
    }
    row = next
  }
  return row[b.length] as number
}
