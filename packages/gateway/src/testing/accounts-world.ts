import { createHmac } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { MailMessage } from '@gatepost/auth'
import { readConfig } from '../config/config.ts'
import { type Gateway, startGateway } from '../serve.ts'
import { systemClock } from '../system-clock.ts'
import { browserSession, type BrowserSession } from './browser-session.ts'

/** The whole service in this process, with its mail and its clock in a test's hands. */
export interface AccountsWorld extends AsyncDisposable {
  readonly gateway: () => Gateway
  /** The newest mail to an address, once there is one. */
  mailTo(to: string): Promise<MailMessage>
  /** The number of mails to an address so far. */
  mailCount(to: string): number
  /** Lines of the log, parsed. */
  readonly lines: readonly Readonly<Record<string, unknown>>[]
  readonly dataDir: string
  browser(): BrowserSession
  /** A call with a bearer, by default the owner token. */
  ask(
    method: string,
    path: string,
    options?: { readonly token?: string; readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> },
  ): Promise<{ readonly status: number; readonly body: Readonly<Record<string, unknown>> }>
  /** Signs up by the link of the first start. */
  first(email?: string): Promise<BrowserSession>
  /** Signs up by an invitation. */
  invited(email: string, staff?: boolean): Promise<BrowserSession>
  /** The time goes on. */
  advance(ms: number): void
  /** What an authenticator app shows, for ten seconds at least: the time goes on to the next code if need be. @param secret Base32. */
  totpCode(secret: string): string
  /** Milliseconds since the Unix epoch, as the service sees it. */
  nowMs(): number
  /** Stops, and starts again on the same data. @param more Settings besides. */
  restart(more?: Readonly<Record<string, string>>): Promise<void>
}

/** @see RFC 6238 */
const CODE_MS = 30_000

export const PASSWORD = 'a made-up passphrase 7'

/** @param env Settings besides; an emulator's, for example. */
export async function accountsWorld(env: Readonly<Record<string, string>> = {}): Promise<AccountsWorld> {
  const root = await mkdtemp(join(tmpdir(), 'gatepost-accounts-'))
  const dataDir = join(root, 'data')
  const settings = { GATEPOST_DATA_DIR: dataDir, GATEPOST_PORT: '0', ...env }
  const mails: MailMessage[] = []
  const lines: Readonly<Record<string, unknown>>[] = []
  let ahead = 0
  const nowMs = (): number => systemClock.now() + ahead
  const start = (more: Readonly<Record<string, string>> = {}): Promise<Gateway> =>
    startGateway(readConfig({ ...settings, ...more }), {
      clock: { ...systemClock, now: nowMs },
      mail: { send: async (message) => void mails.push(message) },
      sink: {
        write: (line) => void lines.push(JSON.parse(line) as Readonly<Record<string, unknown>>), // as the log writes them
        flush: () => undefined,
        close: () => undefined,
      },
    })
  let gateway = await start()
  const browser = (): BrowserSession => browserSession(gateway.url)
  const ask: AccountsWorld['ask'] = async (method, path, { token, body, headers } = {}) => {
    const response = await fetch(gateway.url + path, {
      method,
      headers: {
        authorization: `Bearer ${token ?? gateway.ownerToken.reveal()}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    // every answer of the API is a JSON object
    return { status: response.status, body: (await response.json()) as Readonly<Record<string, unknown>> }
  }
  return {
    gateway: () => gateway,
    async mailTo(to) {
      for (;;) {
        const mail = mails.findLast((message) => message.to === to)
        if (mail !== undefined) return mail
        await new Promise((resolve) => setImmediate(resolve))
      }
    },
    mailCount: (to) => mails.filter((message) => message.to === to).length,
    lines,
    dataDir,
    browser,
    ask,
    first: (email = 'ann@example.org') => signUp(browser(), String(gateway.firstAccountUrl), email),
    async invited(email, staff = false) {
      const { body } = await ask('POST', '/api/invitations', { body: { staff } })
      return signUp(browser(), String(body['url']), email)
    },
    advance(ms) {
      ahead += ms
    },
    totpCode(secret) {
      const left = CODE_MS - (nowMs() % CODE_MS)
      if (left < 10_000) ahead += left
      return totpCode(secret, nowMs())
    },
    nowMs,
    async restart(more) {
      await gateway.stop()
      gateway = await start(more)
    },
    async [Symbol.asyncDispose]() {
      await gateway.stop()
      await rm(root, { recursive: true, force: true })
    },
  }
}

/** Opens a link and creates an account. @throws {Error} when that does not sign in */
export async function signUp(browser: BrowserSession, link: string, email: string): Promise<BrowserSession> {
  const opened = await browser.get(link)
  if (opened.location === null) throw new Error(`the link does not lead on: ${opened.status}`)
  const done = await browser.submit(opened.location, { email, password1: PASSWORD, password2: PASSWORD })
  if (done.location === null) throw new Error(`the sign-up of ${email} does not lead on: ${done.text}`)
  return browser
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** What an authenticator app shows: six digits, of half a minute. @param secret Base32. @see RFC 6238, RFC 4226 */
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
