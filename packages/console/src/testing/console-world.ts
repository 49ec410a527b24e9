import { createHmac } from 'node:crypto'
import { type EmulatedPlatform, type RunningEmulator, startEmulators } from '@gatepost/emulators'
import { launchBrowser, type PageOptions, type TestBrowser } from '@gatepost/emulators/browser'
import type { BrowserContext, Page } from 'playwright-core'
import { type GatepostProcess, startGatepost } from './processes.ts'

/** The real service with emulated platforms, and a staff member signed in in a real browser. */
export interface ConsoleWorld extends AsyncDisposable {
  readonly gatepost: GatepostProcess
  readonly browser: TestBrowser
  emulator(platform: EmulatedPlatform): RunningEmulator
  /** Connects the emulated bot of a platform through the API. */
  connect(platform: EmulatedPlatform): Promise<void>
  /** Opens a page of the console, e.g. `channels`, as the first account. */
  open(path: string, options?: PageOptions & { readonly language?: 'en' | 'zh' }): Promise<Page>
  /** Signs up with an invitation link in a separate browser. */
  join(link: string, email: string): Promise<Page>
}

/** The first account. */
export const PERSON = { email: 'ada@example.org', password: 'a made-up pass phrase' } as const

/** Accepts older authenticator codes, since a busy machine may be slow. */
const LENIENT = { MFA_TOTP_TOLERANCE: '10', ACCOUNT_REAUTHENTICATION_TIMEOUT: '3600' }

/**
 * Starts the service with emulated platforms.
 * @param settings Additional settings of the service.
 */
export async function consoleWorld(
  platforms: readonly EmulatedPlatform[],
  settings: Readonly<Record<string, string>> = {},
): Promise<ConsoleWorld> {
  await using cleanup = new AsyncDisposableStack()
  const emulators = await startEmulators(platforms)
  cleanup.defer(async () => void (await Promise.all(emulators.map((emulator) => emulator.close()))))
  const hosts = Object.assign({}, ...emulators.map(({ environment }) => environment)) as Record<string, string> // maps of texts
  const gatepost = cleanup.use(await startGatepost({ ...hosts, ...LENIENT, ...settings }))
  const browser = await launchBrowser()
  cleanup.defer(() => browser.close())
  const cookies = await firstCookies(browser, gatepost)
  const emulator = (platform: EmulatedPlatform): RunningEmulator => {
    const found = emulators.find((one) => one.platform === platform)
    if (found === undefined) throw new Error(`${platform} isn't emulated here.`)
    return found
  }
  const ending = cleanup.move()
  return {
    gatepost,
    browser,
    emulator,
    async connect(platform) {
      const { credentials } = await emulator(platform).control.bot()
      await gatepost.call('POST', `/api/channels/${platform}`, credentials)
    },
    async open(path, { language = 'en', ...options } = {}) {
      const page = await browser.open('about:blank', { ...options, origins: [gatepost.url] })
      await page.context().addCookies([...cookies])
      await page.addInitScript(`localStorage.setItem('gatepost-language', '${language}')`)
      await page.goto(`${gatepost.url}/console/${path}`)
      return page
    },
    join: (link, email) => signUp(browser, link, email),
    [Symbol.asyncDispose]: () => ending[Symbol.asyncDispose](),
  }
}

type Cookies = Awaited<ReturnType<BrowserContext['cookies']>>

async function firstCookies(browser: TestBrowser, { firstLink }: GatepostProcess): Promise<Cookies> {
  const page = await signUp(browser, firstLink, PERSON.email)
  const cookies = await page.context().cookies()
  await browser.closePages()
  return cookies
}

/** Fills in the sign-up page of an invitation. */
export async function signUp(browser: TestBrowser, link: string, email: string): Promise<Page> {
  const page = await browser.open(link)
  const { origin, pathname } = new URL(page.url())
  await page.getByLabel('Email', { exact: false }).first().fill(email)
  const passwords = page.locator('input[type=password]')
  for (const field of await passwords.all()) await field.fill(PERSON.password)
  await page.locator('main form button[type=submit], main form button:not([type])').first().click()
  await page.waitForURL((url) => url.origin === origin && url.pathname !== pathname)
  return page
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Returns an authenticator app's current code. @param secret Base32. @see RFC 6238, RFC 4226 */
export function totpCode(secret: string, nowMs: number): string {
  const bits = Array.from(secret, (letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, '0')).join('')
  const bytes = bits.match(/.{8}/g) ?? []
  const step = Buffer.alloc(8)
  step.writeBigUInt64BE(BigInt(Math.floor(nowMs / 30_000)))
  const key = Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)))
  const hash = createHmac('sha1', key).update(step).digest()
  const at = (hash.at(-1) ?? 0) & 0xf
  return String((hash.readUInt32BE(at) & 0x7fffffff) % 1_000_000).padStart(6, '0')
}
