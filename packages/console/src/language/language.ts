import { createContext, use } from 'react'
import { storedText } from '../browser-storage.ts'

/** The languages of the console. */
export const LANGUAGES = { en: 'English', zh: '简体中文' } as const
/** The code of a language of the console. */
export type Language = keyof typeof LANGUAGES
/** The codes of all languages of the console. */
export const LANGUAGE_NAMES: readonly Language[] = ['en', 'zh']

/** BCP 47 tags for `lang` and `Intl`. */
export const LANGUAGE_TAGS: Readonly<Record<Language, string>> = { en: 'en', zh: 'zh-Hans' }

const storedLanguage = storedText('browser', 'gatepost-language')

/** Returns the stored language, or the one the browser prefers. */
export function initialLanguage(): Language {
  const chosen = storedLanguage.get()
  if (chosen === 'en' || chosen === 'zh') return chosen
  const first = navigator.languages.find((tag) => /^(?:en|zh)\b/i.test(tag))
  return first !== undefined && /^zh/i.test(first) ? 'zh' : 'en'
}

/** Stores the language in this browser. */
export const storeLanguage = (language: Language): void => storedLanguage.set(language)

/** The page's language and a function to change it. */
interface LanguageChoice {
  readonly language: Language
  change(language: Language): void
}

/** The selected language, and how to change it. */
export const LanguageContext = createContext<LanguageChoice>({ language: 'en', change: () => undefined })

/** Returns the page's language. */
export const useLanguage = (): LanguageChoice => use(LanguageContext)

type TextFunction = (...given: never[]) => string
type Texts = { readonly [name: string]: string | TextFunction | Texts }

/** The same keys in another language. */
type Translated<T> = T extends string
  ? string
  : T extends (...given: infer G) => string
    ? (...given: G) => string
    : { readonly [N in keyof T]: Translated<T[N]> }

/** The texts of a page or component in every language. The type makes sure none is missing. */
interface TextSet<T> {
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
