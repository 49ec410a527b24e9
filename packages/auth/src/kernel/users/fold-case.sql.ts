import { type RawBuilder, sql, type SqlBool } from 'kysely'

/** How user names and addresses are compared: after NFKC, without regard to case. @see Unicode Standard Annex 15 */
export const foldCase = (text: string): string => text.normalize('NFKC').toLowerCase()

const isAscii = (text: string): boolean => /^[\0-\u007f]*$/.test(text)

/**
 * A condition that holds for every text of `column` which `foldCase` makes `folded`, and perhaps for more: databases
 * lower only ASCII for certain, so that other letters with case stand open. Compare what is found by `foldCase` again.
 * Without such letters it can use an index on `lower(column)`.
 * @param exact Found whatever the database makes of it.
 */
export function matchesFolded(column: RawBuilder<unknown>, exact: string, folded: string): RawBuilder<SqlBool> {
  const pattern = openPattern(folded)
  if (pattern !== null) return sql<SqlBool>`(${column} = ${exact} or lower(${column}) like ${pattern} escape '\\')`
  if (exact === folded) return sql<SqlBool>`lower(${column}) = ${folded}`
  return sql<SqlBool>`(${column} = ${exact} or lower(${column}) = ${folded})`
}

/** `İ` alone becomes two characters when it is lowered. */
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

/** Returns whether a database can store this text unchanged; other texts need no lookup. */
export const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0')

/** @param max Characters (code points), as databases count them. */
export const truncateText = (text: string, max: number): string =>
  text.length <= max ? text : Array.from(text).slice(0, max).join('')
