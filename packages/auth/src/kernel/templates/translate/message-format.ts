import { createRequire } from 'node:module'

/** Fills a text with plural forms and the like; `null` when a value is missing, or is not what the text wants. */
export type FormatMessage = (values: Readonly<Record<string, string | number>>) => string | null

type Library = typeof import('intl-messageformat')

let library: Library | null = null

/**
 * A text in the syntax of ICU MessageFormat. The library is loaded by the first one: few texts need it, and
 * translating must not wait.
 * @param language As in BCP 47.
 * @throws {SyntaxError} when the text has a fault
 */
export function messageFormat(text: string, language: string): FormatMessage {
  library ??= createRequire(import.meta.url)('intl-messageformat') as Library // the types of the very module
  const { FormatError, IntlMessageFormat } = library
  const message = new IntlMessageFormat(text, language, undefined, { ignoreTag: true })
  return (values) => {
    try {
      return String(message.format({ ...values }))
    } catch (error) {
      if (error instanceof FormatError || error instanceof RangeError) return null
      throw error
    }
  }
}
