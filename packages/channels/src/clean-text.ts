// oxlint-disable-next-line no-control-regex -- NUL is what this looks for
const NUL = /\u0000/g

/** Text that both databases store as it is: without NUL, lone surrogates become U+FFFD. */
export function cleanText(text: string): string {
  const whole = text.isWellFormed() ? text : text.toWellFormed()
  return whole.includes('\0') ? whole.replace(NUL, '') : whole
}

/** A copy of a plain value (objects, lists, texts, numbers) with every text in it cleaned; the value itself when clean. */
export function cleanTexts<T>(value: T): T {
  return cleaned(value) as T // same shape: only texts were replaced
}

function cleaned(value: unknown): unknown {
  if (typeof value === 'string') return cleanText(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const items = value.map(cleaned)
    return items.some((item, index) => item !== value[index]) ? items : value
  }
  const entries = Object.entries(value)
  const clean = entries.map(([key, field]): [string, unknown] => [key, cleaned(field)])
  return clean.some(([, field], index) => field !== entries[index]?.[1]) ? Object.fromEntries(clean) : value
}
