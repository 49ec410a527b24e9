import { createHash } from 'node:crypto'
import { type FailureValues, toFinding } from '../../doctor/findings.ts'
import type { PlatformIo } from '../../platform-io.ts'
import type { ChannelCheck } from '../../platform.ts'
import { toFailureValues, toForeignFailure, createRedactor, readJson, checkReachable, runCall } from '../wire/call.ts'
import { integer, object, text } from '../wire/json.ts'
import { wecomUrl } from './client.ts'
import type { WecomCredentials } from './credentials.ts'
import { type Health, getBotHealth } from './connection.ts'
import { isRejection } from './outcome.ts'

const REACH_MS = 10_000
/** Three heartbeats. */
const FRESH_MS = 90_000
const FREQUENCY = 45009
const ADMIN = 'https://work.weixin.qq.com/wework_admin/frame#/aiHelper/list'
const RECONFIGURE = 'Copy the Bot ID and Secret from the admin console again and run: npx gatepost setup wecom'

/**
 * Diagnoses this bot without subscribing, which would replace a live connection. Never throws for a failing remote.
 */
export async function diagnoseWecom(
  credentials: WecomCredentials,
  io: PlatformIo,
  signal: AbortSignal,
): Promise<readonly ChannelCheck[]> {
  const health = getBotHealth(io, credentials.bot_id)
  const [network, probed] = await Promise.all([checkReach(io, health, signal), probe(credentials, io, signal)])
  return [
    {
      id: 'credentials_form',
      title: 'Bot ID and Secret are valid',
      status: 'pass',
      ...toFinding('credentials_valid', { bot_id: credentials.bot_id }),
    },
    network,
    checkConnection(health, io.clock.now()),
    checkTakenOver(health),
    checkRateLimit(health),
    checkProbe(probed, health),
  ]
}

async function checkReach(io: PlatformIo, health: Health, signal: AbortSignal): Promise<ChannelCheck> {
  const base = { id: 'server_reachable', title: 'WeCom is reachable' } as const
  const url = wecomUrl(io)
  if (health.isConnected) return { ...base, status: 'pass', ...toFinding('connected_to', { url }) }
  // whatever it says: a socket is opened by another kind of request
  const failure = await checkReachable(io, url.replace(/^ws/, 'http'), { signal, timeoutMs: REACH_MS })
  if (failure === null) return { ...base, status: 'pass', ...toFinding('server_responds', { url }) }
  const remedy = `Check the network, firewall, and any proxy: this machine must be able to reach ${url}.`
  const finding = toFinding('connection_failed', { url, ...toFailureValues(failure.detail, failure) })
  return { ...base, status: 'fail', ...finding, remedy }
}

function checkConnection({ subscribed, provedAtMs, isConnected }: Health, nowMs: number): ChannelCheck {
  const base = { id: 'subscribed', title: 'WeCom accepted the connection' } as const
  if (isConnected && provedAtMs !== null) {
    const seconds = Math.max(0, Math.round((nowMs - provedAtMs) / 1000))
    const fresh = nowMs - provedAtMs < FRESH_MS
    const finding = toFinding('subscribed', { seconds, fresh })
    return { ...base, status: fresh ? 'pass' : 'warn', ...finding, at: provedAtMs }
  }
  if (subscribed === null) return { ...base, status: 'warn', ...toFinding('never_subscribed') }
  const { atMs, errcode, errmsg } = subscribed
  if (errcode === 0) return { ...base, status: 'warn', ...toFinding('subscribed_before'), at: atMs }
  const finding = toFinding('subscription_refused', { words: errmsg, code: errcode })
  if (!isRejection(errcode)) return { ...base, status: 'warn', ...finding, at: atMs }
  return { ...base, status: 'fail', ...finding, at: atMs, remedy: RECONFIGURE, fix: { kind: 'set_up' } }
}

function checkTakenOver({ takenOverAtMs }: Health): ChannelCheck {
  const base = { id: 'not_taken_over', title: 'No other program uses the bot' } as const
  if (takenOverAtMs === null) return { ...base, status: 'pass', ...toFinding('not_taken_over') }
  return {
    ...base,
    status: 'fail',
    ...toFinding('taken_over'),
    at: takenOverAtMs,
    remedy: 'Stop the other program, or create a separate bot for this service. Then run: npx gatepost enable wecom',
    fix: { kind: 'enable' },
  }
}

function checkRateLimit({ subscribed }: Health): ChannelCheck {
  const base = { id: 'not_limited', title: 'No connection rate limit' } as const
  if (subscribed?.errcode !== FREQUENCY) return { ...base, status: 'pass', ...toFinding('not_limited') }
  const finding = toFinding('limited', { words: subscribed.errmsg, code: FREQUENCY })
  return { ...base, status: 'warn', ...finding, at: subscribed.atMs, remedy: "Wait a few minutes, and don't restart." }
}

/** The probe errs at times: it fails the check only where no connection has ever shown that it does. */
function checkProbe(probed: Probed, { subscribed }: Health): ChannelCheck {
  const base = { id: 'credentials_known', title: 'WeCom recognizes the bot (unreliable)' } as const
  if (probed.said === 'accepted') return { ...base, status: 'pass', ...toFinding('probe_accepted') }
  if (probed.said === 'nothing') return { ...base, status: 'warn', ...toFinding('probe_inconclusive', probed.why) }
  const values = { words: probed.errmsg, code: probed.errcode }
  if (subscribed?.errcode === 0)
    return { ...base, status: 'warn', ...toFinding('probe_refused', { ...values, doubt: 'connected' }) }
  if (!isRejection(probed.errcode))
    return { ...base, status: 'warn', ...toFinding('probe_refused', { ...values, doubt: null }) }
  const remedy = `Look the bot up at ${ADMIN}. ${RECONFIGURE}`
  const finding = toFinding('probe_refused', { ...values, doubt: 'new_bot' })
  return { ...base, status: 'fail', ...finding, remedy, fix: { kind: 'set_up' } }
}

/** Result of the signed probe. It does not affect a connection, but is undocumented and can be wrong for new bots. */
type Probed =
  | { readonly said: 'accepted' }
  | { readonly said: 'refused'; readonly errcode: number; readonly errmsg: string }
  | { readonly said: 'nothing'; readonly why: FailureValues }

const PROBE_MS = 10_000
/** Largest answer over HTTP that is read, in bytes. */
export const ANSWER_BYTES = 64 * 1024

/** Asks whether these credentials are known. Never throws for a failing remote. */
async function probe(credentials: WecomCredentials, io: PlatformIo, signal: AbortSignal): Promise<Probed> {
  const host = io.host('GATEPOST_WECOM_PROBE_URL', 'https://qyapi.weixin.qq.com')
  const { bot_id, secret } = credentials
  const time = Math.floor(io.clock.now() / 1000)
  const nonce = Array.from({ length: 16 }, () => Math.floor(io.random() * 16).toString(16)).join('')
  const signature = createHash('sha256').update(`${secret}${bot_id}${time}${nonce}`).digest('hex')
  const body = JSON.stringify({ bot_id, time, nonce, signature, bind_source: 1 })
  const limits = { signal, timeoutMs: PROBE_MS }
  const got = await runCall(io, limits, async (over) => {
    const headers = { 'content-type': 'application/json' }
    const url = `${host}/cgi-bin/aibot/cli/get_cli_config`
    const response = await io.fetch(url, { method: 'POST', body, headers, signal: over, redirect: 'manual' })
    return read(response, await readJson(response, ANSWER_BYTES))
  })
  return 'failure' in got ? { said: 'nothing', why: toFailureValues(got.failure.detail, got.failure) } : got
}

function read(response: Response, body: unknown): Probed {
  const answer = object(body)
  const errcode = integer(answer?.['errcode'])
  if (errcode === undefined) {
    const failure = toForeignFailure(response, 'WeCom')
    return { said: 'nothing', why: toFailureValues(failure.detail, failure) }
  }
  if (errcode === 0) return { said: 'accepted' }
  return { said: 'refused', errcode, errmsg: createRedactor()(text(answer?.['errmsg']) ?? '') }
}
