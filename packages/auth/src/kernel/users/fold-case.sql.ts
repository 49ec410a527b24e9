import { type RawBuilder, sql, type SqlBool } from 'kysely'

/**
 * Returns the form in which usernames and email addresses are compared: NFKC, in lower case.
 * @see Unicode Standard Annex 15
 */
export const foldCase = (text: string): string => text.normalize('NFKC').toLowerCase()

const isAscii = (text: string): boolean => /^[\0-\u007f]*$/.test(text)

/**
 * Returns a condition that matches every value of `column` that `foldCase` turns into `folded`, and maybe others:
 * databases reliably lowercase only ASCII, so other letters with case match any character. Check the results with
 * `foldCase` again. Without such letters, the condition can use an index on `lower(column)`.
 * @param exact Text that also matches as is, however the database lowercases it.
 */
export function matchesFolded(column: RawBuilder<unknown>, exact: string, folded: string): RawBuilder<SqlBool> {
  const pattern = openPattern(folded)
  if (pattern !== null) return sql<SqlBool>`(${column} = ${exact} or lower(${column}) like ${pattern} escape '\\')`
  if (exact === folded) return sql<SqlBool>`lower(${column}) = ${folded}`
  return sql<SqlBool>`(${column} = ${exact} or lower(${column}) = ${folded})`
}

/** `İ` is the only character that becomes two when lowercased. */
const DOTTED_I = 'i\u0307'

function openPattern(folded: string): string | null {
  if (isAscii(folded)) return null
  const open = (character: string): string => {
    if (!isAscii(character)) return character.toUpperCase() === character ? character : '_'
    return /[%_\\]/.test(character) ? `\\${character}` : character
  }
  const exact = folded.split(DOTTED_I)
  const pattern = exact.map((part) => Array.from(part, open).join('')).join('%')
  return exact.length === 1 && !Array.from(folded).some((character) => open(character) === '_') ? null : pattern
}

/** Returns whether a database can store this text unchanged. Other texts need no lookup. */
export const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0')

/** Truncates text. @param max Maximum length in code points, which is how databases count. */
export const truncateText = (text: string, max: number): string =>
  text.length <= max ? text : Array.from(text).slice(0, max).join('')
