import { type RunningEmulator, startEmulators } from '@gatepost/emulators'
import { launchBrowser, type TestBrowser } from '@gatepost/emulators/browser'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { PERSON, signUp } from './console-world.ts'
import { type GatepostProcess, startGatepost } from './processes.ts'
import { type Proxy, startProxy } from './proxy.ts'

const BAD_GATEWAY = { status: 502, body: '<h1>502 Bad Gateway</h1>' }
const PAGES = ['channels/telegram', 'channels/telegram/setup', 'send', 'logs', 'account', 'staff', 'demo'] as const

let world: AsyncDisposableStack
let proxy: Proxy
let telegram: RunningEmulator
let gatepost: GatepostProcess
let browser: TestBrowser
let cookies: Awaited<ReturnType<ReturnType<Page['context']>['cookies']>>

beforeAll(async () => {
  await using starting = new AsyncDisposableStack()
  proxy = starting.use(await startProxy())
  const emulators = await startEmulators(['telegram'])
  telegram = emulators[0] as RunningEmulator // the only one
  starting.defer(() => telegram.close())
  gatepost = starting.use(await startGatepost({ ...telegram.environment, GATEPOST_PUBLIC_URL: proxy.url }))
  proxy.forwardTo(gatepost.url)
  browser = await launchBrowser()
  starting.defer(() => browser.close())
  const page = await signUp(browser, gatepost.firstLink, PERSON.email)
  cookies = await page.context().cookies()
  const { credentials } = await telegram.control.bot()
  await gatepost.call('POST', '/api/channels/telegram', credentials)
  await telegram.control.say({ from: { id: '7', name: 'Milo' }, text: 'Hello' })
  world = starting.move()
})
afterAll(() => world.disposeAsync())
afterEach(async () => {
  proxy.fail(null)
  await takeBrowserErrors() // left by a failed test
})

/** Returns browser errors other than failed requests. */
async function takeBrowserErrors(): Promise<readonly string[]> {
  try {
    await browser.closePages()
    return []
  } catch (error) {
    const [, ...lines] = String(error).split('\n')
    return lines.filter((line) => !line.startsWith('console: Failed to load resource'))
  }
}

async function open(path: string, before?: (page: Page) => Promise<unknown>): Promise<Page> {
  const page = await browser.open('about:blank', { origins: [proxy.url] })
  await page.context().addCookies([...cookies])
  await before?.(page)
  await page.goto(`${proxy.url}/console/${path}`)
  return page
}

const title = (page: Page) => page.getByRole('heading', { level: 1 })
const broken = (page: Page) => page.getByText("Couldn't reach Gatepost. Reconnecting")

it('reports an unreachable service and reconnects, also behind a proxy', async () => {
  const page = await open('channels')
  await page.getByRole('main').getByText('Running').first().waitFor()
  proxy.fail(() => BAD_GATEWAY)
  await broken(page).waitFor()
  // not opened yet
  await page.getByRole('link', { name: 'Analytics' }).click()
  await page.getByText("Couldn't reach Gatepost. It may be restarting.").waitFor()
  proxy.fail(null)
  await page.getByRole('heading', { level: 1, name: 'Analytics' }).waitFor()
  await broken(page).waitFor({ state: 'detached' })
  expect(await takeBrowserErrors()).toEqual([])
})

it('starts once the service is reachable', async () => {
  const page = await open('channels', async (fresh) => {
    await fresh.goto(`${proxy.url}/console/channels`)
    await fresh.getByRole('main').getByText('Running').first().waitFor()
  })
  proxy.fail((path) => (path.startsWith('/api/') ? BAD_GATEWAY : null))
  await page.reload()
  await page.getByText('Got an unexpected response').first().waitFor()
  proxy.fail(null)
  await page.getByRole('main').getByText('Running').first().waitFor()
  expect(await takeBrowserErrors()).toEqual([])
})

it('reloads once when its chunks are from an older build', async () => {
  const page = await open('channels')
  await page.getByRole('main').getByText('Running').first().waitFor()
  const loads: string[] = []
  page.on('load', () => loads.push(page.url()))
  proxy.fail((path) => (/assets\/analytics-page-.*\.(?:js|css)$/.test(path) ? { status: 404, body: '{}' } : null))
  await page.getByRole('link', { name: 'Analytics' }).hover()
  await page.getByRole('link', { name: 'Analytics' }).click()
  await page.getByText('Something went wrong on this page. Reload it and try again.').waitFor()
  expect(loads).toEqual([`${proxy.url}/console/analytics`])
  proxy.fail(null)
  await page.getByRole('button', { name: 'Retry' }).click()
  await page.getByRole('heading', { level: 1, name: 'Analytics' }).waitFor()
  expect(await takeBrowserErrors()).toEqual([])
})

it('works without browser storage', async () => {
  const page = await open('send', (fresh) =>
    fresh.addInitScript(() => {
      for (const name of ['localStorage', 'sessionStorage']) {
        Object.defineProperty(window, name, {
          get() {
            throw new DOMException('blocked', 'SecurityError')
          },
        })
      }
    }),
  )
  await page.getByRole('textbox', { name: 'Message' }).fill('Hi')
  await page.getByRole('button', { name: /Account menu for/ }).click()
  await page.getByRole('menuitemradio', { name: '简体中文' }).click()
  await page.getByRole('heading', { level: 1 }).getByText('发消息').waitFor()
  expect(await takeBrowserErrors()).toEqual([])
})

it('works while the device is offline', async () => {
  const page = await open('conversations')
  await page.getByText('Hello').first().waitFor()
  await page.evaluate(() => window.dispatchEvent(new Event('offline')))
  await page.getByRole('link', { name: /^Channels/ }).click()
  await page.getByRole('main').getByText('Running').first().waitFor()
  await page.getByRole('link', { name: /^Doctor/ }).click()
  await title(page).getByText('Doctor').waitFor()
  expect(await takeBrowserErrors()).toEqual([])
})

/** Hides the page and shows it again. */
const toggleVisibility = (page: Page): Promise<void> =>
  page.evaluate(() => {
    for (const isHidden of [true, false]) {
      Object.defineProperty(document, 'hidden', { configurable: true, get: () => isHidden })
      document.dispatchEvent(new Event('visibilitychange'))
    }
  })

it('redirects to the sign-in page when the session has ended, from every page', async () => {
  const page = await open('')
  for (const path of PAGES) {
    await page.context().addCookies([...cookies])
    await page.goto(`${proxy.url}/console/${path}`)
    await page.getByRole('main').getByRole('heading').first().waitFor()
    await page.context().clearCookies()
    await toggleVisibility(page).catch(() => undefined) // a request is already redirecting there
    await page.waitForURL(`${proxy.url}/accounts/login/?next=${encodeURIComponent(`/console/${path}`)}`)
  }
  expect(await takeBrowserErrors()).toEqual([])
})

it('keeps a draft when an action redirects to the sign-in page', async () => {
  const page = await open('conversations')
  await page.getByRole('link', { name: /Milo/ }).click()
  const field = page.getByRole('textbox', { name: /Milo/ })
  await field.fill('To be kept')
  await page.context().clearCookies()
  await field.press('Enter')
  await page.waitForURL(/accounts\/login/)
  await page.getByLabel('Email').fill(PERSON.email)
  await page.getByLabel('Password', { exact: true }).fill(PERSON.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.waitForURL(/console\/conversations\/./)
  await field.waitFor()
  expect(await field.inputValue()).toBe('To be kept')
  cookies = await page.context().cookies()
  expect(await takeBrowserErrors()).toEqual([])
})

it('runs an action once when it is clicked twice', async () => {
  const page = await open('conversations')
  await page.getByRole('link', { name: /Milo/ }).click()
  const before = (await telegram.control.sent()).length
  const field = page.getByRole('textbox', { name: /Milo/ })
  await field.fill('Once')
  await field.evaluate((area) => {
    const { form } = area as HTMLTextAreaElement // the composer's textbox
    form?.requestSubmit()
    form?.requestSubmit()
  })
  await page.getByRole('list').getByText('Once').first().waitFor()
  await page.goto(`${proxy.url}/console/account?section=programs`)
  await page.getByRole('button', { name: 'Create token' }).click()
  await page.getByLabel('Name', { exact: true }).fill('Twice')
  await page.getByRole('button', { name: 'Create token' }).evaluate((button) => {
    const press = button as HTMLButtonElement // by its role
    press.click()
    press.click()
  })
  await page.getByText('Twice').first().waitFor()
  await page.reload()
  await page.getByText('Twice').first().waitFor()
  expect(await page.getByText('Twice', { exact: true }).count()).toBe(1)
  const sent = (await telegram.control.sent()).slice(before)
  expect(sent.filter((one) => JSON.stringify(one).includes('Once'))).toHaveLength(1)
  expect(await takeBrowserErrors()).toEqual([])
})

it('sends no requests in an hour without events', async () => {
  const page = await open('channels', (fresh) => fresh.clock.install())
  /** Returns the new requests and those without a response, once the page has handled what it has received. */
  const readRequests = async (): Promise<{ readonly asked: readonly string[]; readonly pending: number }> => {
    await page.evaluate(() => document.readyState)
    return { asked: proxy.takeRequests(), pending: proxy.pending() }
  }
  const main = page.getByRole('main')
  for (const [name, content] of [
    ['Channels', main.getByText('Running')],
    ['Conversations', main.getByRole('link', { name: /Milo/ })],
  ] as const) {
    await page.getByRole('link', { name }).click()
    await title(page).getByText(name).waitFor()
    await content.first().waitFor()
    await page.clock.runFor(10_000)
    await expect.poll(readRequests, { interval: 500 }).toEqual({ asked: [], pending: 0 })
    await page.clock.runFor(3_600_000)
    expect(proxy.takeRequests()).toEqual([])
  }
  expect(await takeBrowserErrors()).toEqual([])
})

it('shows no data of another account after a change of user, or of a deleted account', async () => {
  const page = await open('channels')
  await page.getByRole('main').getByText('Running').first().waitFor()
  await page.evaluate(() => sessionStorage.setItem('gatepost-viewed-account', 'u999999'))
  await page.reload()
  await page.getByText("This account doesn't exist.").first().waitFor()
  expect(await broken(page).count()).toBe(0)
  await page.getByRole('button', { name: 'Back to my channels' }).click()
  await page.getByRole('main').getByText('Running').first().waitFor()

  const { url } = (await gatepost.call('POST', '/api/invitations', { email: 'bo@example.org' })) as { url: string } // its link
  const other = await signUp(browser, url, 'bo@example.org')
  const others = await other.context().cookies()
  await page.context().clearCookies()
  await page.context().addCookies(others)
  await toggleVisibility(page)
  await page.getByRole('button', { name: 'Account menu for bo' }).waitFor()
  expect(await page.getByRole('main').getByText('Running').count()).toBe(0)
  expect(await takeBrowserErrors()).toEqual([])
})

it('keeps the frame around a page that fails', async () => {
  const page = await open('account', async (fresh) => {
    await fresh.route(/\/api\/channels$/, (route) => route.fulfill({ json: {} }))
  })
  await page.getByRole('link', { name: /^Channels/ }).click()
  await page.getByRole('heading', { name: 'Something went wrong' }).waitFor()
  await page.getByRole('link', { name: /^Analytics/ }).click()
  await title(page).getByText('Analytics').waitFor()
  expect((await takeBrowserErrors()).some((line) => line.includes('TypeError'))).toBe(true)
})
