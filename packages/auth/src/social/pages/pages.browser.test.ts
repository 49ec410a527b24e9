import { launchBrowser, type TestBrowser } from '@gatepost/emulators/browser'
import { type IdentityProviderEmulator, identityProviderEmulator } from '@gatepost/emulators/identity-provider'
import { pageFaults } from '@gatepost/emulators/page-checks'
import { testDatabases } from '@gatepost/sql/testing'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { arrive, currentPathname, press } from '../../mfa/testing-browser.ts'
import { redirectToProvider } from '../../headless/client/browser-client.ts'
import { systemRandom } from '../../kernel/io.ts'
import { type BrowserSite, browserSite } from '../../testing/browser-site.ts'
import { GRACE, providerSettings, registerApps } from '../../testing/social-world.ts'

const CONNECTIONS = '/accounts/3rdparty/'
const LOGIN = '/accounts/login/'
const API = '/_allauth'
/** Any page will do. */
const APP = '/accounts/password/reset/'
/** Once called Twitter. */
const X = /^X$/

/** Each step begins where the one before has ended. Site and providers are of different hosts, as they are outside. */
describe.each(testDatabases)('a person with accounts at providers, on %s', (_name, open) => {
  let browser: TestBrowser
  let site: BrowserSite
  let emulator: IdentityProviderEmulator
  let served: Awaited<ReturnType<IdentityProviderEmulator['listen']>>
  let page: Page
  const faults: string[] = []
  beforeAll(async () => {
    const now = (): number => site.world.clock.now()
    emulator = identityProviderEmulator({ now, random: systemRandom })
    served = await emulator.listen()
    site = await browserSite(
      {
        loginRedirectUrl: CONNECTIONS,
        account: { logoutRedirectUrl: LOGIN },
        headless: { enabled: true },
        socialaccount: { enabled: true, emailRequired: true, providers: { ...providerSettings(emulator) } },
      },
      open,
    )
    registerApps(emulator, site.origin)
    emulator.signIn(GRACE)
    browser = await launchBrowser()
    page = await browser.open(site.origin + LOGIN, { width: 390, origins: [served.url] })
  })
  afterAll(async () => {
    await browser.closePages()
    await browser.close()
    await site.close()
    await served.close()
  })

  const look = async (): Promise<void> => {
    await page.waitForLoadState('load')
    faults.push(...(await pageFaults(page)).map((fault) => `${currentPathname(page)}: ${fault}`))
  }
  /** Presses the button of a provider, and answers there. */
  const goBy = async (
    provider: string | RegExp,
    answer: 'Allow' | 'Refuse',
    person = 'Grace Hopper',
  ): Promise<void> => {
    await press(page, provider)
    await page.waitForURL((url) => url.origin === served.url)
    await page.getByLabel(person).check()
    await page.getByRole('button', { name: answer }).click()
  }
  const signOut = async (): Promise<void> => {
    await page.goto(`${site.origin}/accounts/logout/`)
    await press(page, 'Sign out')
    await arrive(page, LOGIN)
  }
  const linked = async (): Promise<readonly string[]> => page.locator('.auth-row-title').allInnerTexts()

  it('signs in by GitHub (OAuth 2)', async () => {
    await look()
    await goBy('GitHub', 'Allow')
    await arrive(page, CONNECTIONS)
    expect(await linked()).toEqual(['GitHub'])
    await look()
  })

  it('links X (OAuth 1), and unlinks GitHub', async () => {
    await goBy(X, 'Allow')
    await arrive(page, CONNECTIONS)
    expect(await page.getByRole('status').count()).toBeGreaterThan(0)
    expect(await linked()).toEqual(['GitHub', 'X'])
    await press(page, /^Disconnect GitHub/)
    await page.locator('.auth-row').filter({ hasText: 'GitHub' }).waitFor({ state: 'detached' })
    expect(await linked()).toEqual(['X'])
    await look()
    await press(page, /^Disconnect X/)
    await page.getByRole('alert').waitFor()
    expect(await linked()).toEqual(['X'])
    await look()
  })

  it('signs in by X from then on, and may change their mind there', async () => {
    await signOut()
    await goBy(X, 'Refuse')
    await arrive(page, `${CONNECTIONS}login/cancelled/`)
    await look()
    await page.goto(site.origin + LOGIN)
    await goBy(X, 'Allow')
    await arrive(page, CONNECTIONS)
    expect(await linked()).toEqual(['X'])
  })

  it('signs up with Acme (OpenID Connect), which returns no address', async () => {
    await signOut()
    await goBy('Acme', 'Allow', 'Cy Cinar')
    await arrive(page, `${CONNECTIONS}signup/`)
    await look()
    expect(await page.getByLabel('Username').inputValue()).toBe('cy')
    await page.getByLabel('Email address').fill('cy@example.org')
    await press(page, 'Create account')
    await arrive(page, CONNECTIONS)
    expect(await linked()).toEqual(['Acme'])
    const { db } = site.world.auth.kernel.database
    const rows = await db.selectFrom('account_emailaddress').select(['email', 'verified']).orderBy('id').execute()
    expect(rows.map(({ email, verified }) => [email, Boolean(verified)])).toEqual([
      [GRACE.email, expect.any(Boolean)],
      ['cy@example.org', false],
    ])
  })

  it('begins by a link of a page of the host', async () => {
    await signOut()
    await page.goto(`${site.origin}/accounts/google/login/?process=login`)
    await look()
    await goBy('Continue', 'Allow')
    // Somebody has the address already.
    await arrive(page, `${CONNECTIONS}signup/`)
    expect(await page.getByLabel('Email address').inputValue()).toBe(GRACE.email)
  })

  it('signs in with Telegram, whose response is in the fragment', async () => {
    await page.goto(site.origin + LOGIN)
    await goBy('Telegram', 'Allow', 'Bo Bergström')
    await page.waitForURL((url) => url.origin === site.origin && !url.pathname.startsWith('/accounts/telegram/'))
    expect([currentPathname(page), new URL(page.url()).hash]).toEqual([`${CONNECTIONS}signup/`, ''])
    expect(await page.getByLabel('Username').inputValue()).toBe('bo')
  })

  it('goes there and back from a front end', async () => {
    await page.goto(`${site.origin}${API}/browser/v1/config`)
    const csrfToken = (await page.context().cookies()).find(({ name }) => name === 'csrftoken')?.value ?? ''
    const leave = { baseUrl: API, provider: 'twitter', callbackUrl: APP, process: 'login', csrfToken }
    await page.evaluate(`(${redirectToProvider.toString()})(${JSON.stringify(leave)})`)
    await page.waitForURL((url) => url.origin === served.url)
    await page.getByRole('button', { name: 'Refuse' }).click()
    await arrive(page, APP)
    expect(new URL(page.url()).search).toBe('?error=cancelled&error_process=login')
  })

  it('has met no page with a fault', () => expect(faults).toEqual([]))
})
