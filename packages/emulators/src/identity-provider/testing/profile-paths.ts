/** The member at a path such as `data.users[0].id` or `users[]` (the last one); undefined when there is none. */
export function readPath(value: unknown, path: string): unknown {
  let found = value
  for (const step of path.match(/[^.[\]]+|\[\]/g) ?? []) {
    if (typeof found !== 'object' || found === null) return undefined
    const members = found as Readonly<Record<string, unknown>> // any object has members
    found = step === '[]' ? Object.values(members).at(-1) : members[step]
  }
  return found
}

/** One part of a sum: a quoted text or what lies at a path. */
function readPart(profile: unknown, part: string): string | null {
  const quoted = /^"(.*)"$/.exec(part)?.[1]
  if (quoted !== undefined) return quoted
  const lowered = /^lower\((.*)\)$/.exec(part)?.[1]
  if (lowered !== undefined) return readPart(profile, lowered)?.toLowerCase() ?? null
  const value = readPath(profile, part)
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : null
}

/** The text that an expression of a record stands for: alternatives in order, sums, remarks in brackets. */
export function readText(profile: unknown, expression: string | null): string | null {
  if (expression === null) return null
  for (const alternative of expression.replaceAll(/ ?\((?!\w+\)).*?\)/g, '').split(/, else | or /)) {
    const parts = alternative
      .trim()
      .split(/ ?\+ ?(?![^"]*"(?:[^"]*"[^"]*")*[^"]*$)/)
      .map((part) => readPart(profile, part))
    if (parts.every((part) => part !== null) && parts.join('') !== '') return parts.join('')
  }
  return null
}
