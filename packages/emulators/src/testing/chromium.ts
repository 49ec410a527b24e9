import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** A Chromium to start. */
export interface Chromium {
  readonly executablePath: string
  readonly env: Readonly<Record<string, string>>
}

/**
 * The Chromium that `CHROMIUM_PATH` names, else the one of the package `@sparticuz/chromium` (Linux on x64), which is
 * unpacked once into the temporary folder.
 */
export async function findChromium(): Promise<Chromium> {
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
