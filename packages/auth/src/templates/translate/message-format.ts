import { createRequire } from 'node:module'

/** Fills a text with plural forms and the like. @throws {Error} for a value that is missing */
export type FormatMessage = (values: Readonly<Record<string, string | number>>) => string

type Library = typeof import('intl-messageformat')

let library: Library | null = null

/**
 * A text in the syntax of ICU MessageFormat. The library is loaded by the first one: few texts need it, and
 * translating must not wait.
 * @param language As in BCP 47.
 * @throws {Error} when the text has a fault
 */
export function messageFormat(text: string, language: string): FormatMessage {
  library ??= createRequire(import.meta.url)('intl-messageformat') as Library // the types of the very module
  const message = new library.IntlMessageFormat(text, language, undefined, { ignoreTag: true })
  return (values) => String(message.format({ ...values }))
}
