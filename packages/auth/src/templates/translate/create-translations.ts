import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Translate, Translations } from '../templates.ts'
import { type FormatMessage, messageFormat } from './message-format.ts'
import { negotiateLanguage } from './negotiate.ts'

/** English text to its translation. */
export type Catalogue = Readonly<Record<string, string>>

export interface TranslationOptions {
  /** Offered languages in lower case (`en`, `de`, `zh-hans`); the first is the default. */
  readonly languages: readonly string[]
  /** Texts of the host by language; they win over the package's. */
  readonly extra?: Readonly<Record<string, Catalogue>>
}

type Values = Readonly<Record<string, string | number>>

/** The package's catalogues: `<language>.json`, flat. */
const PACKAGE_LOCALES = fileURLToPath(new URL('../../../locales', import.meta.url))

// A key is never looked up on the prototype of an object.
type Texts = ReadonlyMap<string, string>

/** A text that no catalogue has is shown in English. */
export function createTranslations({ languages, extra = {} }: TranslationOptions): Translations {
  const loaded = new Map<string, Texts>()
  const loading = new Map<string, Promise<void>>()
  const translators = new Map<string, Translate>()
  const negotiated = new Map<string, string>()

  return {
    negotiate(acceptLanguage) {
      const header = acceptLanguage ?? ''
      const known = negotiated.get(header)
      if (known !== undefined) return known
      const language = negotiateLanguage(header, languages)
      if (negotiated.size >= 200) negotiated.clear()
      if (header.length <= 100) negotiated.set(header, language)
      return language
    },
    translator(language) {
      const known = translators.get(language)
      if (known) return known
      const made = translator(language, () => loaded.get(language) ?? new Map(Object.entries(extra[language] ?? {})))
      translators.set(language, made)
      return made
    },
    load(language) {
      const known = loading.get(language)
      if (known) return known
      const started = loadTexts(language, extra[language] ?? {}).then(
        (texts) => void loaded.set(language, texts),
        (error: unknown) => {
          loading.delete(language)
          throw error
        },
      )
      loading.set(language, started)
      return started
    },
  }
}

/** The package's texts with the host's over them. @throws {Error} naming language and text of a fault */
async function loadTexts(language: string, extra: Catalogue): Promise<Texts> {
  const own = language === 'en' ? {} : await readCatalogue(language)
  const texts = new Map([...Object.entries(own), ...Object.entries(extra)])
  for (const [key, text] of texts) {
    if (!needsFormat(text)) continue
    try {
      messageFormat(text, language)
    } catch (cause) {
      throw new Error(`The translation of "${key}" (${language}) has a fault: ${text}`, { cause })
    }
  }
  return texts
}

async function readCatalogue(language: string): Promise<Catalogue> {
  if (!/^[a-z0-9-]+$/.test(language)) throw new Error(`"${language}" is not the name of a language.`)
  const path = `${PACKAGE_LOCALES}/${language}.json`
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    // A language that only the host has texts for.
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {}
    throw error
  }
  return checkCatalogue(JSON.parse(text), path)
}

function checkCatalogue(value: unknown, path: string): Catalogue {
  if (typeof value !== 'object' || value === null) throw new Error(`${path} is not an object of texts.`)
  return Object.fromEntries(
    Object.entries(value).map(([key, text]: [string, unknown]) => {
      if (typeof text !== 'string') throw new Error(`${path}: the translation of "${key}" is not a text.`)
      return [key, text]
    }),
  )
}

function translator(language: string, texts: () => Texts): Translate {
  const formats = new Map<string, FormatMessage>()
  return (key, values = {}) => {
    const translated = texts().get(key)
    const text = translated ?? key
    if (!text.includes('{')) return text
    if (!needsFormat(text)) return fill(text, values)
    const format = formats.get(text) ?? messageFormat(text, translated === undefined ? 'en' : language)
    formats.set(text, format)
    return format(values)
  }
}

const PLACEHOLDER = /\{\s*(\w+)\s*\}/g

/** Whether a text holds more than `{name}`: plural forms, formats, quoted braces. */
const needsFormat = (text: string): boolean => /[{}]/.test(text.replace(PLACEHOLDER, ''))

/** A value that is missing leaves its placeholder, which is better than no page. */
const fill = (text: string, values: Values): string =>
  text.replace(PLACEHOLDER, (placeholder, name: string) =>
    Object.hasOwn(values, name) ? String(values[name]) : placeholder,
  )
