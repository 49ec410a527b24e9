import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core'

/** Options of a page. */
export interface PageOptions {
  /** Default `light`. */
  readonly theme?: 'light' | 'dark'
  /** In CSS pixels. Default 1440 by 900. */
  readonly width?: number
  readonly height?: number
  /** Device pixels per CSS pixel. Default 1. */
  readonly scale?: number
  /** Additional origins that it can request. */
  readonly origins?: readonly string[]
}

/** A Chromium for one test file. */
export interface TestBrowser {
  /** Opens a page with its own storage, which can request the origin of `url` and those in the options. */
  open(url: string, options?: PageOptions): Promise<Page>
  /**
   * Closes every page.
   * @throws {Error} when a page logged an error, threw, or requested another origin
   */
  closePages(): Promise<void>
  close(): Promise<void>
}

/** Timeout for hangs; nothing takes this long, even on a busy machine. */
const HANG_MS = 180_000

/** Disables background activity, and allows running as root in a container. */
const ARGS = [
  '--no-zygote',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  '--font-render-hinting=none',
]

/** Starts Chromium. */
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
      await restrictTo([new URL(url).origin, ...(options.origins ?? [])], context, problems)
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

/** Blocks and records requests to other origins, and records errors of the pages. */
async function restrictTo(origins: readonly string[], context: BrowserContext, problems: string[]): Promise<void> {
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

/** A Chromium to start. */
interface Chromium {
  readonly executablePath: string
  readonly env: Readonly<Record<string, string>>
}

/**
 * Returns the Chromium at `CHROMIUM_PATH`, or the one in the package `@sparticuz/chromium` (Linux on x64), which is unpacked
 * once into the temporary folder.
 */
async function findChromium(): Promise<Chromium> {
  const named = process.env['CHROMIUM_PATH']
  const env = Object.fromEntries(Object.entries(process.env).flatMap(([key, value]) => (value ? [[key, value]] : [])))
  if (named !== undefined && named !== '') return { executablePath: named, env }
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Error('Browser tests need CHROMIUM_PATH on this system: the path of Chromium or Chrome.')
  }
  const home = await getChromiumFolder()
  return { executablePath: join(home, 'chromium'), env: { ...env, FONTCONFIG_FILE: join(home, 'fonts.conf') } }
}

/** Resolves to the folder of the unpacked browser. When processes race, the first one wins. */
async function getChromiumFolder(): Promise<string> {
  const entry = createRequire(import.meta.url).resolve('@sparticuz/chromium')
  const manifest: unknown = JSON.parse(await readFile(join(entry, '../../package.json'), 'utf8'))
  const version =
    typeof manifest === 'object' && manifest !== null && 'version' in manifest ? String(manifest.version) : ''
  const home = join(tmpdir(), `gatepost-chromium-${version}-${userInfo().uid}`)
  if (!existsSync(home)) {
    const staging = await mkdtemp(`${home}-`)
    await unpackInto(staging, home)
    await rename(staging, home).catch(async (error: unknown) => {
      await rm(staging, { recursive: true })
      if (!existsSync(home)) throw error
    })
  }
  if ((await stat(home)).uid !== userInfo().uid) throw new Error(`${home} belongs to another user.`)
  return home
}

async function unpackInto(staging: string, home: string): Promise<void> {
  const program = fileURLToPath(new URL('./unpack-chromium.ts', import.meta.url))
  await promisify(execFile)(process.execPath, [program], { env: { ...process.env, TMPDIR: staging } })
  await writeFile(join(staging, 'fonts.conf'), fontsConf(home))
}

/** Prefers the package's fonts, so that pages look the same on every machine. */
const fontsConf = (home: string): string => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
  <dir>${join(home, 'fonts')}</dir>
  <dir>/usr/share/fonts</dir>
  <dir>/usr/local/share/fonts</dir>
  <cachedir>${join(home, 'fonts-cache')}</cachedir>
  ${['sans-serif', 'system-ui'].map((family) => preferFont(family, 'Open Sans')).join('\n  ')}
  ${preferFont('monospace', 'DejaVu Sans Mono')}
</fontconfig>
`

const preferFont = (family: string, font: string): string =>
  `<alias binding="same"><family>${family}</family><prefer><family>${font}</family></prefer></alias>`
