/** Protocol buffers may write a 64-bit number as a text of its digits. */
export function integer(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^-?\d{1,16}$/.test(value) ? Number(value) : value
  return typeof number === 'number' && Number.isSafeInteger(number) ? number : undefined
}

/** A uint64 id as its exact digits; 0 means that there is none. */
export function id(value: unknown): string | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value > 0 ? String(value) : undefined
  return typeof value === 'string' && /^[1-9]\d{0,19}$/.test(value) ? value : undefined
}
