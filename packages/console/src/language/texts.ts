import { type Language, useLanguage } from './language.ts'

type TextFunction = (...given: never[]) => string
type Texts = { readonly [name: string]: string | TextFunction | Texts }

/** The same keys in another language. */
type Translated<T> = T extends string
  ? string
  : T extends (...given: infer G) => string
    ? (...given: G) => string
    : { readonly [N in keyof T]: Translated<T[N]> }

/** The texts of a page or component in every language. The type makes sure none is missing. */
export interface TextSet<T> {
  readonly en: T
  readonly zh: Translated<T>
}

/** Declares the texts of a page or component. A text with parameters is a function. */
export const defineTexts = <const T extends Texts>(texts: {
  readonly en: T
  readonly zh: Translated<NoInfer<T>>
}): TextSet<T> => texts

/** Returns the texts in the page's language. */
export function useTexts<T extends Texts>(texts: TextSet<T>): Translated<T> {
  return textsIn(texts, useLanguage().language)
}

/** Returns the texts in one language. */
export const textsIn = <T extends Texts>(texts: TextSet<T>, language: Language): Translated<T> =>
  texts[language] as Translated<T> // English has the same shape

/** Returns the count with the English singular or plural. */
export const pluralize = (count: number, one: string, other: string): string => `${count} ${count === 1 ? one : other}`
