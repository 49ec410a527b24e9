import { type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { findChromium } from './chromium.ts'

export interface PageOptions {
  /** Default `light`. */
  readonly theme?: 'light' | 'dark'
  /** In CSS pixels. Default 1440 by 900. */
  readonly width?: number
  readonly height?: number
  /** Device pixels per CSS pixel. Default 1. */
  readonly scale?: number
  /** Where its links may lead besides. */
  readonly origins?: readonly string[]
}

/** A real Chromium, for one test file. */
export interface TestBrowser {
  /** Opens a page with storage of its own. It reaches the origin of `url`, and those of the options. */
  open(url: string, options?: PageOptions): Promise<Page>
  /**
   * Closes every page.
   * @throws {Error} when any page wrote an error to its console, threw, or asked for something elsewhere.
   */
  closePages(): Promise<void>
  close(): Promise<void>
}

/** A guard against hangs: nothing takes that long, however busy the machine is. */
const HANG_MS = 180_000

/** Quiet, and able to run as root in a container. */
const ARGS = [
  '--no-zygote',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  '--font-render-hinting=none',
]

export async function launchBrowser(): Promise<TestBrowser> {
  const browser = await chromium.launch({
    ...(await findChromium()),
    args: ARGS,
    chromiumSandbox: false,
    timeout: HANG_MS,
  })
  const contexts = new Set<BrowserContext>()
  const problems: string[] = []
  return {
    async open(url, options = {}) {
      const context = await browser.newContext(contextOptions(options))
      contexts.add(context)
      await keepTo([new URL(url).origin, ...(options.origins ?? [])], context, problems)
      const page = await context.newPage()
      page.setDefaultTimeout(HANG_MS)
      await page.goto(url)
      return page
    },
    async closePages() {
      const open = [...contexts]
      contexts.clear()
      await Promise.all(open.map((context) => context.close()))
      const found = problems.splice(0)
      if (found.length > 0) throw new Error(`In the browser:\n${found.join('\n')}`)
    },
    close: () => browser.close(),
  }
}

const contextOptions = ({
  theme = 'light',
  width = 1440,
  height = 900,
  scale = 1,
}: PageOptions): BrowserContextOptions => ({
  viewport: { width, height },
  deviceScaleFactor: scale,
  colorScheme: theme,
  locale: 'en-GB',
  reducedMotion: 'reduce',
})

/** Refuses and notes every request that leaves `origins`, and notes what goes wrong on the pages. */
async function keepTo(origins: readonly string[], context: BrowserContext, problems: string[]): Promise<void> {
  await context.route(
    (url) => !origins.includes(url.origin) && !['data:', 'blob:'].includes(url.protocol),
    async (route) => {
      problems.push(`request to another origin: ${route.request().url()}`)
      await route.abort()
    },
  )
  context.on('console', (message) => {
    if (message.type() === 'error') problems.push(`console: ${message.text()} (${message.location().url})`)
  })
  context.on('weberror', (error) => problems.push(`page: ${error.error().stack ?? error.error().message}`))
}
