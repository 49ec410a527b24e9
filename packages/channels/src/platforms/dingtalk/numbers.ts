/** A number, also written as text; DingTalk is not strict about it. */
export function number(value: unknown): number | undefined {
  const read = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof read === 'number' && Number.isFinite(read) ? read : undefined
}
