import { z } from 'zod'
import type { PlatformIo } from '../../platform-io.ts'
import { SetupFailure, type SetupGuide, type SetupWorld } from '../../setup/guide.ts'
import type { CallLimits } from '../wire/call.ts'
import { filled, type Json } from '../wire/json.ts'
import { parseTrustedUrl, isOnThisMachine } from '../wire/urls.ts'
import { openClient } from './client.ts'
import { isId, weixinApiUrl, weixinCredentials } from './credentials.ts'
import { codeBody } from './encode.ts'
import { type Answer, describeFailure } from './outcome.ts'

/** How long a code is valid. */
const CODE_LIFE_MS = 300_000
/** A code that ends unused is replaced so often. */
const MAX_NEW_CODES = 3
const FETCH_MS = 15_000
/** The server holds the question for 35 s. */
const STATUS_MS = 40_000
const PAUSE_MS = 1_000
/** A confirmation this early belongs to an earlier sign-in: no one scans and confirms that fast. */
const STALE_WITHIN_MS = 3_000

/** Logs in by a code that is scanned with the app; whoever scans is the first who may write. */
const qrGuide: SetupGuide = {
  kind: 'qr',
  title: 'Sign in by QR code',
  instructions: [
    'Open Weixin (WeChat) on your phone and scan the code with the account that will act as the bot.',
    'Confirm the sign-in on your phone. If it shows a number, enter it here.',
    'Message the bot in Weixin: it can only message people who have written to it.',
  ],
  isCodeUrl(url, io) {
    const configured = weixinApiUrl(io)
    const domains = ['weixin.qq.com', new URL(configured).hostname]
    return parseTrustedUrl(url, 'web', { configured, domains }) !== null
  },
  async run(world, signal) {
    const base = weixinApiUrl(world.io)
    const resumed = progressSchema.safeParse(world.resumed)
    for (let codes = 0; codes <= MAX_NEW_CODES; codes++) {
      const code = codes === 0 && resumed.success ? resumed.data : await newCode(world, base, signal)
      const grant = await watchCode(world, base, code, signal)
      if (grant !== null) return saveGrant(world, base, grant)
    }
    throw new SetupFailure('expired')
  },
}

/** The ways to get credentials for Weixin. */
export const weixinSetups: readonly SetupGuide[] = [qrGuide]

async function newCode(world: SetupWorld, base: string, signal: AbortSignal): Promise<BegunLogin> {
  const stored = weixinCredentials.schema.safeParse(world.stored)
  // Weixin would report the account as already connected, by a sign-in that it no longer accepts
  const known = stored.success && !world.isRejected ? [stored.data.token] : []
  const code = await fetchCode(world.io, base, known, { signal, timeoutMs: FETCH_MS })
  signal.throwIfAborted()
  if (typeof code === 'string') throw new SetupFailure('unreachable', `Weixin returned no QR code: ${code}.`)
  const begun = { ...code, beganAtMs: world.io.clock.now() }
  await world.keep(begun, begun.beganAtMs + CODE_LIFE_MS)
  signal.throwIfAborted()
  return begun
}

/**
 * Waits for the code to be confirmed. @returns `null` when it has expired.
 * @throws {SetupFailure} and the reason of `signal`.
 */
async function watchCode(
  world: SetupWorld,
  base: string,
  code: BegunLogin,
  signal: AbortSignal,
): Promise<LoginGrant | null> {
  const { beganAtMs } = code
  const expiresAtMs = beganAtMs + CODE_LIFE_MS
  const shown = { url: code.url, scannable: true, expiresAtMs }
  world.show({ ...shown, state: 'waiting', message: 'Scan the code with Weixin on your phone.' })
  const phone: Phone = { host: base, seen: false, verifyCode: null }
  let answered = false
  while (world.io.clock.now() < expiresAtMs) {
    const asked = await fetchLoginStatus(world.io, phone.host, code.id, phone.verifyCode, {
      signal,
      timeoutMs: STATUS_MS,
    })
    signal.throwIfAborted()
    const news = asked.ok ? readStatus(asked.body) : null
    answered ||= asked.ok
    if (news?.status === 'expired') return null
    if (news?.status === 'confirmed') {
      const isStale = !phone.seen && world.io.clock.now() - beganAtMs < STALE_WITHIN_MS
      if (isStale) throw new SetupFailure('stale_session')
      return news.grant
    }
    if (news !== null) await applyStatus(world, news, phone, shown, signal)
    await world.io.clock.sleep(PAUSE_MS, signal)
    signal.throwIfAborted()
  }
  if (!answered) throw new SetupFailure('unreachable')
  return null
}

/** Progress of the scan on the phone. */
interface Phone {
  /** Where to ask. */
  host: string
  /** Someone has scanned it. */
  seen: boolean
  /** The number that was typed in and is to be brought by the next question. */
  verifyCode: string | null
}

type Pending = Exclude<LoginStatus, { status: 'confirmed' | 'expired' }>

async function applyStatus(
  world: SetupWorld,
  news: Pending,
  phone: Phone,
  shown: { readonly url: string; readonly scannable: boolean; readonly expiresAtMs: number },
  signal: AbortSignal,
): Promise<void> {
  const scanned = (): void => {
    if (!phone.seen) world.show({ ...shown, state: 'scanned', message: 'Confirm the sign-in on your phone.' })
    phone.seen = true
  }
  switch (news.status) {
    case 'wait':
      return
    case 'scaned':
      phone.verifyCode = null
      return scanned()
    case 'scaned_but_redirect': {
      const host = parseTrustedHost(news.host, weixinApiUrl(world.io))
      if (host === null) throw new SetupFailure('unreachable', 'Weixin returned an untrusted server for this account.')
      phone.host = host
      return scanned()
    }
    case 'need_verifycode':
      phone.seen = true
      phone.verifyCode = await requestNumber(world, phone.verifyCode !== null, signal)
      return world.show({ ...shown, state: 'scanned', message: 'Checking the number.' })
    case 'verify_code_blocked':
      throw new SetupFailure('code_blocked')
    case 'binded_redirect':
      throw new SetupFailure('already_bound')
  }
}

/** @param again The one before was wrong. */
async function requestNumber(world: SetupWorld, again: boolean, signal: AbortSignal): Promise<string> {
  const fields = [{ name: 'verify_code', label: 'the number on your phone', secret: false }]
  let message = again ? 'Wrong number. Enter the one on your phone.' : 'Enter the number on your phone.'
  for (;;) {
    const { verify_code: typed = '' } = await world.ask({ message, fields }, signal)
    const number = typed.replace(/\s/g, '')
    if (/^\d{1,12}$/.test(number)) return number
    message = 'The number has digits only. Enter the one on your phone.'
  }
}

async function saveGrant(world: SetupWorld, base: string, grant: LoginGrant): Promise<void> {
  const { token, baseUrl, botId, userId } = grant
  const checked = baseUrl === undefined ? base : parseTrustedBase(baseUrl, base)
  if (checked === null) throw new SetupFailure('unreachable', 'Weixin returned an untrusted server for this bot.')
  const fields = {
    token,
    // The configured host may move, e.g. an emulator's: only another one is kept.
    ...(checked === base ? {} : { base_url: checked }),
    ...(isId(botId) ? { ilink_bot_id: botId } : {}),
    ...(isId(userId) ? { ilink_user_id: userId } : {}),
  }
  await world.save(fields, userId === undefined ? undefined : { id: userId })
}

/** A code that can be scanned. */
interface LoginCode {
  readonly id: string
  /** What the code says; opened in a browser it shows none. */
  readonly url: string
}

/** A code, and when it was fetched, milliseconds since the Unix epoch. */
interface BegunLogin extends LoginCode {
  readonly beganAtMs: number
}

const progressSchema: z.ZodType<BegunLogin> = z.strictObject({ id: z.string(), url: z.string(), beganAtMs: z.number() })

/** Status of a QR code. */
type LoginStatus =
  | { readonly status: (typeof PLAIN)[number] }
  | { readonly status: 'expired' }
  | { readonly status: 'scaned_but_redirect'; readonly host: string }
  | { readonly status: 'confirmed'; readonly grant: LoginGrant }

interface LoginGrant {
  readonly token: string
  readonly baseUrl?: string
  readonly botId?: string
  readonly userId?: string
}

const PLAIN = ['wait', 'scaned', 'need_verifycode', 'verify_code_blocked', 'binded_redirect'] as const

/** Requests a code. @returns the code, or the error. @param knownTokens Stored sign-ins. */
async function fetchCode(
  io: PlatformIo,
  base: string,
  knownTokens: readonly string[],
  limits: CallLimits,
): Promise<LoginCode | string> {
  const client = openClient(io, base, null)
  const answer = await client.post('ilink/bot/get_bot_qrcode?bot_type=3', codeBody(knownTokens), limits)
  if (!answer.ok) return describeFailure(answer.failure)
  const id = filled(answer.body['qrcode'])
  if (id === undefined || id.length > 1_000) return 'the response has no code'
  const shown = filled(answer.body['qrcode_img_content'])
  return { id, url: isWebUrl(shown) ? shown : `https://liteapp.weixin.qq.com/q/${encodeURIComponent(id)}` }
}

const isWebUrl = (value: string | undefined): value is string =>
  value !== undefined && value.length <= 2_000 && URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)

/** Asks once what became of the code; the server holds the answer until there is news. */
function fetchLoginStatus(
  io: PlatformIo,
  base: string,
  codeId: string,
  verifyCode: string | null,
  limits: CallLimits,
): Promise<Answer> {
  const query = new URLSearchParams({ qrcode: codeId, ...(verifyCode === null ? {} : { verify_code: verifyCode }) })
  return openClient(io, base, null).get(`ilink/bot/get_qrcode_status?${query.toString()}`, limits)
}

/** Pure. `null`: nothing that is known, or a confirmation without a sign-in. */
function readStatus(body: Json): LoginStatus | null {
  const status = filled(body['status'])
  const plain = PLAIN.find((one) => one === status)
  if (plain !== undefined) return { status: plain }
  if (status === 'expired') return { status }
  if (status === 'scaned_but_redirect') return { status, host: filled(body['redirect_host']) ?? '' }
  const token = filled(body['bot_token'])
  if (status !== 'confirmed' || token === undefined) return null
  const baseUrl = filled(body['baseurl'])
  const botId = filled(body['ilink_bot_id'])
  const userId = filled(body['ilink_user_id'])
  return {
    status,
    grant: {
      token,
      ...(baseUrl === undefined ? {} : { baseUrl }),
      ...(botId === undefined ? {} : { botId }),
      ...(userId === undefined ? {} : { userId }),
    },
  }
}

/** A base URL that Weixin named, without a trailing slash; `null` when nothing may be sent there. */
export const parseTrustedBase = (given: string, configured: string): string | null =>
  parseTrustedUrl(given, 'web', { configured })?.href.replace(/\/+$/, '') ?? null

/** The base URL of a host that Weixin named, `host` or `host:port`; `null` as for `checkedBase`. */
export function parseTrustedHost(host: string, configured: string): string | null {
  if (!/^[\w.-]{1,253}(?::\d{1,5})?$/.test(host)) return null
  return parseTrustedBase(
    `${isOnThisMachine(configured) ? new URL(configured).protocol : 'https:'}//${host}`,
    configured,
  )
}
