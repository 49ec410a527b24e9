import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { launchBrowser, type TestBrowser } from '@gatepost/emulators/browser'
import { pageFaults, walkFocus } from '@gatepost/emulators/page-checks'
import { type TestServer, testServer } from '../testing/test-server.ts'

let server: TestServer
let browser: TestBrowser
beforeAll(async () => {
  server = await testServer()
  browser = await launchBrowser()
})
afterEach(() => browser.closePages())
afterAll(async () => {
  await browser.close()
  await server[Symbol.asyncDispose]()
})

/** `stops`: how many places can be reached by the keyboard at least. */
const pages: readonly [path: string, heading: string, stops: number][] = [
  ['/api/docs', 'Gatepost', 3],
  [
    `/weixin-qr.html?${new URLSearchParams({ url: 'https://liteapp.weixin.qq.com/q/made-up' }).toString()}`,
    'Connect Weixin',
    1,
  ],
]

describe.each(pages)('%s', (path, heading, stops) => {
  it.each([
    ['light', 1440],
    ['dark', 1440],
    ['light', 390],
    ['dark', 390],
  ] as const)('can be read in %s at %i px, and loads nothing from elsewhere', async (theme, width) => {
    const page = await browser.open(server.url + path, { theme, width })
    await page.getByRole('heading', { level: 1, name: heading }).waitFor()
    for (const summary of await page.locator('details > summary').all()) await summary.click()
    expect(await pageFaults(page)).toEqual([])
  })

  it('is used by keyboard alone, and shows where one is', async () => {
    const page = await browser.open(server.url + path)
    await page.getByRole('heading', { level: 1, name: heading }).waitFor()
    const met = await walkFocus(page, 'Tab')
    expect(met.length).toBeGreaterThanOrEqual(stops)
    expect(met.filter(({ isVisible }) => !isVisible)).toEqual([])
  })

  it('runs no script but its own', async () => {
    const page = await browser.open(server.url + path)
    const refused = page.waitForEvent('console', (message) => message.text().includes('Content Security Policy'))
    await page.evaluate(`document.body.append(Object.assign(document.createElement('script'), { text: 'ran = true' }))`)
    await refused
    expect(await page.evaluate('typeof ran')).toBe('undefined')
    await expect(browser.closePages()).rejects.toThrow('Content Security Policy')
  })
})

it('leads from the contents of the reference to an operation', async () => {
  const page = await browser.open(`${server.url}/api/docs`)
  const contents = page.getByRole('navigation', { name: 'Endpoints' }).getByRole('link')
  await contents.first().waitFor()
  expect(await contents.count()).toBeGreaterThan(5)
  await contents.last().click()
  const target = new URL(page.url()).hash
  expect(await page.locator(target).isVisible()).toBe(true)
})
