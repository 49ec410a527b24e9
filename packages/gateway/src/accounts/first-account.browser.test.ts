import { launchBrowser, type TestBrowser } from '@gatepost/emulators/browser'
import { pageFaults } from '@gatepost/emulators/page-checks'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { startGatewayProcess, mailedLink, type GatewayProcess } from '../testing/crash/gateway-process.ts'

const PASSWORD = 'a lighthouse keeper 7'
const NEW_PASSWORD = 'another lighthouse 8'

let folder: string
let gateway: GatewayProcess
let browser: TestBrowser
beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser.close())
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatepost-first-'))
  gateway = startGatewayProcess({ GATEPOST_DATA_DIR: join(folder, 'data'), GATEPOST_PORT: '0' })
})
afterEach(async () => {
  await gateway.kill()
  await rm(folder, { recursive: true, force: true })
})

/** What can be seen on the page, in one line. */
const seen = async (page: Page): Promise<string> => (await page.locator('body').innerText()).replaceAll(/\s+/g, ' ')

it.each([
  ['light', 1280],
  ['dark', 390],
] as const)('is created, left, found again and extended in a browser, %s at %i px', async (theme, width) => {
  const url = await gateway.ready
  const page = await browser.open(await gateway.firstAccountUrl, { theme, width })
  const address = (): string => new URL(page.url()).pathname
  const field = (label: string): ReturnType<Page['getByLabel']> => page.getByLabel(label, { exact: true })
  /** Presses a button and looks at the page that it leads to. */
  const press = async (name: string, to: string): Promise<void> => {
    const loaded = page.waitForEvent('load')
    await page.getByRole('main').getByRole('button', { name, exact: true }).click()
    await loaded
    expect([address(), await pageFaults(page)]).toEqual([to, []])
  }
  const open = async (path: string): Promise<void> => {
    await page.goto(new URL(path, url).href)
    expect(await pageFaults(page)).toEqual([])
  }

  expect([address(), await pageFaults(page)]).toEqual(['/accounts/signup/', []])
  await field('Email address').fill('ada@example.org')
  await field('Password').fill(PASSWORD)
  await field('Confirm password').fill(PASSWORD)
  await press('Create account', '/console/welcome')

  await open('/accounts/logout/')
  await press('Sign out', '/accounts/login/')

  await open('/accounts/password/reset/')
  await field('Email address').fill('ada@example.org')
  await press('Send email', '/accounts/password/reset/done/')
  await open(await mailedLink(gateway, { to: 'ada@example.org', subject: 'Reset your password' }))
  await field('New password').fill(NEW_PASSWORD)
  await field('Confirm new password').fill(NEW_PASSWORD)
  await press('Save password', '/accounts/password/reset/key/done/')

  await open('/accounts/login/')
  await field('Email address').fill('ada@example.org')
  await field('Password').fill(PASSWORD)
  await press('Sign in', '/accounts/login/')
  await field('Password').fill(NEW_PASSWORD)
  await press('Sign in', '/console/')

  await open('/accounts/email/')
  await field('Email address').last().fill('second@example.org')
  await press('Add email address', '/accounts/email/')
  expect(await seen(page)).toMatch(/second@example\.org Not verified/)
  await open(await mailedLink(gateway, { to: 'second@example.org', subject: 'Verify your email address' }))
  await press('Yes, verify', '/console/')
  await open('/accounts/email/')
  expect(await seen(page)).toMatch(/second@example\.org Verified/)
  await browser.closePages()
})
