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
export interface LanguageChoice {
  readonly language: Language
  change(language: Language): void
}

/** The selected language, and how to change it. */
export const LanguageContext = createContext<LanguageChoice>({ language: 'en', change: () => undefined })

/** Returns the page's language. */
export const useLanguage = (): LanguageChoice => use(LanguageContext)
