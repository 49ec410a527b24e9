import { launchBrowser, type TestBrowser } from '@gatepost/emulators/browser'
import { pageFaults } from '@gatepost/emulators/page-checks'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { type GatewayProcess, startGatewayProcess } from '../testing/crash/gateway-process.ts'

const PASSWORD = 'a lighthouse keeper 7'

let folder: string
let gateway: GatewayProcess
let browser: TestBrowser
beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser.close())
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatepost-passkeys-'))
  gateway = startGatewayProcess({
    GATEPOST_DATA_DIR: join(folder, 'data'),
    GATEPOST_PORT: '0',
    MFA_ALLOW_UNVERIFIED_EMAIL: 'true',
    GATEPOST_STAFF_SECOND_FACTOR: 'on',
  })
})
afterEach(async () => {
  await browser.closePages()
  await gateway.kill()
  await rm(folder, { recursive: true, force: true })
})

const press = async (page: Page, name: string, to: string): Promise<void> => {
  await page.getByRole('main').getByRole('button', { name, exact: true }).click()
  await page.waitForURL((url) => url.pathname === to)
  expect(await pageFaults(page)).toEqual([])
}
const signUp = async (page: Page): Promise<void> => {
  await page.getByLabel('Email address').fill('ada@example.org')
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByLabel('Confirm password').fill(PASSWORD)
  await press(page, 'Create account', '/accounts/2fa/')
}

/** A device that keeps passkeys and knows its owner. @see Chrome DevTools Protocol, "WebAuthn" */
async function withDevice(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('WebAuthn.enable')
  const options = { protocol: 'ctap2', transport: 'internal', automaticPresenceSimulation: true } as const
  const able = { hasResidentKey: true, hasUserVerification: true, isUserVerified: true }
  await session.send('WebAuthn.addVirtualAuthenticator', { options: { ...options, ...able } })
}

it('is asked for at the first sign-in of staff, made, and enough to sign in with', async () => {
  const origin = (await gateway.ready).replace('127.0.0.1', 'localhost')
  const page = await browser.open((await gateway.firstAccountUrl).replace('127.0.0.1', 'localhost'))
  await withDevice(page)
  await signUp(page)
  expect(await page.getByText('Admins must use two-factor authentication.').count()).toBe(1)
  await page.goto(`${origin}/accounts/2fa/webauthn/add/`)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await press(page, 'Confirm', '/accounts/2fa/webauthn/add/')
  await page.getByLabel('Use for passwordless sign-in').check()
  await press(page, 'Add', '/accounts/2fa/recovery-codes/')
  await page.goto(`${origin}/accounts/logout/`)
  await page.getByRole('main').getByRole('button', { name: 'Sign out' }).click()
  // The sign-in page offers the passkey by itself, and this device does not hesitate.
  await page.waitForURL((address) => address.pathname === '/console/')
  const me: unknown = await page.evaluate("fetch('/api/me').then((answer) => answer.json())")
  expect(me).toMatchObject({ second_factors: ['recovery_codes', 'webauthn'], second_factor_required: false })
})

it('says where passkeys work, when the service was opened by a number', async () => {
  const url = await gateway.ready
  const page = await browser.open(await gateway.firstAccountUrl)
  await signUp(page)
  await page.goto(`${url}/accounts/2fa/webauthn/add/`)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await press(page, 'Confirm', '/accounts/2fa/webauthn/add/')
  const there = `${url.replace('127.0.0.1', 'localhost')}/accounts/2fa/webauthn/add/`
  await page.getByRole('main').getByRole('link', { name: there }).waitFor()
  expect(await page.getByRole('button', { name: 'Add', exact: true }).isDisabled()).toBe(true)
  await page.goto(`${url}/accounts/logout/`)
  await press(page, 'Sign out', '/accounts/login/')
  await page.getByText("don't work when a site is opened by IP address").waitFor()
  await page.getByLabel('Email address').fill('ada@example.org')
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await press(page, 'Sign in', '/accounts/2fa/')
})
