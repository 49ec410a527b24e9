import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { launchBrowser, type TestBrowser } from '@gatepost/emulators/browser'
import { pageFaults, walkFocus } from '@gatepost/emulators/page-checks'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { frameContext, galleryPages } from '../../testing/gallery.ts'
import { createTemplates } from './templates.ts'
import { createTranslations } from './translations.ts'

const CSP =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'self'"
const ASSETS: Readonly<Record<string, string>> = {
  'auth.css': 'text/css',
  'mark.svg': 'image/svg+xml',
  'webauthn.js': 'text/javascript',
  'copy-text.js': 'text/javascript',
  'telegram.js': 'text/javascript',
}

/** Pages with only one link or button other than the link to the site. */
const ONE_BUTTON: ReadonlySet<string> = new Set([
  '/accounts/google/login/',
  '/accounts/telegram/login/callback/',
  '/accounts/3rdparty/login/error/',
  '/accounts/3rdparty/login/cancelled/',
])

let server: Server
let origin: string
let browser: TestBrowser
beforeAll(async () => {
  const templates = createTemplates()
  const t = createTranslations({ languages: ['en'] }).translator('en')
  /** `?language=ar` turns a page around. */
  const answer = async (url: URL): Promise<{ readonly type: string; readonly body: string }> => {
    const asset = url.pathname.slice('/assets/'.length)
    if (asset in ASSETS) {
      return {
        type: ASSETS[asset] ?? '',
        body: await readFile(new URL(`../../../assets/${asset}`, import.meta.url), 'utf8'),
      }
    }
    const page = galleryPages[url.pathname]
    if (!page) return { type: 'text/plain', body: '' }
    const request = { path: url.pathname, language: url.searchParams.get('language') ?? 'en' }
    const context = { ...frameContext(url.pathname), request, ...page.context }
    return { type: 'text/html', body: await templates.page(page.template, context, t) }
  }
  server = createServer((request, response) => {
    answer(new URL(request.url ?? '', 'http://localhost')).then(
      ({ type, body }) => {
        response.writeHead(200, { 'content-type': `${type}; charset=utf-8`, 'content-security-policy': CSP })
        response.end(body)
      },
      (error: unknown) => {
        response.writeHead(500, { 'content-type': 'text/plain' })
        response.end(String(error))
      },
    )
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  browser = await launchBrowser()
})
afterEach(() => browser.closePages())
afterAll(async () => {
  await browser.close()
  server.close()
})

const looks = (['light', 'dark'] as const).flatMap((theme) => [320, 1280].map((width) => ({ theme, width })))

describe.each(Object.keys(galleryPages))('%s', (path) => {
  it.each(looks)('can be read in $theme at $width px', async ({ theme, width }) => {
    const page = await browser.open(`${origin}${path}`, { theme, width })
    expect(await pageFaults(page)).toEqual([])
  })
  it('can be read from right to left', async () => {
    const page = await browser.open(`${origin}${path}?language=ar`, { width: 320 })
    expect(await pageFaults(page)).toEqual([])
  })
  it('shows where the focus is', async () => {
    const page = await browser.open(`${origin}${path}`)
    // Both ways: a page may begin with the focus on its last field.
    const met = [...(await walkFocus(page, 'Tab')), ...(await walkFocus(page, 'Shift+Tab'))]
    expect(new Set(met.map(({ name }) => name)).size).toBeGreaterThan(ONE_BUTTON.has(path) ? 1 : 2)
    expect(met.filter(({ isVisible }) => !isVisible)).toEqual([])
  })
})

it('announces a field error to screen readers, and focuses the field', async () => {
  const page = await browser.open(`${origin}/accounts/signup/`)
  const email = page.getByLabel('Email')
  expect(await email.getAttribute('aria-invalid')).toBe('true')
  expect(await page.getByRole('alert').innerText()).toContain('Too many requests')
  expect(await page.evaluate<string>('document.activeElement.id')).toBe(await email.getAttribute('id'))
  const described = await page.getByLabel('Password').getAttribute('aria-describedby')
  const texts = await Promise.all((described ?? '').split(' ').map((id) => page.locator(`#${id}`).innerText()))
  expect(texts).toEqual([
    'Use at least 8 characters.\n\nMany people use this password.',
    'At least 8 characters, and nothing that others would guess.',
  ])
  await page.getByRole('alert').getByRole('link', { name: 'Password' }).click()
  expect(await page.evaluate<string>('document.activeElement.name')).toBe('password1')
})

it('lets the keyboard skip to the content of an account page', async () => {
  const page = await browser.open(`${origin}/accounts/email/`)
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  expect(await page.evaluate<string>('document.activeElement.id')).toBe('content')
})
