import { launchBrowser, type TestBrowser } from '@gatepost/emulators/browser'
import { pageFaults } from '@gatepost/emulators/page-checks'
import { serve, type ServerType } from '@hono/node-server'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type AuthWorld, authWorld } from './testing/auth-world.ts'

let browser: TestBrowser
beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser.close())

interface Site {
  readonly world: AuthWorld
  readonly origin: string
  close(): Promise<void>
}

async function site(settings: NonNullable<Parameters<typeof authWorld>[0]>['settings']): Promise<Site> {
  const world = await authWorld({ settings: { ...settings, loginRedirectUrl: '/accounts/email/' } })
  const listening = Promise.withResolvers<number>()
  const server: ServerType = serve(
    { fetch: (request) => world.auth.fetch(request, { remoteAddress: '127.0.0.1' }), port: 0, hostname: '127.0.0.1' },
    ({ port }) => listening.resolve(port),
  )
  const origin = `http://127.0.0.1:${await listening.promise}`
  return {
    world,
    origin,
    async close() {
      server.close()
      await world.close()
    },
  }
}

const linkIn = (text: string): string => /https?:\/\/\S+/.exec(text)?.[0] ?? ''
const press = (page: Page, name: string | RegExp): Promise<void> =>
  page.getByRole('main').getByRole('button', { name }).first().click()

afterEach(() => browser.closePages())

describe.each(['light', 'dark'] as const)('a person without scripts, in %s', (theme) => {
  it('signs up, signs out, resets the password by mail, and adds a second address', async () => {
    const { world, origin, close } = await site({
      account: {
        loginMethods: ['email'],
        signupFields: ['email*', 'password1*', 'password2*'],
        logoutRedirectUrl: '/accounts/login/',
      },
    })
    const page = await browser.open(`${origin}/accounts/signup/`, { theme, width: 390 })
    const faults: string[] = []
    const look = async (): Promise<void> => {
      await page.waitForLoadState('load')
      faults.push(...(await pageFaults(page)).map((fault) => `${new URL(page.url()).pathname}: ${fault}`))
    }
    await look()
    await page.getByLabel('Email address').fill('ada@example.org')
    await page.getByLabel('Password', { exact: true }).fill('short')
    await page.getByLabel('Confirm password').fill('short')
    await press(page, /create/i)
    expect(await page.getByLabel('Password', { exact: true }).getAttribute('aria-invalid')).toBe('true')
    await look()
    await page.getByLabel('Password', { exact: true }).fill('a lighthouse keeper')
    await page.getByLabel('Confirm password').fill('a lighthouse keeper')
    await press(page, /create/i)
    expect(new URL(page.url()).pathname).toBe('/accounts/email/')
    await look()

    await page.goto(linkIn((await world.mailTo('ada@example.org')).text))
    await look()
    await press(page, /yes, verify/i)
    await page.goto(`${origin}/accounts/logout/`)
    await look()
    await press(page, /sign out/i)

    await page.goto(`${origin}/accounts/login/`)
    await look()
    await page.getByRole('link', { name: /forgot/i }).click()
    await look()
    await page.getByLabel('Email address').fill('ada@example.org')
    await press(page, /.+/)
    expect(new URL(page.url()).pathname).toBe('/accounts/password/reset/done/')
    await look()
    await page.goto(linkIn((await world.mailTo('ada@example.org')).text))
    expect(page.url()).not.toMatch(/key\/\w+-\w{6}-/)
    await look()
    await page
      .getByLabel(/new password/i)
      .first()
      .fill('another lighthouse')
    await page.getByLabel('Confirm new password').fill('another lighthouse')
    await press(page, /.+/)
    expect(new URL(page.url()).pathname).toBe('/accounts/password/reset/key/done/')
    await look()

    await page.goto(`${origin}/accounts/login/`)
    await page.getByLabel('Email address').fill('ada@example.org')
    await page.getByLabel('Password').fill('another lighthouse')
    await press(page, /sign in/i)
    await page.getByLabel('Email address').fill('lovelace@example.org')
    await press(page, /add/i)
    await look()
    await page.goto(linkIn((await world.mailTo('lovelace@example.org')).text))
    await press(page, /yes, verify/i)
    await page.goto(`${origin}/accounts/email/`)
    const second = page.getByRole('radio', { name: /lovelace/ })
    await second.check()
    await press(page, /primary/i)
    expect(await page.getByRole('radio', { name: /lovelace/ }).isChecked()).toBe(true)
    await look()
    expect(faults).toEqual([])
    await close()
  })
})
