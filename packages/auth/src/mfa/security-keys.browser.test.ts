import { launchBrowser, type TestBrowser } from '@gatepost/emulators/browser'
import { pageFaults } from '@gatepost/emulators/page-checks'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type BrowserSite, virtualAuthenticator } from '../testing/browser-site.ts'
import { codeTo } from '../testing/effects/effect.ts'
import { ADA } from './pages/testing-visits.ts'
import { arrive, currentPathname, follow, member, press, signIn, signOut, siteWithMfa } from './testing-browser.ts'

let browser: TestBrowser
let site: BrowserSite
beforeAll(async () => {
  browser = await launchBrowser()
})
afterEach(async () => {
  await browser.closePages()
  await site.close()
})
afterAll(() => browser.close())

describe('a person with a security key', () => {
  const addKey = async (page: Page, { passkey = false } = {}): Promise<void> => {
    await page.goto(`${site.origin}/accounts/2fa/webauthn/add/`)
    if (passkey) await page.getByLabel('Use for passwordless sign-in').check()
    await press(page, 'Add')
    await arrive(page, '/accounts/2fa/recovery-codes/')
  }

  it('adds it, signs in with it as second step, renames and removes it', async () => {
    site = await siteWithMfa()
    const page = await member(browser, site)
    const key = await virtualAuthenticator(page, { transport: 'usb' })
    await addKey(page)
    expect(await key.count()).toBe(1)
    await signOut(page, site)
    await signIn(page, site)
    expect(currentPathname(page)).toBe('/accounts/2fa/authenticate/')
    await press(page, 'Use a security key')
    await arrive(page, '/accounts/2fa/')

    await follow(page, 'Manage keys')
    await arrive(page, '/accounts/2fa/webauthn/')
    expect(await page.getByText('Security key', { exact: true }).count()).toBe(1)
    await follow(page, /Rename/)
    await page.getByLabel('Key name').fill('Blue one')
    await press(page, 'Save')
    await follow(page, 'Remove Blue one')
    await press(page, 'Remove')
    expect(await page.getByText("You don't have any passkeys").count()).toBe(1)
  })

  it('shows what went wrong, and lets the user try again', async () => {
    site = await siteWithMfa()
    const page = await member(browser, site)
    const key = await virtualAuthenticator(page)
    await page.evaluate(
      "addEventListener('allauth.error', (event) => { document.title = event.detail.exception.name }, true)",
    )
    await addKey(page)
    await page.goto(`${site.origin}/accounts/2fa/webauthn/add/`)
    await press(page, 'Add')
    const alert = page.getByRole('alert')
    expect(await alert.innerText()).toContain('already registered')
    expect(await page.getByRole('button', { name: 'Add' }).isEnabled()).toBe(true)

    await signOut(page, site)
    await key.remove()
    await page.addInitScript(
      "navigator.credentials.get = () => Promise.reject(new DOMException('no', window.refusal ?? 'NotAllowedError'))",
    )
    await signIn(page, site)
    await press(page, 'Use a security key')
    expect(await alert.innerText()).toContain('The request was canceled or timed out.')
    await page.evaluate("window.refusal = 'SecurityError'")
    await press(page, 'Use a security key')
    await expect.poll(() => alert.innerText()).toContain("doesn't allow")
    await page.evaluate("document.addEventListener('allauth.error', (event) => event.preventDefault())")
    await press(page, 'Use a security key')
    expect(await alert.count()).toBe(0)
  })

  it("explains that the browser doesn't support keys", async () => {
    site = await siteWithMfa()
    const page = await member(browser, site)
    await virtualAuthenticator(page)
    await addKey(page)
    await signOut(page, site)
    await page.addInitScript('delete window.PublicKeyCredential')
    await signIn(page, site)
    await press(page, 'Use a security key')
    expect(await page.getByRole('alert').innerText()).toContain("This browser doesn't support passkeys")
    await page.goto(`${site.origin}/accounts/login/`)
  })

  it('works in a browser without the JSON forms', async () => {
    site = await siteWithMfa()
    const page = await member(browser, site)
    await page.addInitScript(`
      delete PublicKeyCredential.parseCreationOptionsFromJSON
      delete PublicKeyCredential.parseRequestOptionsFromJSON
      delete PublicKeyCredential.prototype.toJSON
      delete PublicKeyCredential.isConditionalMediationAvailable`)
    await virtualAuthenticator(page)
    await addKey(page, { passkey: true })
    await page.goto(`${site.origin}/accounts/2fa/webauthn/`)
    expect(await page.getByText('Passkey', { exact: true }).count()).toBe(1)
    await signOut(page, site)
    await signIn(page, site)
    await press(page, 'Use a security key')
    await arrive(page, '/accounts/2fa/')
    await signOut(page, site)
    await page.goto(`${site.origin}/accounts/login/`)
    await press(page, 'Sign in with a passkey')
    await arrive(page, '/accounts/2fa/')
    expect(await page.getByText('You have 1 key.').count()).toBe(1)
  })

  it('confirms by it that it is them', async () => {
    site = await siteWithMfa()
    const page = await member(browser, site)
    await virtualAuthenticator(page)
    await addKey(page)
    site.world.clock.advance(400_000)
    await page.goto(`${site.origin}/accounts/2fa/recovery-codes/generate/`)
    expect(currentPathname(page)).toBe('/accounts/reauthenticate/')
    await follow(page, 'Use a security key')
    await press(page, 'Use a security key')
    await arrive(page, '/accounts/2fa/recovery-codes/generate/')
    expect(await page.getByText('You still have 10 unused codes').count()).toBe(1)
  })

  it('signs in by passkey alone, by the button', async () => {
    site = await siteWithMfa()
    const page = await member(browser, site)
    await virtualAuthenticator(page)
    await addKey(page, { passkey: true })
    await page.goto(`${site.origin}/accounts/2fa/webauthn/`)
    expect(await page.getByText('Passkey', { exact: true }).count()).toBe(1)
    await signOut(page, site)
    // As a browser without autofill of passkeys: there the button is the only way.
    await page.addInitScript('PublicKeyCredential.isConditionalMediationAvailable = () => Promise.resolve(false)')
    await page.goto(`${site.origin}/accounts/login/?next=/accounts/email/`)
    await press(page, 'Sign in with a passkey')
    await arrive(page, '/accounts/email/')
  })

  it("signs in by passkey alone, from the browser's autofill", async () => {
    site = await siteWithMfa()
    const page = await member(browser, site)
    await virtualAuthenticator(page)
    await addKey(page, { passkey: true })
    await signOut(page, site)
    await page.goto(`${site.origin}/accounts/login/?next=/accounts/email/`)
    await arrive(page, '/accounts/email/')
    expect(await page.getByRole('radio', { name: ADA.email }).count()).toBe(1)
  })

  it('presses the button while the browser offers passkeys to fill in', async () => {
    site = await siteWithMfa()
    const page = await member(browser, site)
    await virtualAuthenticator(page)
    await addKey(page, { passkey: true })
    await signOut(page, site)
    // Selects the offered passkey automatically.
    await page.addInitScript(`
      const { get } = CredentialsContainer.prototype
      CredentialsContainer.prototype.get = function (options) {
        if (options.mediation !== 'conditional') return get.call(this, options)
        document.documentElement.dataset.offers = 'open'
        return new Promise((_, reject) => options.signal.addEventListener('abort', () => {
          sessionStorage.setItem('offers', 'withdrawn')
          reject(options.signal.reason)
        }))
      }`)
    await page.goto(`${site.origin}/accounts/login/`)
    await page.locator('html[data-offers=open]').waitFor()
    await press(page, 'Sign in with a passkey')
    await arrive(page, '/accounts/2fa/')
    expect(await page.evaluate<string>("sessionStorage.getItem('offers')")).toBe('withdrawn')
  })

  it('is offered passkeys to fill in again after giving up what the button asks for', async () => {
    site = await siteWithMfa()
    const page = await browser.open(`${site.origin}/accounts/password/reset/done/`)
    await virtualAuthenticator(page)
    await page.addInitScript(`
      let offers = 0
      CredentialsContainer.prototype.get = (options) => {
        if (options.mediation !== 'conditional') return Promise.reject(new DOMException('no', 'NotAllowedError'))
        document.documentElement.dataset.offers = String(++offers)
        return new Promise((_, reject) => options.signal.addEventListener('abort', () => reject(options.signal.reason)))
      }`)
    await page.goto(`${site.origin}/accounts/login/`)
    await page.locator('html[data-offers="1"]').waitFor()
    await press(page, 'Sign in with a passkey')
    expect(await page.getByRole('alert').innerText()).toContain('The request was canceled')
    await page.locator('html[data-offers="2"]').waitFor()
  })
})

it('signs up by passkey, and in with it', async () => {
  site = await siteWithMfa({
    account: {
      loginMethods: ['email'],
      signupFields: ['email*', 'password1*'],
      emailVerification: 'mandatory',
      emailVerificationByCodeEnabled: true,
    },
    mfa: { passkeySignupEnabled: true },
  })
  const page = await browser.open(`${site.origin}/accounts/signup/`, { width: 390 })
  const device = await virtualAuthenticator(page)
  await follow(page, 'Use a passkey instead')
  await page.getByLabel('Email address').fill(ADA.email)
  await press(page, 'Create account')
  await page.getByLabel('Code').fill(await codeTo(site.world, ADA.email))
  await press(page, /verify|continue|confirm/i)
  await arrive(page, '/accounts/2fa/webauthn/signup/')
  expect(await pageFaults(page)).toEqual([])
  await press(page, 'Create passkey')
  await arrive(page, '/accounts/2fa/')
  expect(await device.count()).toBe(1)
  await signOut(page, site)
  await page.goto(`${site.origin}/accounts/login/`)
  await arrive(page, '/accounts/2fa/')
})
