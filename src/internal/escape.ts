/** Percent-escapes a part of a path, so that a join with `/` is injective; lone surrogates become `%u` and four digits. */
export const escapePart = (part: string): string => {
  try {
    return encodeURIComponent(part)
  } catch {
    return Array.from(part, (character) =>
      /^[\ud800-\udfff]$/.test(character) ? `%u${character.charCodeAt(0).toString(16)}` : encodeURIComponent(character),
    ).join('')
  }
}
