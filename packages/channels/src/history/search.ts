import type { Database } from '@gatepost/sql'
import { type Expression, type RawBuilder, sql } from 'kysely'
import { cleanText } from '../clean-text.ts'
import type { ChannelTables } from '../schema.ts'

/** Conditions that hold where a literal text is found, whatever the case of its letters. */
export interface Search {
  text(column: Expression<string | null>): RawBuilder<boolean>
  /** `column` holds a `DeliveryContent` as JSON: what it shows, or the name of its file. */
  content(column: Expression<string>): RawBuilder<boolean>
}

/** The databases fold the case of letters unlike each other, so each letter is looked for in both of its cases. */
export function searchFor(dialect: Database<ChannelTables>['dialect'], wanted: string): Search {
  const letters = Array.from(cleanText(wanted), casesOf)
  if (dialect === 'postgres') {
    const pattern = letters.map((cases) => (cases.length > 1 ? `[${cases.join('')}]` : quoted(cases[0]))).join('')
    return {
      text: (column) => sql`${column} ~ ${pattern}`,
      content: (column) => sql`coalesce(${column}::json ->> 'plain', ${column}::json ->> 'name') ~ ${pattern}`,
    }
  }
  const pattern = `*${letters.map((cases) => globbed(cases)).join('')}*`
  return {
    text: (column) => sql`${column} glob ${pattern}`,
    content: (column) => sql`coalesce(${column} ->> 'plain', ${column} ->> 'name') glob ${pattern}`,
  }
}

/** The letter in its cases; where a case is written with several letters, only the one that was given. */
function casesOf(letter: string): readonly [string, ...string[]] {
  const cases = [letter.toLowerCase(), letter.toUpperCase()].filter((one) => Array.from(one).length === 1)
  return [letter, ...new Set(cases.filter((one) => one !== letter))]
}

/** In a regular expression of PostgreSQL: letters, digits and what is not ASCII mean themselves. */
const quoted = (character: string): string =>
  character.replace(/[\u0001-\u007f]/, (one) => (/\w/.test(one) ? one : `\\${one}`))

const globbed = (cases: readonly [string, ...string[]]): string =>
  cases.length > 1 || /[*?[]/.test(cases[0]) ? `[${cases.join('')}]` : cases[0]
