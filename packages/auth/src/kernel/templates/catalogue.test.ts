import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { IntlMessageFormat } from 'intl-messageformat'
import { describe, expect, it } from 'vitest'
import { textsOfSource, textsOfTemplate, visibleTexts } from '../../testing/visible-texts.ts'
import { createTranslations } from './translations.ts'

const LANGUAGES = ['de', 'es', 'fr', 'zh-hans']
const LOCALES = fileURLToPath(new URL('../../../locales', import.meta.url))
const texts = visibleTexts()

/** The catalogue of a language as it is in its file. */
function catalogue(language: string): Readonly<Record<string, string>> {
  const value: unknown = JSON.parse(readFileSync(join(LOCALES, `${language}.json`), 'utf8'))
  return value as Record<string, string> // the translations refuse anything else when they load it
}

type Message = ReturnType<IntlMessageFormat['getAst']>

/** Names of the placeholders, and whether each is a number (of a plural form) or a text. */
function placeholders(text: string): ReadonlyMap<string, 'number' | 'text'> {
  const found = new Map<string, 'number' | 'text'>()
  const look = (message: Message): void => {
    for (const element of message) {
      if ('options' in element) {
        found.set(element.value, 'number')
        for (const option of Object.values(element.options)) look(option.value)
      } else if (element.type === PLACEHOLDER) found.set(element.value, 'text')
    }
  }
  look(new IntlMessageFormat(text, 'en', undefined, { ignoreTag: true }).getAst())
  return found
}
/** Type of an element that is neither text nor a form to choose. */
const PLACEHOLDER = 1

/** One line for a comparison. */
const summary = (text: string): string =>
  Array.from(placeholders(text), ([name, kind]) => `${name}: ${kind}`)
    .toSorted()
    .join()

it('every available language has a catalog', () => {
  expect(readdirSync(LOCALES).toSorted()).toEqual(LANGUAGES.map((language) => `${language}.json`))
})

describe.each(LANGUAGES)('catalogue %s', (language) => {
  const translated = catalogue(language)

  it('has every text that visitors see', () => {
    const missing = Array.from(texts).filter(([text]) => !Object.hasOwn(translated, text))
    expect(missing.map(([text, file]) => `${file}: ${text}`)).toEqual([])
  })

  it('has no text that nothing shows', () => {
    expect(Object.keys(translated).filter((text) => !texts.has(text))).toEqual([])
  })

  it('keeps the placeholders of each text', () => {
    const broken = Object.entries(translated).filter(([text, translation]) => summary(translation) !== summary(text))
    expect(broken).toEqual([])
  })

  it('leaves no text empty and no blank at an end', () => {
    expect(Object.values(translated).filter((text) => text === '' || text !== text.trim())).toEqual([])
  })

  it('loads, and translates with and without values', async () => {
    const translations = createTranslations({ languages: ['en', ...LANGUAGES] })
    await translations.load(language)
    const t = translations.translator(language)
    for (const text of texts.keys()) {
      const names = Array.from(placeholders(text))
      const values = Object.fromEntries(names.map(([name, kind]) => [name, kind === 'number' ? 3 : `‹${name}›`]))
      const shown = t(text, values)
      for (const value of Object.values(values)) expect(shown).toContain(String(value))
      expect(shown).not.toMatch(/[{}]/)
    }
  })
})

describe('finding the texts', () => {
  it('finds them in tags and filters of templates', () => {
    const template = `{% t 'One' %}{%- t "Two {n}" n=3 -%}{{ 'Three' | t }}{% assign x = 'Four' | t %}{% element p title=('Five' | t) / %}{{ 'no' | upcase }}`
    expect(textsOfTemplate(template).toSorted()).toEqual(['Five', 'Four', 'One', 'Three', 'Two {n}'])
  })

  it('finds them in arguments of t, fields, errors, and objects of messages', () => {
    const source = `
      const error = { code: 'invalid', message: 'One' }
      export const ERROR_MESSAGES = { taken: 'Two', 'long,er': 'Three ' + 'words' } as const
      const field = { name: 'Login', label: has ? 'Four' : 'Five', helpText: 'Six', type: 'text' }
      request.t(error?.message ?? 'Seven'); t('Eight', { a: 'Nine' }); other('Ten')
      const internal = { status: 500, message: 'Eleven' }
      const named = { label: 'lower', message: text }`
    expect(textsOfSource('example.ts', source).toSorted()).toEqual(
      ['One', 'Two', 'Three words', 'Four', 'Five', 'Six', 'Seven', 'Eight'].toSorted(),
    )
  })
})
