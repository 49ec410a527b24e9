/** A field of a line: its path and its text. */
export type LogField = readonly [name: string, text: string]

const MAX_DEPTH = 4

/** Flattens the fields of a line: nested ones are named `error.message`. */
export function flattenFields(fields: Readonly<Record<string, unknown>>, depth = 0): readonly LogField[] {
  return Object.entries(fields).flatMap(([name, value]): readonly LogField[] => {
    if (value === null || value === undefined || value === '') return []
    if (typeof value !== 'object' || Array.isArray(value) || depth === MAX_DEPTH) return [[name, toFieldText(value)]]
    return flattenFields({ ...value }, depth + 1).map(([inner, text]) => [`${name}.${inner}`, text])
  })
}

const toFieldText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

const PREVIEW_CHARACTERS = 300

/** Returns the fields as one line of text. */
export const previewFields = (fields: readonly LogField[]): string =>
  fields
    .filter(([name]) => !name.endsWith('stack'))
    .map(([name, text]) => `${name}=${text}`)
    .join('  ')
    .slice(0, PREVIEW_CHARACTERS)
