import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { AuthError } from '../../../errors.ts'
import type { Translate, Translations } from '../templates.ts'
import { type FormatMessage, messageFormat } from './message-format.ts'
import { negotiateLanguage } from './negotiate.ts'
import { PACKAGE_LANGUAGES } from './package-languages.ts'

/** English text to its translation. */
export type Catalogue = Readonly<Record<string, string>>

export interface TranslationOptions {
  /** Offered languages in lower case (`en`, `de`, `zh-hans`); the first is the default. */
  readonly languages: readonly string[]
  /** Texts of the host by language, in any case (`pt-BR`); they win over the package's. */
  readonly extra?: Readonly<Record<string, Catalogue>>
}

type Values = Readonly<Record<string, string | number>>

/** The package's catalogues: `<language>.json`, flat. */
const PACKAGE_LOCALES = fileURLToPath(new URL('../../../../locales', import.meta.url))

// A key is never looked up on the prototype of an object.
type Texts = ReadonlyMap<string, string>

/**
 * A text that no catalogue has is shown in English; `de-at` and `zh-cn` have the texts of `de` and `zh-hans`.
 * @throws {AuthError} `settings_invalid`, naming language and key, when a text of the host has a fault
 */
export function createTranslations({ languages, extra = {} }: TranslationOptions): Translations {
  const hosts = textsOfHost(extra)
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
      const made = translator(language, () => loaded.get(language) ?? hosts.get(language) ?? NO_TEXTS)
      translators.set(language, made)
      return made
    },
    load(language) {
      const known = loading.get(language)
      if (known) return known
      const started = loadTexts(language, hosts.get(language) ?? NO_TEXTS).then(
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

const NO_TEXTS: Texts = new Map()

function textsOfHost(extra: Readonly<Record<string, Catalogue>>): ReadonlyMap<string, Texts> {
  const texts = new Map<string, Texts>()
  for (const [name, catalogue] of Object.entries(extra)) {
    for (const [key, text] of Object.entries(catalogue)) if (needsFormat(text)) requireFormat(name, key, text)
    const language = name.toLowerCase().replaceAll('_', '-')
    texts.set(language, new Map([...(texts.get(language) ?? []), ...Object.entries(catalogue)]))
  }
  return texts
}

function requireFormat(language: string, key: string, text: string): void {
  try {
    messageFormat(text, 'en')
  } catch (cause) {
    const message = `The translation of "${key}" (${language}) has a fault: ${text}`
    throw new AuthError('settings_invalid', { message, cause })
  }
}

/** The package's texts, in the nearest of its languages, with the host's over them. */
async function loadTexts(language: string, hosts: Texts): Promise<Texts> {
  const nearest = negotiateLanguage(language, PACKAGE_LANGUAGES)
  const own = nearest === 'en' ? {} : await readCatalogue(nearest)
  return new Map([...Object.entries(own), ...hosts])
}

async function readCatalogue(language: string): Promise<Catalogue> {
  const path = `${PACKAGE_LOCALES}/${language}.json`
  return checkCatalogue(JSON.parse(await readFile(path, 'utf8')), path)
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
  const filled = (text: string, values: Values, textLanguage: string): string | null => {
    if (!text.includes('{')) return text
    if (!needsFormat(text)) return fill(text, values)
    const format = formats.get(text) ?? formatOf(text, textLanguage)
    formats.set(text, format)
    return format(values)
  }
  return (key, values = {}) => {
    const translated = texts().get(key)
    return (translated === undefined ? null : filled(translated, values, language)) ?? filled(key, values, 'en') ?? key
  }
}

/** A text that only looks like one to fill, as a host's label may, is shown as it is. */
function formatOf(text: string, language: string): FormatMessage {
  try {
    return messageFormat(text, language)
  } catch (error) {
    if (error instanceof SyntaxError) return () => null
    throw error
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
