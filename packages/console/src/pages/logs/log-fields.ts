/** A field of a line: its name, with those of what it is in, and its text. */
export type LogField = readonly [name: string, text: string]

const MAX_DEPTH = 4

/** The fields of a line, those within others by the names of both: `error.message`. */
export function fieldsOf(fields: Readonly<Record<string, unknown>>, depth = 0): readonly LogField[] {
  return Object.entries(fields).flatMap(([name, value]): readonly LogField[] => {
    if (value === null || value === undefined || value === '') return []
    if (typeof value !== 'object' || Array.isArray(value) || depth === MAX_DEPTH) return [[name, textOf(value)]]
    return fieldsOf({ ...value }, depth + 1).map(([inner, text]) => [`${name}.${inner}`, text])
  })
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

const PREVIEW_CHARACTERS = 300

/** The fields in one row, for who reads over them. */
export const previewOf = (fields: readonly LogField[]): string =>
  fields
    .filter(([name]) => !name.endsWith('stack'))
    .map(([name, text]) => `${name}=${text}`)
    .join('  ')
    .slice(0, PREVIEW_CHARACTERS)
