import { launchBrowser, type TestBrowser } from '@gatepost/emulators/browser'
import { pageFaults } from '@gatepost/emulators/page-checks'
import { TOTP, URI } from 'otpauth'
import type { Page } from 'playwright-core'
import decodeQR from 'qr/decode.js'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { BrowserSite } from '../testing/browser-site.ts'
import { currentPathname, follow, member, press, signIn, signOut, siteWithMfa } from './testing-browser.ts'

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

/** What an app reads from the picture. */
async function scanQrCode(page: Page): Promise<() => string> {
  const pixels = await page.evaluate<{ width: number; height: number; data: number[] }>(`(async () => {
    const image = document.querySelector('img.is-qr')
    await image.decode()
    const canvas = Object.assign(document.createElement('canvas'), { width: 300, height: 300 })
    const context = canvas.getContext('2d')
    context.fillStyle = '#fff'
    context.fillRect(0, 0, 300, 300)
    context.drawImage(image, 15, 15, 270, 270)
    return { width: 300, height: 300, data: [...context.getImageData(0, 0, 300, 300).data] }
  })()`)
  const totp = URI.parse(decodeQR({ ...pixels, data: Uint8Array.from(pixels.data) }))
  if (!(totp instanceof TOTP)) throw new Error('the picture has no secret')
  return () => totp.generate({ timestamp: site.world.clock.now() })
}

describe.each(['light', 'dark'] as const)('a person with an authenticator app, in %s', (theme) => {
  it('sets it up, signs in with it, with a recovery code, and trusts the browser', async () => {
    site = await siteWithMfa({ mfa: { trustEnabled: true } })
    const faults: string[] = []
    const page = await member(browser, site, { theme, width: 390 })
    const look = async (): Promise<void> => {
      await page.waitForLoadState('load')
      faults.push(...(await pageFaults(page)).map((fault) => `${currentPathname(page)}: ${fault}`))
    }
    await look()
    await follow(page, 'Set up app')
    await look()
    const app = await scanQrCode(page)
    await page.getByLabel('Verification code').fill('000000')
    await press(page, 'Enable')
    await look()
    expect(await page.getByLabel('Verification code').getAttribute('aria-invalid')).toBe('true')
    await page.getByLabel('Verification code').fill(app())
    await press(page, 'Enable')
    expect(currentPathname(page)).toBe('/accounts/2fa/recovery-codes/')
    await look()
    const codes = await page.locator('.auth-codes > li').allInnerTexts()
    expect(codes).toHaveLength(10)
    await follow(page, 'Done')
    await look()

    await signOut(page, site)
    site.world.clock.advance(30_000)
    await signIn(page, site)
    expect(currentPathname(page)).toBe('/accounts/2fa/authenticate/')
    await look()
    await page.getByLabel('Code').fill(app())
    await press(page, 'Continue')
    await look()
    await press(page, 'Not now')
    expect(currentPathname(page)).toBe('/accounts/2fa/')

    await signOut(page, site)
    await signIn(page, site)
    await page.getByLabel('Code').fill(codes[3] ?? '')
    await press(page, 'Continue')
    await press(page, 'Trust this browser')
    expect(await page.getByText('9 of 10 left').count()).toBe(1)
    await signOut(page, site)
    await signIn(page, site)
    expect(currentPathname(page)).toBe('/accounts/2fa/')
    expect(faults).toEqual([])
  })
})

it('a person copies the recovery codes, and ends the session of another browser', async () => {
  site = await siteWithMfa()
  const page = await member(browser, site)
  const other = await browser.open(`${site.origin}/accounts/login/`)
  await signIn(other, site)
  await follow(page, 'Set up app')
  await page.getByText("Can't scan it?").click()
  const secret = (await page.locator('#totp_secret').innerText()).replaceAll(/\s/g, '')
  expect(secret).toMatch(/^[A-Z2-7]{32}$/)
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await press(page, 'Copy')
  await expect.poll(() => page.evaluate<string>('navigator.clipboard.readText()')).toBe(secret)
  await page.getByLabel('Verification code').fill((await scanQrCode(page))())
  await press(page, 'Enable')
  await press(page, 'Copy')
  const codes = (await page.locator('.auth-codes > li').allInnerTexts()).join('\n')
  await expect.poll(() => page.evaluate<string>('navigator.clipboard.readText()')).toBe(codes)
  expect(await page.getByRole('status').allInnerTexts()).toContain('Copied')

  await page.goto(`${site.origin}/accounts/sessions/`)
  expect(await pageFaults(page)).toEqual([])
  await press(page, /^Sign out (?!of all)/)
  expect(await page.getByText("You're not signed in anywhere else.").isVisible()).toBe(true)
  await other.reload()
  expect(currentPathname(other)).toBe('/accounts/login/')
})
