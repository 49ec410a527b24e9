import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core'

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

/** A Chromium to start. */
interface Chromium {
  readonly executablePath: string
  readonly env: Readonly<Record<string, string>>
}

/**
 * The Chromium that `CHROMIUM_PATH` names, else the one of the package `@sparticuz/chromium` (Linux on x64), which is
 * unpacked once into the temporary folder.
 */
async function findChromium(): Promise<Chromium> {
  const named = process.env['CHROMIUM_PATH']
  const env = Object.fromEntries(Object.entries(process.env).flatMap(([key, value]) => (value ? [[key, value]] : [])))
  if (named !== undefined && named !== '') return { executablePath: named, env }
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Error('Tests in a browser need CHROMIUM_PATH here: the path of a Chromium or Chrome.')
  }
  const home = await unpacked()
  return { executablePath: join(home, 'chromium'), env: { ...env, FONTCONFIG_FILE: join(home, 'fonts.conf') } }
}

/** The folder with the unpacked browser. Several processes may ask at once: the first to be ready wins. */
async function unpacked(): Promise<string> {
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
  if ((await stat(home)).uid !== userInfo().uid) throw new Error(`${home} belongs to somebody else.`)
  return home
}

async function unpackInto(staging: string, home: string): Promise<void> {
  const program = fileURLToPath(new URL('./unpack-chromium.ts', import.meta.url))
  await promisify(execFile)(process.execPath, [program], { env: { ...process.env, TMPDIR: staging } })
  await writeFile(join(staging, 'fonts.conf'), fontsConf(home))
}

/** The package's own fonts first, so that pages look alike on every machine, and those of the machine. */
const fontsConf = (home: string): string => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
  <dir>${join(home, 'fonts')}</dir>
  <dir>/usr/share/fonts</dir>
  <dir>/usr/local/share/fonts</dir>
  <cachedir>${join(home, 'fonts-cache')}</cachedir>
  ${['sans-serif', 'system-ui'].map((family) => preferred(family, 'Open Sans')).join('\n  ')}
  ${preferred('monospace', 'DejaVu Sans Mono')}
</fontconfig>
`

const preferred = (family: string, font: string): string =>
  `<alias binding="same"><family>${family}</family><prefer><family>${font}</family></prefer></alias>`
