import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { oidcHooks } from './oauth/client-routes.ts'
import { TRANSLATIONS } from './translations.ts'

const TEMPLATES = fileURLToPath(new URL('../../templates', import.meta.url))
const LOCALES = fileURLToPath(new URL('../../../auth/locales', import.meta.url))
const LANGUAGES = ['de', 'es', 'fr', 'zh-hans']

/** Every text that the gateway's own templates show. */
const templateTexts = readdirSync(TEMPLATES, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8'))
  .flatMap((source) => Array.from(source.matchAll(/\{%-?\s*t\s+(?:'([^']*)'|"([^"]*)")|'([^']*)'\s*\|\s*t\b/g)))
  .map(([, single, double, filtered]) => single ?? double ?? filtered ?? '')

/** What the consent page says about each scope of the gateway. */
function scopeTexts(): readonly string[] {
  if (typeof oidcHooks !== 'function') throw new Error('The OpenID Connect hooks build on the default ones.')
  type Defaults = Parameters<typeof oidcHooks>[0]
  const defaults: Pick<Defaults, 'scopeDisplay' | 'readOnlyScopes'> = { scopeDisplay: {}, readOnlyScopes: [] }
  const hooks = oidcHooks(defaults as Defaults) // it reads only these
  return Object.values(hooks.scopeDisplay ?? {})
}

/** The account pages' translations of a language. */
function accountTexts(language: string): Readonly<Record<string, string>> {
  return JSON.parse(readFileSync(join(LOCALES, `${language}.json`), 'utf8')) as Record<string, string> // held by a test of auth
}

it('covers the languages of the account pages', () => {
  expect(Object.keys(TRANSLATIONS)).toEqual(LANGUAGES)
})

describe.each(LANGUAGES)('the texts in %s', (language) => {
  const own = TRANSLATIONS[language] ?? {}

  it('include every text of the templates', () => {
    expect(templateTexts.length).toBeGreaterThan(10)
    const known = { ...accountTexts(language), ...own }
    expect(templateTexts.filter((text) => !Object.hasOwn(known, text))).toEqual([])
  })

  it('include the description of every scope', () => {
    expect(scopeTexts().length).toBeGreaterThan(4)
    expect(scopeTexts().filter((text) => !Object.hasOwn(own, text))).toEqual([])
  })

  it('keep the placeholders of each text', () => {
    const placeholders = (text: string): readonly string[] => (text.match(/\{\w+\}/g) ?? []).toSorted()
    for (const [text, translation] of Object.entries(own)) {
      expect([text, placeholders(translation)]).toEqual([text, placeholders(text)])
    }
  })
})
