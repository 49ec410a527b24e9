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
import { loadPages, findSnippets } from './pages.ts'

const ROOT = join(import.meta.dirname, '..', '..')
/** Inside `node_modules`, so that packages resolve and other tools ignore it. */
const CACHE = join(ROOT, 'node_modules', '.cache')
const CLIENT = join(ROOT, 'packages', 'auth', 'src', 'headless')
const PAGE = loadPages().find(({ path }) => path === 'docs/auth/client.md') ?? { path: '', text: '' }

/** A running program from the manual. */
interface Running {
  readonly process: ChildProcess
  /** Resolves with the next output that `pattern` matches. */
  waitForOutput(pattern: RegExp): Promise<string>
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

/** Returns the code of the snippet with this name. @param port Replaces 3000. */
function loadExample(name: string, port: number): string {
  const found = findSnippets(PAGE, 'ts').find(({ code }) => code.startsWith(`// ${name}\n`))
  if (found === undefined) throw new Error(`the manual has no example ${name}`)
  return stripTypeScriptTypes(found.code.replaceAll('localhost:3000', `localhost:${port}`).replace('(3000', `(${port}`))
}

function start(folder: string, name: string, port: number): Running {
  const file = join(folder, name.replace('.ts', '.mjs'))
  writeFileSync(file, loadExample(name, port))
  const child = spawn(process.execPath, [file], { cwd: folder, stdio: 'pipe' })
  running.push(child)
  let output = ''
  let from = 0
  let onOutput = (): void => {}
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
      onOutput()
    })
  }
  const waitForOutput = (pattern: RegExp): Promise<string> =>
    new Promise((resolve, reject) => {
      onOutput = () => {
        const found = pattern.exec(output.slice(from))
        if (found === null) return
        from += found.index + found[0].length
        resolve(found[1] ?? found[0])
      }
      child.once('exit', () => reject(new Error(`${name} has exited: ${output}`)))
      onOutput()
    })
  return { process: child, waitForOutput }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0)
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address !== null ? address.port : 0
}

/** Opens the manual's page at `/front/`, serving it and the client's modules with their types stripped. */
async function openPage(browser: Awaited<ReturnType<typeof launchBrowser>>, port: number) {
  const origin = `http://localhost:${port}`
  const page = await browser.open(`${origin}/accounts/login/`)
  await page.route(`${origin}/front/**`, (route) => {
    const path = new URL(route.request().url()).pathname.slice('/front/'.length)
    const [html] = findSnippets(PAGE, 'html')
    if (path === '') return route.fulfill({ contentType: 'text/html', body: html?.code ?? '' })
    const code =
      path === 'page.js'
        ? loadExample('page.ts', port).replace('@gatepost/auth/client', '/front/client/index.ts')
        : stripTypeScriptTypes(readFileSync(join(CLIENT, path), 'utf8'))
    return route.fulfill({ contentType: 'text/javascript', body: code })
  })
  await page.goto(`${origin}/front/`)
  return page
}

/** Computes the code that an authenticator app shows for this URL. @see RFC 6238, RFC 4226 section 5.3 */
function computeTotp(url: string): string {
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

/** Enters what the app asks for. @returns one of the remaining recovery codes */
async function driveApp(app: Running, server: Running): Promise<string> {
  const type = (text: string): void => void app.process.stdin?.write(`${text}\n`)
  await app.waitForOutput(/Code from the email: /)
  type(await server.waitForOutput(/^ *([A-Z0-9]{4}-[A-Z0-9]{4})$/m))
  const url = await app.waitForOutput(/otpauth:\/\/\S+/)
  await app.waitForOutput(/Code from the app: /)
  type(computeTotp(url))
  await app.waitForOutput(/Hello, ada/)
  await app.waitForOutput(/Sessions: 1\n/)
  const [code = ''] = (await app.waitForOutput(/Codes left: (.*)\n/)).split(' ')
  return code
}

/** Adds a virtual authenticator to the page. @see Chrome DevTools Protocol, "WebAuthn" */
async function addVirtualAuthenticator(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('WebAuthn.enable')
  const device = { protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true } as const
  const options = { ...device, isUserVerified: true, automaticPresenceSimulation: true }
  await session.send('WebAuthn.addVirtualAuthenticator', { options })
}

it('runs both clients in the manual: one sets up two-factor authentication, the other signs in with it', async () => {
  mkdirSync(CACHE, { recursive: true })
  const folder = mkdtempSync(join(CACHE, 'client-examples-'))
  folders.push(folder)
  const port = await freePort()
  const server = start(folder, 'server.ts', port)
  await server.waitForOutput(/http:\/\/localhost:\d+/)
  const code = await driveApp(start(folder, 'app.ts', port), server)

  const browser = await launchBrowser()
  try {
    const page = await openPage(browser, port)
    await addVirtualAuthenticator(page)
    const shows = (text: string): Promise<void> => page.locator('output', { hasText: text }).waitFor()
    await shows('Signed out.')
    await page.fill('[name=email]', 'ada@example.org')
    await page.fill('[name=password]', 'another made-up pass phrase')
    await page.click('form button')
    await shows('Incorrect')
    await page.fill('[name=password]', 'a made-up pass phrase')
    await page.click('form button')
    await shows('Enter your code.')
    await page.fill('[name=code]', code)
    await page.click('form button')
    await shows('Hello, ada')

    await page.click('#add')
    await shows('Added: Main key.')
    await page.click('#logout')
    await shows('Signed out.')
    await page.click('#passkey')
    await shows('Hello, ada')
    expect(await page.evaluate("fetch('/_allauth/browser/v1/auth/session').then(({ status }) => status)")).toBe(200)
  } finally {
    await browser.close()
  }
})
