import { launchBrowser, type TestBrowser } from '@gatepost/emulators/browser'
import { now } from '../machine.ts'
import type { Metric } from '../metrics.ts'
import type { LoadProcess } from './load-process.ts'
import { type Service, createServiceFolder } from './service.ts'
import { median } from '../statistics.ts'

/**
 * Measures the time from the request for the console until its first screen is interactive, with an empty browser
 * cache, compared with the service's smallest page.
 */
export async function measureConsole(load: LoadProcess, times: number): Promise<readonly Metric[]> {
  const folder = await createServiceFolder(load.url)
  const [first, again, smallest]: [number[], number[], number[]] = [[], [], []]
  const browser = await launchBrowser()
  try {
    const service = await folder.start()
    await service.connect(load.token)
    const cookies = await signUp(browser, service)
    for (let n = 0; n < times; n += 1) {
      smallest.push(await measureSmallestPage(browser, service))
      const [fresh, kept] = await measureFirstScreen(browser, service, cookies)
      first.push(fresh)
      again.push(kept)
    }
    await service.stop()
  } finally {
    await browser.close()
    await folder.remove()
  }
  const of = (values: readonly number[]): Pick<Metric, 'value' | 'unit' | 'range'> => ({
    value: median(values),
    unit: 'ms',
    range: [Math.min(...values), Math.max(...values)],
  })
  const ratios = { 'smallest page': median(first) / median(smallest) }
  return [
    { name: 'first screen interactive', ...of(first), target: { atMost: 1_000 }, ratios },
    { name: 'first screen interactive, warm cache', ...of(again) },
    { name: 'baseline: smallest page', ...of(smallest) },
  ]
}

type Cookies = Awaited<ReturnType<typeof signUp>>

async function measureFirstScreen(browser: TestBrowser, { url }: Service, cookies: Cookies): Promise<[number, number]> {
  const page = await browser.open('about:blank', { origins: [url] })
  await page.context().addCookies(cookies)
  const load = async (): Promise<number> => {
    const beganAtMs = now()
    await page.goto(`${url}/console/channels`, { waitUntil: 'commit' })
    // the data is shown and a click would be handled
    await page.getByRole('main').getByText('Telegram').first().waitFor()
    await page.getByRole('link', { name: 'Doctor' }).click({ trial: true })
    return now() - beganAtMs
  }
  const taken: [number, number] = [await load(), await load()]
  await browser.closePages()
  return taken
}

async function measureSmallestPage(browser: TestBrowser, { url }: Service): Promise<number> {
  const page = await browser.open('about:blank', { origins: [url] })
  const beganAtMs = now()
  await page.goto(`${url}/healthz`, { waitUntil: 'commit' })
  await page.locator('body').waitFor()
  const taken = now() - beganAtMs
  await browser.closePages()
  return taken
}

async function signUp(browser: TestBrowser, { firstLink }: Service) {
  const page = await browser.open(await firstLink)
  await page.getByLabel('Email address').fill('ada@example.org')
  await page.getByLabel('Password', { exact: true }).fill('a made-up pass phrase')
  await page.getByLabel('Confirm password').fill('a made-up pass phrase')
  await page.getByRole('main').getByRole('button', { name: 'Create account' }).click()
  await page.waitForURL('**/console/**')
  const cookies = await page.context().cookies()
  await browser.closePages()
  return cookies
}
