import { type ChildProcess, spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { launchBrowser } from '@gatepost/emulators/browser'
import type { Page } from 'playwright-core'
import { afterEach, expect, it } from 'vitest'
import { manualPages, snippetsOf } from './pages.ts'

const ROOT = join(import.meta.dirname, '..', '..')
/** Below `node_modules`, so that packages are found from there and nothing else looks at it. */
const CACHE = join(ROOT, 'node_modules', '.cache')
const CLIENT = join(ROOT, 'packages', 'auth', 'src')
const PAGE = manualPages().find(({ path }) => path === 'docs/auth/client.md') ?? { path: '', text: '' }

/** A program of the manual that runs. */
interface Running {
  readonly process: ChildProcess
  /** Resolves with the next thing that it says and that `pattern` matches. */
  says(pattern: RegExp): Promise<string>
}

const folders: string[] = []
const running: ChildProcess[] = []
afterEach(async () => {
  for (const process of running.splice(0)) {
    if (process.exitCode !== null || process.signalCode !== null) continue
    process.kill('SIGKILL')
    await once(process, 'exit')
  }
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

/** The code of the snippet that begins with this name. @param port In place of 3000. */
function example(name: string, port: number): string {
  const found = snippetsOf(PAGE, 'ts').find(({ code }) => code.startsWith(`// ${name}\n`))
  if (found === undefined) throw new Error(`the manual has no example ${name}`)
  return stripTypeScriptTypes(found.code.replaceAll('localhost:3000', `localhost:${port}`).replace('(3000', `(${port}`))
}

function start(folder: string, name: string, port: number): Running {
  const file = join(folder, name.replace('.ts', '.mjs'))
  writeFileSync(file, example(name, port))
  const child = spawn(process.execPath, [file], { cwd: folder, stdio: 'pipe' })
  running.push(child)
  let said = ''
  let from = 0
  let heard = (): void => {}
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text
      heard()
    })
  }
  const says = (pattern: RegExp): Promise<string> =>
    new Promise((resolve, reject) => {
      heard = () => {
        const found = pattern.exec(said.slice(from))
        if (found === null) return
        from += found.index + found[0].length
        resolve(found[1] ?? found[0])
      }
      child.once('exit', () => reject(new Error(`${name} has ended: ${said}`)))
      heard()
    })
  return { process: child, says }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0)
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address !== null ? address.port : 0
}

/** The front end of the manual below `/front/`, with the modules of the client, each without its types. */
async function open(browser: Awaited<ReturnType<typeof launchBrowser>>, port: number) {
  const origin = `http://localhost:${port}`
  const page = await browser.open(`${origin}/accounts/login/`)
  await page.route(`${origin}/front/**`, (route) => {
    const path = new URL(route.request().url()).pathname.slice('/front/'.length)
    const [html] = snippetsOf(PAGE, 'html')
    if (path === '') return route.fulfill({ contentType: 'text/html', body: html?.code ?? '' })
    const code =
      path === 'page.js'
        ? example('page.ts', port).replace('@gatepost/auth/client', '/front/client/index.ts')
        : stripTypeScriptTypes(readFileSync(join(CLIENT, path), 'utf8'))
    return route.fulfill({ contentType: 'text/javascript', body: code })
  })
  await page.goto(`${origin}/front/`)
  return page
}

/** What an authenticator app shows for this URL. @see RFC 6238, RFC 4226 section 5.3 */
function codeOf(url: string): string {
  const letters = new URL(url).searchParams.get('secret') ?? ''
  const bits = Array.from(letters, (letter) =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'),
  ).join('')
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000)))
  const digest = createHmac('sha1', key).update(counter).digest()
  const value = digest.readUInt32BE((digest.at(-1) ?? 0) & 0xf) & 0x7fffffff
  return String(value % 1_000_000).padStart(6, '0')
}

/** Answers what the app asks for. @returns one of the recovery codes that are left */
async function answer(app: Running, server: Running): Promise<string> {
  const type = (text: string): void => void app.process.stdin?.write(`${text}\n`)
  await app.says(/Code of the mail: /)
  type(await server.says(/^ *([A-Z0-9]{4}-[A-Z0-9]{4})$/m))
  const url = await app.says(/otpauth:\/\/\S+/)
  await app.says(/Code of the app: /)
  type(codeOf(url))
  await app.says(/Hello, ada/)
  await app.says(/Sessions: 1\n/)
  const [code = ''] = (await app.says(/Codes left: (.*)\n/)).split(' ')
  return code
}

/** Lets a page have passkeys. @see Chrome DevTools Protocol, "WebAuthn" */
async function givePasskeys(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('WebAuthn.enable')
  const device = { protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true } as const
  const options = { ...device, isUserVerified: true, automaticPresenceSimulation: true }
  await session.send('WebAuthn.addVirtualAuthenticator', { options })
}

it('runs the two clients of the manual: an account with a second step, then a page that signs in to it', async () => {
  mkdirSync(CACHE, { recursive: true })
  const folder = mkdtempSync(join(CACHE, 'client-examples-'))
  folders.push(folder)
  const port = await freePort()
  const server = start(folder, 'server.ts', port)
  await server.says(/http:\/\/localhost:\d+/)
  const code = await answer(start(folder, 'app.ts', port), server)

  const browser = await launchBrowser()
  try {
    const page = await open(browser, port)
    await givePasskeys(page)
    const shows = (text: string): Promise<void> => page.locator('output', { hasText: text }).waitFor()
    await shows('Nobody is signed in.')
    await page.fill('[name=email]', 'ada@example.org')
    await page.fill('[name=password]', 'another made-up pass phrase')
    await page.click('form button')
    await shows('wrong')
    await page.fill('[name=password]', 'a made-up pass phrase')
    await page.click('form button')
    await shows('Now the code.')
    await page.fill('[name=code]', code)
    await page.click('form button')
    await shows('Hello, ada')

    await page.click('#add')
    await shows('Added: Master key.')
    await page.click('#logout')
    await shows('Nobody is signed in.')
    await page.click('#passkey')
    await shows('Hello, ada')
    expect(await page.evaluate("fetch('/_allauth/browser/v1/auth/session').then(({ status }) => status)")).toBe(200)
  } finally {
    await browser.close()
  }
})
