import { createContext, use } from 'react'
import { keptText } from '../browser-storage.ts'

/** The languages that the console is written in. */
export const LANGUAGES = { en: 'English', zh: '简体中文' } as const
/** The code of a language of the console. */
export type Language = keyof typeof LANGUAGES
/** The codes of all languages of the console. */
export const LANGUAGE_NAMES: readonly Language[] = ['en', 'zh']

/** As `lang` of HTML and `Intl` name them. */
export const LANGUAGE_TAGS: Readonly<Record<Language, string>> = { en: 'en', zh: 'zh-Hans' }

const kept = keptText('browser', 'gatepost-language')

/** What the visitor has chosen, else what their browser prefers. */
export function initialLanguage(): Language {
  const chosen = kept.get()
  if (chosen === 'en' || chosen === 'zh') return chosen
  const first = navigator.languages.find((tag) => /^(?:en|zh)\b/i.test(tag))
  return first !== undefined && /^zh/i.test(first) ? 'zh' : 'en'
}

/** Remembers the choice in this browser. */
export const keepLanguage = (language: Language): void => kept.set(language)

/** The language of the page, and how to change it. */
export interface LanguageChoice {
  readonly language: Language
  change(language: Language): void
}

/** The selected language, and how to change it. */
export const LanguageContext = createContext<LanguageChoice>({ language: 'en', change: () => undefined })

/** The language of the page. */
export const useLanguage = (): LanguageChoice => use(LanguageContext)
