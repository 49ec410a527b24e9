import { launchBrowser, type TestBrowser } from '@gatepost/emulators/browser'
import { pageFaults } from '@gatepost/emulators/page-checks'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { arrive, currentPathname, follow, press } from '../mfa/testing-browser.ts'
import { type VirtualAuthenticator, virtualAuthenticator } from '../testing/browser-site.ts'
import { createWalkTotpApp, EMAIL, PASSWORD, startWalk, type Walk } from './testing/walk.ts'

const PERIOD_MS = 30_000
const LOGIN = '/accounts/login/'
const INDEX = '/accounts/2fa/'
const SECOND_STEP = '/accounts/2fa/authenticate/'
const TRUST = '/accounts/2fa/trust/'
const SESSIONS = '/accounts/sessions/'

/** Each step begins where the one before has ended. */
describe('a person with two browsers', () => {
  let browser: TestBrowser
  let walk: Walk
  let page: Page
  let other: Page
  let device: VirtualAuthenticator
  let shown: () => string
  let codes: readonly string[]
  const faults: string[] = []
  beforeAll(async () => {
    browser = await launchBrowser()
    walk = await startWalk({
      loginRedirectUrl: INDEX,
      // Nothing on the page where a sign-out leads takes a passkey by itself.
      account: { logoutRedirectUrl: '/accounts/password/reset/done/' },
    })
    page = await browser.open(`${walk.origin}/accounts/signup/`, { width: 390 })
    device = await virtualAuthenticator(page)
  })
  afterAll(async () => {
    await browser.closePages()
    await browser.close()
    await walk.close()
  })

  const look = async (shownBy: Page = page): Promise<void> => {
    await shownBy.waitForLoadState('load')
    faults.push(...(await pageFaults(shownBy)).map((fault) => `${currentPathname(shownBy)}: ${fault}`))
  }
  const signIn = async (in_: Page = page): Promise<void> => {
    await in_.goto(walk.origin + LOGIN)
    await in_.getByLabel('Email address').fill(EMAIL)
    await in_.getByLabel('Password').fill(PASSWORD)
    await press(in_, 'Sign in')
  }
  const signOut = async (): Promise<void> => {
    await page.goto(`${walk.origin}/accounts/logout/`)
    await press(page, 'Sign out')
    await arrive(page, '/accounts/password/reset/done/')
  }
  const typeCode = async (code: string, in_: Page = page): Promise<void> => {
    await arrive(in_, SECOND_STEP)
    await in_.getByLabel('Code').fill(code)
    await press(in_, 'Continue')
  }

  it('signs up, and is asked to check the mail', async () => {
    await page.getByLabel('Email address').fill(EMAIL)
    await page.getByLabel('Password').fill(PASSWORD)
    await press(page, 'Create account')
    await arrive(page, '/accounts/confirm-email/')
    expect(await page.getByText('Open the link in it').isVisible()).toBe(true)
    await look()
    expect(await walk.rows()).toMatchObject({ addresses: [[EMAIL, false]], sessions: [] })
  })

  it('verifies the address by the link of the mail', async () => {
    const link = /https?:\/\/\S+/.exec((await walk.world.mailTo(EMAIL)).text)?.[0] ?? ''
    expect(new URL(link).origin).toBe(walk.origin)
    await page.goto(link)
    await look()
    expect((await walk.rows()).addresses).toEqual([[EMAIL, false]])
    await press(page, 'Yes, verify')
    await arrive(page, LOGIN)
    expect(await page.getByText(`You've verified ${EMAIL}.`).isVisible()).toBe(true)
    expect(await walk.rows()).toMatchObject({ addresses: [[EMAIL, true]], sessions: [] })
  })

  it('signs in, and adds an authenticator app', async () => {
    await signIn()
    await arrive(page, INDEX)
    await look()
    await follow(page, 'Set up app')
    await page.getByText("Can't scan it?").click()
    shown = createWalkTotpApp(walk.world, (await page.locator('#totp_secret').innerText()).replaceAll(/\s/g, ''))
    await page.getByLabel('Verification code').fill(shown())
    await press(page, 'Enable')
    await arrive(page, '/accounts/2fa/recovery-codes/')
    await look()
    codes = await page.locator('.auth-codes > li').allInnerTexts()
    expect(codes).toHaveLength(10)
    expect((await walk.rows()).factors.map(([type]) => type)).toEqual(['totp', 'recovery_codes'])
  })

  it('signs in with it', async () => {
    await signOut()
    expect((await walk.rows()).sessions).toEqual([])
    walk.world.clock.advance(PERIOD_MS)
    await signIn()
    await typeCode('000000')
    await page.locator('[name=code][aria-invalid=true]').waitFor()
    await look()
    expect((await walk.rows()).sessions).toEqual([])
    await typeCode(shown())
    await arrive(page, TRUST)
    await look()
    await press(page, 'Not now')
    await arrive(page, INDEX)
    expect((await walk.rows()).factors).toEqual([
      ['totp', true],
      ['recovery_codes', false],
    ])
    expect((await walk.rows()).sessions).toHaveLength(1)
  })

  it('signs in with a recovery code, which counts once', async () => {
    await signOut()
    await signIn()
    await typeCode(codes[0] ?? '')
    await press(page, 'Not now')
    await arrive(page, INDEX)
    expect(await page.getByText('9 of 10 left').isVisible()).toBe(true)
    await signOut()
    await signIn()
    await typeCode(codes[0] ?? '')
    await page.locator('[name=code][aria-invalid=true]').waitFor()
    await typeCode(codes[1] ?? '')
    await press(page, 'Not now')
    await arrive(page, INDEX)
    expect((await walk.rows()).usedCodes).toBe(2)
  })

  it('adds a passkey, and signs in with it alone', async () => {
    await follow(page, 'Add a key')
    await page.getByLabel('Key name').fill('Laptop')
    await page.getByLabel('Use for passwordless sign-in').check()
    await look()
    await press(page, 'Add')
    await arrive(page, INDEX)
    await follow(page, 'Manage keys')
    await arrive(page, '/accounts/2fa/webauthn/')
    expect(await page.locator('.auth-row-title').innerText()).toMatch(/^Laptop\s+Passkey$/)
    await look()
    expect(await device.count()).toBe(1)
    expect((await walk.rows()).factors.at(-1)).toEqual(['webauthn', false])
    await signOut()
    await page.goto(walk.origin + LOGIN)
    await arrive(page, INDEX)
    expect((await walk.rows()).factors.at(-1)).toEqual(['webauthn', true])
    expect((await walk.rows()).sessions).toHaveLength(1)
  })

  it('trusts the browser, which is not asked again', async () => {
    await signOut()
    await device.remove()
    walk.world.clock.advance(PERIOD_MS)
    await signIn()
    await typeCode(shown())
    await press(page, 'Trust this browser')
    await arrive(page, INDEX)
    await signOut()
    await signIn()
    await arrive(page, INDEX)
    expect((await walk.rows()).sessions).toHaveLength(1)
  })

  it('ends its session from the other browser', async () => {
    other = await browser.open(walk.origin + LOGIN)
    walk.world.clock.advance(PERIOD_MS)
    await signIn(other)
    await typeCode(shown(), other)
    await press(other, 'Not now')
    await arrive(other, INDEX)
    expect(await walk.rows()).toMatchObject({ listed: 2 })
    await other.goto(walk.origin + SESSIONS)
    await look(other)
    expect(await other.getByText('This browser').isVisible()).toBe(true)
    await press(other, /^Sign out (?!of all)/)
    await other.getByText("You're not signed in anywhere else.").waitFor()
    expect(await walk.rows()).toMatchObject({ sessions: [expect.any(String)], listed: 1 })
    await page.goto(walk.origin + SESSIONS)
    expect(currentPathname(page)).toBe(LOGIN)
    await other.reload()
    expect(currentPathname(other)).toBe(SESSIONS)
  })

  it('has met no page with a fault', () => expect(faults).toEqual([]))
})
