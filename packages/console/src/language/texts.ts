import { type Language, useLanguage } from './language.ts'

type Say = (...given: never[]) => string
type Texts = { readonly [name: string]: string | Say | Texts }

/** The same names, in another language. */
type Translated<T> = T extends string
  ? string
  : T extends (...given: infer G) => string
    ? (...given: G) => string
    : { readonly [N in keyof T]: Translated<T[N]> }

/** Texts of one page or part in every language; the type sees to it that none is missing. */
export interface TextsOf<T> {
  readonly en: T
  readonly zh: Translated<T>
}

/** Declares the texts of a page or part. A text with something in it is a function. */
export const defineTexts = <const T extends Texts>(texts: {
  readonly en: T
  readonly zh: Translated<NoInfer<T>>
}): TextsOf<T> => texts

/** The texts in the language of the page. */
export function useTexts<T extends Texts>(texts: TextsOf<T>): Translated<T> {
  return textsIn(texts, useLanguage().language)
}

/** The texts in one language. */
export const textsIn = <T extends Texts>(texts: TextsOf<T>, language: Language): Translated<T> =>
  texts[language] as Translated<T> // English has the shape of its own translation

/** `one` or `other`, as English counts. */
export const counted = (count: number, one: string, other: string): string => `${count} ${count === 1 ? one : other}`
