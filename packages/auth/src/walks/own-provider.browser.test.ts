import { launchBrowser, type TestBrowser } from '@gatepost/emulators/browser'
import { pageFaults } from '@gatepost/emulators/page-checks'
import { testDatabases } from '@gatepost/sql/testing'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type BrowserSite, browserSite } from '../testing/browser-site.ts'

const PASSWORD = 'a lighthouse keeper 7'
const EMAIL = 'ada@example.org'

describe.each(testDatabases)('one site that signs in through the other on %s', (_name, open) => {
  let browser: TestBrowser
  let provider: BrowserSite
  let site: BrowserSite
  let siteOrigin: string
  beforeAll(async () => {
    browser = await launchBrowser()
  })
  afterAll(() => browser.close())
  beforeEach(async () => {
    const quiet = {
      account: { emailVerification: 'none', logoutRedirectUrl: 'account_login' },
      loginRedirectUrl: '/accounts/email/',
    } as const
    provider = await browserSite({ ...quiet, idpOidc: { enabled: true }, siteName: 'Home' }, open)
    site = await browserSite({ ...quiet, socialaccount: { enabled: true, storeTokens: true }, siteName: 'Wiki' }, open)
    // Another host than the provider's: cookies do not know ports.
    siteOrigin = site.origin.replace('localhost', '127.0.0.1')
    await provider.world.addUser({ username: 'ada', email: EMAIL, firstName: 'Ada', password: PASSWORD })
    const { auth } = provider.world
    const { client, secret } = await auth.module('oidc').clients.create(auth.kernel.database.db, {
      name: 'Wiki',
      scopes: ['openid', 'email', 'profile'],
      redirectUris: [`${siteOrigin}/accounts/oidc/home/login/callback/`],
    })
    await site.world.auth.module('social').apps.create(site.world.auth.kernel.database.db, {
      provider: 'openid_connect',
      providerId: 'home',
      name: 'Home',
      clientId: client.id,
      secret: secret ?? '',
      settings: { server_url: provider.origin },
    })
  })
  afterEach(async () => {
    await browser.closePages()
    await site.close()
    await provider.close()
  })

  const press = async (page: Page, name: string): Promise<void> => {
    const button = page.getByRole('main').getByRole('button', { name, exact: true })
    await Promise.all([page.waitForEvent('load'), button.click()])
    await page.waitForLoadState('load')
  }
  const shown = async (page: Page): Promise<string> => (await page.locator('body').innerText()).replaceAll(/\s+/g, ' ')

  it('asks for sign-in and consent, once', async () => {
    const page = await browser.open(`${siteOrigin}/accounts/login/`, { origins: [provider.origin] })
    expect(await pageFaults(page)).toEqual([])
    await press(page, 'Home')
    await page.waitForURL((url) => url.origin === provider.origin)
    await page.getByLabel('Username', { exact: false }).fill('ada')
    await page.getByLabel('Password').fill(PASSWORD)
    await press(page, 'Sign in')
    expect(await shown(page)).toContain('Wiki')
    expect(await pageFaults(page)).toEqual([])
    await press(page, 'Allow')
    await page.waitForURL((url) => url.href.startsWith(`${siteOrigin}/accounts/email/`))
    const { auth } = site.world
    const [user] = await auth.kernel.users.list(auth.kernel.database.db, { limit: 10, after: null })
    expect(user).toMatchObject({ username: 'ada', email: EMAIL, firstName: 'Ada', hasUsablePassword: false })
    const [account] =
      user === undefined ? [] : await auth.module('social').accounts.ofUser(auth.kernel.database.db, user.id)
    expect(account).toMatchObject({ provider: 'home', uid: '1' })
    expect(await auth.account.emails.ofUser(auth.kernel.database.db, user?.id ?? '')).toMatchObject([
      { email: EMAIL, verified: true },
    ])

    await page.goto(`${siteOrigin}/accounts/logout/`)
    await press(page, 'Sign out')
    await page.goto(`${siteOrigin}/accounts/login/`)
    await press(page, 'Home')
    await page.waitForURL((url) => url.href.startsWith(`${siteOrigin}/accounts/email/`))
    await page.goto(`${siteOrigin}/accounts/3rdparty/`)
    expect(await shown(page)).toContain('Home')
    expect(await pageFaults(page)).toEqual([])
  })

  it('gets an error when the user declines', async () => {
    const page = await browser.open(`${provider.origin}/accounts/login/`, { origins: [siteOrigin] })
    await page.getByLabel('Username', { exact: false }).fill('ada')
    await page.getByLabel('Password').fill(PASSWORD)
    await press(page, 'Sign in')
    await page.goto(`${siteOrigin}/accounts/login/`)
    await press(page, 'Home')
    await press(page, 'Deny')
    await page.waitForURL(`${siteOrigin}/accounts/3rdparty/login/cancelled/`)
    const { auth } = site.world
    expect(await auth.kernel.users.list(auth.kernel.database.db, { limit: 10, after: null })).toEqual([])
  })
})
