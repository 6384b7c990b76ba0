/** A new random id of 32 hexadecimal characters. */
export const newId = (): string => crypto.randomUUID().replaceAll('-', '')
