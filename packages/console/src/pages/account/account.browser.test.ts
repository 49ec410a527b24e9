import { type SmtpEmulator, startSmtpEmulator } from '@gatepost/emulators'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { consoleWorld, PERSON, totpCode, type ConsoleWorld } from '../../testing/console-world.ts'

const SECOND = 'ada.second@example.org'
const NEXT_PASSWORD = 'harbour lantern seventeen'

let world: ConsoleWorld
let mail: SmtpEmulator
let page: Page
/** The host name, where passkeys work. */
let home: string
beforeAll(async () => {
  mail = await startSmtpEmulator()
  world = await consoleWorld([], {
    EMAIL_HOST: mail.host,
    EMAIL_PORT: String(mail.port),
    SOCIALACCOUNT_PROVIDERS: JSON.stringify({ dummy: {} }),
  })
  home = world.gatepost.url.replace('127.0.0.1', 'localhost')
  page = await world.open('account')
})
afterAll(async () => {
  await world[Symbol.asyncDispose]()
  await mail.close()
})

const main = () => page.getByRole('main')
const press = (name: string | RegExp) =>
  main()
    .getByRole('button', { name, exact: typeof name === 'string' })
    .click()
const goTo = (section: string) =>
  page.getByRole('navigation', { name: 'Account settings' }).getByRole('link', { name: section }).click()
const seeText = (what: string | RegExp) => page.getByText(what).first().waitFor()
const item = (name: string | RegExp) => main().getByRole('listitem').filter({ hasText: name })
const confirmWith = (act: string) => page.getByRole('alertdialog').getByRole('button', { name: act }).click()
const hasFocus = (label: string) => main().getByLabel(label, { exact: true }).and(page.locator(':focus')).waitFor()

interface Me {
  readonly second_factors: readonly string[]
  readonly scopes: readonly string[]
  readonly user: { readonly email: string } | null
}
const whoAmI = async (): Promise<Me> => (await page.request.get(`${home}/api/me`)).json() as Promise<Me>

/** Signs in as an app. @returns the session token, or `null` if the password is wrong */
async function signInElsewhere(password: string): Promise<string | null> {
  const answer = await fetch(`${home}/_allauth/app/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'user-agent': 'Mozilla/5.0 (Windows NT 10.0) Firefox/142.0' },
    body: JSON.stringify({ email: PERSON.email, password }),
  })
  const body = (await answer.json()) as { meta?: { session_token?: string } } // the API's shape
  return answer.status === 200 ? (body.meta?.session_token ?? null) : null
}
const statusElsewhere = async (token: string): Promise<number> =>
  (await fetch(`${home}/_allauth/app/v1/auth/session`, { headers: { 'x-session-token': token } })).status

/** Opens the link of the latest email to an address in another tab. */
async function verify(address: string): Promise<void> {
  const found = mail.mails().findLast(({ envelopeTo }) => envelopeTo.includes(address))
  const link = /http\S+\/accounts\/confirm-email\/\S+/.exec(found?.text ?? '')?.[0] ?? ''
  const tab = await page.context().newPage()
  await tab.goto(link.replace('127.0.0.1', 'localhost'))
  await tab.getByRole('main').getByRole('button', { name: 'Yes, verify' }).click()
  await tab.waitForURL((url) => !url.pathname.includes('/confirm-email/'))
  await tab.close()
}

/** Adds a virtual device with passkeys and user verification. @see Chrome DevTools Protocol, "WebAuthn" */
async function addVirtualAuthenticator(): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('WebAuthn.enable')
  const options = { protocol: 'ctap2', transport: 'internal', automaticPresenceSimulation: true } as const
  const able = { hasResidentKey: true, hasUserVerification: true, isUserVerified: true }
  await session.send('WebAuthn.addVirtualAuthenticator', { options: { ...options, ...able } })
}

it('shows the profile, and links to the host where passkeys work', async () => {
  await main().getByRole('heading', { name: 'My account', level: 1 }).waitFor()
  await main().getByText('Manage all accounts as staff').waitFor()
  await goTo('Two-factor authentication')
  expect(await main().getByRole('button', { name: 'Add a passkey or security key' }).count()).toBe(0)
  const there = await main().getByRole('link', { name: 'Open this page at localhost' }).getAttribute('href')
  expect(there).toBe(`${home}/console/account?section=security`)
  const cookies = await page.context().cookies()
  await page.context().close()
  page = await world.browser.open('about:blank', { origins: [home, world.gatepost.url] })
  await page.context().addCookies(cookies.map((cookie) => ({ ...cookie, domain: 'localhost' })))
  await page.goto(there ?? '')
  await main().getByRole('button', { name: 'Add a passkey or security key' }).waitFor()
})

it('adds, verifies and removes email addresses, and reauthenticates once', async () => {
  await goTo('Email')
  await main().getByLabel('Email address').fill(PERSON.email)
  await press('Add')
  await main().getByText('This email address is already on your account.').waitFor()
  await hasFocus('Email address')
  await verify(PERSON.email)
  await page.bringToFront()
  await main().getByLabel('Email address').fill(SECOND)
  await press('Add')
  const dialog = page.getByRole('dialog', { name: "Confirm it's you" })
  await dialog.getByLabel('Password').fill('not this one')
  await page.keyboard.press('Enter')
  await dialog.getByText('Incorrect password.').waitFor()
  await dialog.getByLabel('Password').fill(PERSON.password)
  await page.keyboard.press('Enter')
  await seeText(`We sent a verification link to ${SECOND}.`)
  await item(SECOND).getByText('Not verified').waitFor()
  await press(`Resend the link to ${SECOND}`)
  await seeText('We sent an email a moment ago.')

  await verify(SECOND)
  await page.bringToFront()
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })))
  await item(SECOND).getByText('Verified', { exact: true }).waitFor()
  await press(`Make ${SECOND} primary`)
  await seeText(`${SECOND} is now your primary address.`)
  expect((await whoAmI()).user?.email).toBe(SECOND)
  await press(`Make ${PERSON.email} primary`)
  await seeText(`${PERSON.email} is now your primary address.`)
  await press(`Remove ${SECOND}`)
  await confirmWith('Remove')
  await seeText(`${SECOND} removed.`)
  await item(SECOND).waitFor({ state: 'detached' })
})

it('lists sessions, and signs out the others', async () => {
  const [first, second] = [await signInElsewhere(PERSON.password), await signInElsewhere(PERSON.password)]
  await goTo('Sessions')
  await item('Chrome on Linux').getByText('This device').waitFor()
  const others = item('Firefox on Windows')
  await others.nth(1).waitFor()
  await others.first().getByRole('button', { name: 'Sign out Firefox on Windows' }).click()
  await seeText('Session signed out.')
  await press('Sign out all other sessions')
  await confirmWith('Sign out all other sessions')
  await seeText('All other sessions signed out.')
  await others.first().waitFor({ state: 'detached' })
  expect([await statusElsewhere(first ?? ''), await statusElsewhere(second ?? '')]).toEqual([410, 410])
})

it("changes the password, following the service's rules", async () => {
  await goTo('Password')
  await main().getByLabel('Current password').fill('not this one')
  await main().getByLabel('New password').fill('12345')
  await press('Save password')
  await main().getByText('Your current password is incorrect.').waitFor()
  await main().getByText('use at least 8 characters').waitFor()
  await hasFocus('Current password')
  await main().getByLabel('Current password').fill(PERSON.password)
  await main().getByLabel('New password').fill(NEXT_PASSWORD)
  await press('Save password')
  await seeText('Password changed.')
  expect(await main().getByLabel('New password').inputValue()).toBe('')
  expect([await signInElsewhere(PERSON.password), typeof (await signInElsewhere(NEXT_PASSWORD))]).toEqual([
    null,
    'string',
  ])
})

it('adds and renames passkeys, and shows recovery codes', async () => {
  await addVirtualAuthenticator()
  await goTo('Two-factor authentication')
  await press('Add a passkey or security key')
  await main().getByLabel('Name').fill('Laptop')
  await press('Add')
  await seeText('Laptop added.')
  await item('Laptop').getByText('Passwordless').waitFor()
  expect((await whoAmI()).second_factors).toEqual(['recovery_codes', 'webauthn'])

  await seeText('Save your new recovery codes now.')
  await press('Show codes')
  const shown = main().getByRole('list', { name: 'Recovery codes' })
  await shown.waitFor()
  const codes = await shown.getByRole('listitem').allTextContents()
  expect(codes.filter((code) => /^\d{8}$/.test(code))).toHaveLength(10)
  const download = page.waitForEvent('download')
  await press('Download')
  expect((await download).suggestedFilename()).toBe('gatepost-recovery-codes.txt')
  await press('Done')
  await shown.waitFor({ state: 'detached' })
  const html = await page.content()
  expect(codes.filter((code) => html.includes(code))).toEqual([])

  await press('Rename Laptop')
  await main().getByLabel('New name for Laptop').fill('Old laptop')
  await press('Save changes')
  await item('Old laptop').waitFor()
})

it('sets up an authenticator app, and removes both factors', async () => {
  await press('Set up app')
  await main().getByRole('img', { name: 'QR code for your authenticator app' }).waitFor()
  const secret = ((await main().locator('code').textContent()) ?? '').replaceAll(' ', '')
  await main().getByLabel('Code from the app').fill('000000')
  await press('Turn on')
  await main().getByText('Incorrect code.').waitFor()
  await main().getByLabel('Code from the app').fill(totpCode(secret, Date.now()))
  await press('Turn on')
  await seeText('Authenticator app turned on.')
  expect((await whoAmI()).second_factors).toEqual(['recovery_codes', 'totp', 'webauthn'])
  expect((await page.content()).replaceAll(' ', '')).not.toContain(secret)
  await press('Remove Old laptop')
  await confirmWith('Remove')
  await seeText('Old laptop removed.')
  await press('Turn off')
  await confirmWith('Turn off')
  await seeText('Authenticator app turned off.')
  expect((await whoAmI()).second_factors).toEqual([])
})

it('connects and disconnects an account', async () => {
  await goTo('Connected accounts')
  await press('Connect Dummy')
  await page.getByRole('main').getByLabel('ID').fill('7')
  await page.getByRole('main').getByRole('button', { name: 'Cancel' }).click()
  await seeText('Connection canceled.')
  await press('Connect Dummy')
  await page.getByRole('main').getByLabel('ID').fill('7')
  await page.getByRole('main').getByRole('button', { name: 'Sign in' }).click()
  await item('Dummy').waitFor()
  const connected = async (): Promise<unknown> =>
    (await page.request.get(`${home}/_allauth/browser/v1/account/providers`)).json()
  expect(await connected()).toMatchObject({ data: [{ uid: '7', provider: { id: 'dummy' } }] })
  await press(/^Disconnect Dummy/)
  await confirmWith('Disconnect')
  await seeText('Dummy disconnected.')
  await main().getByText('No connected accounts.').waitFor()
  expect(await connected()).toMatchObject({ data: [] })
})

it('creates a token that is shown once, and revokes it', async () => {
  await goTo('Tokens and apps')
  await press('Create token')
  await press('Create token')
  await main().getByText('Enter a name.').waitFor()
  await hasFocus('Name')
  await main().getByLabel('Name').fill('Backup')
  await main()
    .getByRole('checkbox', { name: /^Account / })
    .check()
  await press('Create token')
  const token = (await main().locator('code').textContent()) ?? ''
  const call = () => fetch(`${home}/api/me`, { headers: { authorization: `Bearer ${token}` } })
  expect(await (await call()).json()).toMatchObject({ scopes: ['channels:read', 'account'] })
  await press('Done')
  await item('Backup').getByText('View channels').waitFor()
  expect(await page.content()).not.toContain(token)
  await press('Revoke Backup')
  await confirmWith('Revoke')
  await seeText('Backup revoked.')
  expect((await call()).status).toBe(401)
})

it("is in Chinese, including the service's messages, and redirects to the sign-in page and back", async () => {
  await page.evaluate(() => localStorage.setItem('gatepost-language', 'zh'))
  await page.addInitScript(() => localStorage.setItem('gatepost-language', 'zh'))
  await page.goto(`${home}/console/account?section=emails`)
  await page.getByLabel('邮箱地址').fill(PERSON.email)
  await press('添加')
  await main().getByText('您的账号已添加此邮箱地址').waitFor()
  await page.context().clearCookies()
  await press('添加')
  await page.waitForURL((url) => url.pathname === '/accounts/login/')
  expect(new URL(page.url()).searchParams.get('next')).toBe('/console/account?section=emails')
})
