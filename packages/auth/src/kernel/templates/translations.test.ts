import { describe, expect, it } from 'vitest'
import { authWorld } from '../../testing/auth-world.ts'
import { createTranslations } from './translations.ts'

const LANGUAGES = ['en', 'de', 'es', 'fr', 'zh-hans']

describe('the language of a request', () => {
  const cases: readonly [header: string | null, language: string][] = [
    [null, 'en'],
    ['', 'en'],
    ['de', 'de'],
    ['de-AT, en;q=0.5', 'de'],
    ['en;q=0.5, fr;q=0.9', 'fr'],
    ['nl, es;q=0.1', 'es'],
    ['zh', 'zh-hans'],
    ['zh-CN', 'zh-hans'],
    ['ZH-HANS-SG', 'zh-hans'],
    ['zh-TW, de;q=0.1', 'de'],
    ['fr;q=0, de;q=0', 'en'],
    ['*', 'en'],
    ['nl, *;q=0.5, de;q=0.1', 'en'],
    ['de;q=x, fr;q=0.2', 'fr'],
    ['de;q=1.5, fr;q=0.2', 'fr'],
    ['__proto__, <script>, ;;;,,, de', 'de'],
  ]
  it.each(cases)('%s is %s', (header, language) => {
    expect(createTranslations({ languages: LANGUAGES }).negotiate(header)).toBe(language)
  })
  it('is found in a header of any length', () => {
    const header = `fr;q=0.1,${'xx,'.repeat(100_000)}`
    expect(createTranslations({ languages: LANGUAGES }).negotiate(header)).toBe('fr')
  })
  it('is the first one offered when nothing fits', () => {
    expect(createTranslations({ languages: ['fr', 'en'] }).negotiate('nl')).toBe('fr')
  })
})

describe('a text', () => {
  const extra = {
    de: {
      'Hello, {name}.': 'Hallo, {name}!',
      '{n, plural, one {# day} other {# days}}': '{n, plural, one {# Tag} other {# Tage}}',
    },
    pl: { '{n, plural, one {# day} other {# days}}': '{n, plural, one {# plik} few {# pliki} other {# plików}}' },
  }
  const translations = createTranslations({ languages: ['en', 'de', 'pl'], extra })
  const cases: readonly [language: string, key: string, values: Record<string, string | number>, text: string][] = [
    ['de', 'Hello, {name}.', { name: '{n}' }, 'Hallo, {n}!'],
    ['de', 'Nobody translated {this}.', { this: 'it' }, 'Nobody translated it.'],
    ['de', '{n, plural, one {# day} other {# days}}', { n: 1 }, '1 Tag'],
    ['pl', '{n, plural, one {# day} other {# days}}', { n: 3 }, '3 pliki'],
    ['en', '{n, plural, one {# day} other {# days}}', { n: 3 }, '3 days'],
    ['en', 'Hello, {name}.', {}, 'Hello, {name}.'],
    ['en', "Don't <b>.", {}, "Don't <b>."],
    ['en', 'constructor', {}, 'constructor'],
    ['en', '{toString}', {}, '{toString}'],
    ['de', 'No {form of a text', {}, 'No {form of a text'],
  ]
  it.each(cases)('in %s: %s', async (language, key, values, text) => {
    await translations.load(language)
    expect(translations.translator(language)(key, values)).toBe(text)
  })
  it('with a fault is found at the start', () => {
    const broken = { xx: { key: '{n, plural, one {a}}' } }
    expect(() => createTranslations({ languages: ['en'], extra: broken })).toThrow(/"key" \(xx\)/)
  })
  it('of a language in any spelling is shown', async () => {
    const { translator, load } = createTranslations({ languages: ['pt-br'], extra: { pt_BR: { Yes: 'Sim' } } })
    await load('pt-br')
    expect(translator('pt-br')('Yes')).toBe('Sim')
  })
  it.each(['{other, plural, other {# Tage}}', '{n, number, ::currency/XYZ1}'])(
    'that needs a missing value is shown in English: %s',
    async (wrong) => {
      const key = '{n, plural, one {# day} other {# days}}'
      const { translator, load } = createTranslations({ languages: ['de'], extra: { de: { [key]: wrong } } })
      await load('de')
      expect(translator('de')(key, { n: 3 })).toBe('3 days')
      expect(translator('de')(key, {})).toBe(key)
    },
  )
  it('is never read from a file elsewhere', async () => {
    const { load, translator } = createTranslations({ languages: ['en'] })
    await load('../package')
    expect(translator('../package')('name')).toBe('name')
  })
})

it.each([
  ['LANGUAGE_CODE without a preference', {}, 'de'],
  ['LANGUAGE_CODE for an unavailable language', { language: 'fi' }, 'de'],
  ['the preferred language', { language: 'fr, de;q=0.5' }, 'fr'],
])('shows %s', async (_why, visitor, language) => {
  const world = await authWorld({ settings: { languageCode: 'de' } })
  const page = await world.visitor(visitor).get('/accounts/login/')
  expect(page.html).toContain(`<html lang="${language}"`)
  await world.close()
})

it.each([
  ['de-at', 'Anmelden'],
  ['zh-cn', '登录'],
  ['zh_Hans_SG', '登录'],
  ['zh-tw', 'Sign in'],
  ['en-us', 'Sign in'],
  ['nl', 'Sign in'],
])('a site in %s shows the nearest texts there are', async (languageCode, title) => {
  const world = await authWorld({ settings: { languageCode, languages: [] } })
  const page = await world.visitor({ language: languageCode }).get('/accounts/login/')
  expect(page.html).toContain(`<html lang="${languageCode.toLowerCase().replaceAll('_', '-')}"`)
  expect(page.text).toContain(title)
  await world.close()
})
