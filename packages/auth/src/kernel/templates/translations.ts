import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { AuthError } from '../../errors.ts'

/** Translates into the visitor's language: `key` is the English text, with ICU placeholders. */
export type Translate = (key: string, values?: Readonly<Record<string, string | number>>) => string

/** The package's translation catalogs, with the texts that a host adds. */
export interface Translations {
  /**
   * Returns the configured language that best matches an `Accept-Language` header (RFC 9110 section 12.5.4), e.g. `de`.
   */
  negotiate(acceptLanguage: string | null): string
  /** Returns the translator of a language. Always returns the same function for a language. */
  translator(language: string): Translate
  /** Loads a language's catalog once. Its translator translates only after that. English needs no catalog. */
  load(language: string): Promise<void>
}

/** English text to its translation. */
type Catalogue = Readonly<Record<string, string>>

interface TranslationOptions {
  /** Offered languages in lower case (`en`, `de`, `zh-hans`); the first is the default. */
  readonly languages: readonly string[]
  /** The host's texts by language (`pt-BR`, case-insensitive). They override the package's. */
  readonly extra?: Readonly<Record<string, Catalogue>>
}

type Values = Readonly<Record<string, string | number>>

/** The folder of the package's catalogs: `<language>.json`, flat. */
const PACKAGE_LOCALES = fileURLToPath(new URL('../../../locales', import.meta.url))

// A map, so that keys aren't looked up on an object's prototype.
type Texts = ReadonlyMap<string, string>

/**
 * Creates the translations of a site. Texts without a translation are shown in English. `de-at` and `zh-cn` use the
 * texts of `de` and `zh-hans`.
 * @throws {AuthError} `settings_invalid`, with the language and key, if one of the host's texts has a syntax error
 */
export function createTranslations({ languages, extra = {} }: TranslationOptions): Translations {
  const hostTexts = collectHostTexts(extra)
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
      const created = createTranslator(language, () => loaded.get(language) ?? hostTexts.get(language) ?? NO_TEXTS)
      translators.set(language, created)
      return created
    },
    load(language) {
      const known = loading.get(language)
      if (known) return known
      const started = loadTexts(language, hostTexts.get(language) ?? NO_TEXTS).then(
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

function collectHostTexts(extra: Readonly<Record<string, Catalogue>>): ReadonlyMap<string, Texts> {
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
    parseMessage(text, 'en')
  } catch (cause) {
    const message = `The translation of "${key}" (${language}) is malformed: ${text}`
    throw new AuthError('settings_invalid', { message, cause })
  }
}

/** Loads the package's texts in the nearest language, overridden by the host's. */
async function loadTexts(language: string, hostTexts: Texts): Promise<Texts> {
  const nearest = negotiateLanguage(language, PACKAGE_LANGUAGES)
  const own = nearest === 'en' ? {} : await readCatalogue(nearest)
  return new Map([...Object.entries(own), ...hostTexts])
}

async function readCatalogue(language: string): Promise<Catalogue> {
  const path = `${PACKAGE_LOCALES}/${language}.json`
  return parseCatalogue(JSON.parse(await readFile(path, 'utf8')), path)
}

function parseCatalogue(value: unknown, path: string): Catalogue {
  if (typeof value !== 'object' || value === null) throw new Error(`${path} is not an object of texts.`)
  return Object.fromEntries(
    Object.entries(value).map(([key, text]: [string, unknown]) => {
      if (typeof text !== 'string') throw new Error(`${path}: the translation of "${key}" is not a text.`)
      return [key, text]
    }),
  )
}

function createTranslator(language: string, texts: () => Texts): Translate {
  const formats = new Map<string, FormatMessage>()
  const fillText = (text: string, values: Values, textLanguage: string): string | null => {
    if (!text.includes('{')) return text
    if (!needsFormat(text)) return fillPlaceholders(text, values)
    const format = formats.get(text) ?? tryParseMessage(text, textLanguage)
    formats.set(text, format)
    return format(values)
  }
  return (key, values = {}) => {
    const translated = texts().get(key)
    return (
      (translated === undefined ? null : fillText(translated, values, language)) ?? fillText(key, values, 'en') ?? key
    )
  }
}

/** Returns the format of a text. A text that only looks like a format, such as a host's label, is shown unchanged. */
function tryParseMessage(text: string, language: string): FormatMessage {
  try {
    return parseMessage(text, language)
  } catch (error) {
    if (error instanceof SyntaxError) return () => null
    throw error
  }
}

const PLACEHOLDER = /\{\s*(\w+)\s*\}/g

/**
 * Returns whether a text contains more than simple placeholders such as `{name}`: plural forms, formats, or quoted
 * braces.
 */
const needsFormat = (text: string): boolean => /[{}]/.test(text.replace(PLACEHOLDER, ''))

/** Fills placeholders. Keeps a placeholder without a value, rather than failing the page. */
const fillPlaceholders = (text: string, values: Values): string =>
  text.replace(PLACEHOLDER, (placeholder, name: string) =>
    Object.hasOwn(values, name) ? String(values[name]) : placeholder,
  )

/** Formats a text with plural forms and the like; `null` if a value is missing or has the wrong type. */
type FormatMessage = (values: Readonly<Record<string, string | number>>) => string | null

type Library = typeof import('intl-messageformat')

let library: Library | null = null

/**
 * Parses a text in ICU MessageFormat syntax. The first call loads the library synchronously, because few texts need it
 * and translating is synchronous.
 * @param language As in BCP 47.
 * @throws {SyntaxError} if the text is malformed
 */
function parseMessage(text: string, language: string): FormatMessage {
  library ??= createRequire(import.meta.url)('intl-messageformat') as Library // the type of the same module
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

/** Longer headers are truncated. No browser sends one. */
const MAX_LENGTH = 1_000
const WEIGHT = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/

/**
 * Returns the language that best matches an `Accept-Language` header, or the first of `languages` if none matches. A
 * range matches the same tag, or else the same language and script: `zh-CN` and `zh` match `zh-hans`, `zh-TW` doesn't,
 * and `de-AT` matches `de`.
 * @see RFC 9110 section 12.5.4 (weights), RFC 4647 section 3.4 (lookup), UTS 35 "Likely Subtags"
 */
function negotiateLanguage(acceptLanguage: string | null, languages: readonly string[]): string {
  const first = languages[0] ?? 'en'
  const offered = languages.map((language) => ({ language, locale: parseLocale(language) }))
  for (const range of parseRanges(acceptLanguage ?? '')) {
    if (range === '*') return first
    const wanted = parseLocale(range)
    if (!wanted) continue
    const exact = offered.find(({ locale }) => locale?.tag === wanted.tag)
    const near = offered.find(({ locale }) => locale?.language === wanted.language && locale.script === wanted.script)
    const found = exact ?? near
    if (found) return found.language
  }
  return first
}

/** Parses the ranges with a weight above 0, sorted by weight. */
function parseRanges(header: string): readonly string[] {
  return header
    .slice(0, MAX_LENGTH)
    .split(',')
    .map((entry) => {
      const [range = '', ...parameters] = entry.split(';').map((part) => part.trim())
      const weight = parameters.find((parameter) => /^q\s*=/i.test(parameter))?.replace(/^q\s*=\s*/i, '')
      return { range, weight: weight === undefined ? 1 : WEIGHT.test(weight) ? Number(weight) : 0 }
    })
    .filter(({ range, weight }) => range !== '' && weight > 0)
    .toSorted((a, b) => b.weight - a.weight)
    .map(({ range }) => range)
}

interface Locale {
  readonly tag: string
  readonly language: string
  readonly script: string | undefined
}

/** Parses a language tag; `null` if it's invalid. */
function parseLocale(tag: string): Locale | null {
  if (!/^[a-z0-9-]{2,35}$/i.test(tag)) return null
  try {
    const { language, script } = new Intl.Locale(tag).maximize()
    return { tag: tag.toLowerCase(), language, script }
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

/** Languages in which the package has every text; English needs no file. */
export const PACKAGE_LANGUAGES: readonly string[] = ['en', 'de', 'es', 'fr', 'zh-hans']
