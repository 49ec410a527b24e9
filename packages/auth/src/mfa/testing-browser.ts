import type { TestBrowser } from '@gatepost/emulators/browser'
import type { Page } from 'playwright-core'
import type { AuthSettingsInput } from '../kernel/settings/settings.ts'
import { type BrowserSite, browserSite } from '../testing/browser-site.ts'
import { ADA, PASSWORD } from './pages/testing-visits.ts'

const MFA: NonNullable<AuthSettingsInput['mfa']> = {
  enabled: true,
  supportedTypes: ['recovery_codes', 'totp', 'webauthn'],
  passkeyLoginEnabled: true,
}

/** A site with every second factor. */
export const siteWithMfa = (settings: AuthSettingsInput = {}): Promise<BrowserSite> =>
  browserSite({
    ...settings,
    // Nothing on the page where a sign-out leads takes a passkey by itself.
    account: { logoutRedirectUrl: '/accounts/password/reset/done/', ...settings.account },
    loginRedirectUrl: '/accounts/2fa/',
    usersessions: { enabled: true },
    mfa: { ...MFA, ...settings.mfa },
  })

export const currentPathname = (page: Page): string => new URL(page.url()).pathname
export const arrive = (page: Page, path: string): Promise<void> => page.waitForURL((url) => url.pathname === path)
export const press = (page: Page, name: string | RegExp): Promise<void> =>
  page.getByRole('main').getByRole('button', { name }).first().click()
export const follow = (page: Page, name: string | RegExp): Promise<void> =>
  page.getByRole('main').getByRole('link', { name }).first().click()

/** Goes to the login page and types the password. */
export async function signIn(page: Page, { origin }: BrowserSite): Promise<void> {
  await page.goto(`${origin}/accounts/login/`)
  await page.getByLabel('Username').fill(ADA.username)
  await page.getByLabel('Password').fill(PASSWORD)
  await press(page, 'Sign in')
}

/** Stores Ada, and signs her in. */
export async function member(
  browser: TestBrowser,
  site: BrowserSite,
  options: Parameters<TestBrowser['open']>[1] = {},
): Promise<Page> {
  await site.world.addUser(ADA)
  const page = await browser.open(`${site.origin}/accounts/login/`, options)
  await signIn(page, site)
  await arrive(page, '/accounts/2fa/')
  return page
}

export async function signOut(page: Page, { origin }: BrowserSite): Promise<void> {
  await page.goto(`${origin}/accounts/logout/`)
  await press(page, 'Sign out')
}
