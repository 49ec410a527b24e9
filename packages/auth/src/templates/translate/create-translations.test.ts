import { describe, expect, it } from 'vitest'
import { createTranslations } from './create-translations.ts'

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
  ]
  it.each(cases)('in %s: %s', async (language, key, values, text) => {
    await translations.load(language)
    expect(translations.translator(language)(key, values)).toBe(text)
  })
  it('with a fault is found when its language is loaded', async () => {
    const broken = createTranslations({ languages: ['en'], extra: { xx: { key: '{n, plural, one {a}}' } } })
    await expect(broken.load('xx')).rejects.toThrow(/"key" \(xx\)/)
  })
  it('is never read from a file elsewhere', async () => {
    await expect(createTranslations({ languages: ['en'] }).load('../package')).rejects.toThrow('not the name')
  })
})
