import type { ChannelCheck } from '../../platform.ts'
import type { PlatformIo } from '../../platform-io.ts'
import { unreachable } from '../wire/call.ts'
import { openClient } from './client.ts'
import { type WeixinCredentials, weixinBaseUrl, weixinCdnUrl, weixinIdentity } from './credentials.ts'
import { configBody } from './encode.ts'
import { type BotMemory, memoryOf } from './memory.ts'
import { isRejection, sentenceOf, type WeixinFailure } from './outcome.ts'

const TIMEOUT_MS = 10_000

/** What became of a question that Weixin answers without handing out messages. */
export type Probe =
  | { readonly is: 'accepted' }
  | { readonly is: 'rejected' | 'unreachable'; readonly failure: WeixinFailure }

/**
 * Asks for a typing ticket: there is no question for the validity of a log-in but the poll, which would take messages
 * away from whoever polls now. Anything but -14 leaves the log-in standing.
 */
export async function probe(credentials: WeixinCredentials, io: PlatformIo, signal: AbortSignal): Promise<Probe> {
  const client = openClient(io, weixinBaseUrl(credentials, io), credentials.token)
  const body = configBody(credentials.ilink_user_id ?? '', '')
  const answer = await client.post('ilink/bot/getconfig', body, { signal, timeoutMs: TIMEOUT_MS })
  if (answer.ok) return { is: 'accepted' }
  const { failure } = answer
  if (isRejection(failure)) return { is: 'rejected', failure }
  return failure.kind === 'answer' ? { is: 'accepted' } : { is: 'unreachable', failure }
}

/** Finds out what can be wrong with this bot, without receiving. Never throws for a failing remote. */
export async function diagnoseWeixin(
  credentials: WeixinCredentials,
  io: PlatformIo,
  signal: AbortSignal,
): Promise<readonly ChannelCheck[]> {
  const [api, cdn] = await Promise.all([probe(credentials, io, signal), files(weixinCdnUrl(io), io, signal)])
  const memory = memoryOf(io, weixinIdentity(credentials))
  const nowMs = io.clock.now()
  const base = weixinBaseUrl(credentials, io)
  if (api.is === 'unreachable') return [server(base, sentenceOf(api.failure)), cdn, sendWindow(memory, nowMs)]
  return [server(base, null), logIn(api), cdn, ...lastPoll(memory, nowMs), sendWindow(memory, nowMs)]
}

/** @param why What went wrong; `null`: nothing. */
function server(base: string, why: string | null): ChannelCheck {
  const check = { id: 'server_reachable', title: 'Weixin answers' } as const
  if (why === null) return { ...check, status: 'pass', detail: base }
  const remedy = 'Check the network, a proxy in between, and GATEPOST_WEIXIN_API_URL or base_url.'
  return { ...check, status: 'fail', detail: `${base}: ${why}`, remedy }
}

function logIn(api: Exclude<Probe, { is: 'unreachable' }>): ChannelCheck {
  const check = { id: 'token_accepted', title: 'The log-in is valid' } as const
  if (api.is === 'accepted') {
    const detail =
      'It was not rejected. Whether another program receives with the same token cannot be told: the two would take messages from each other.'
    return { ...check, status: 'pass', detail }
  }
  const remedy = 'Run: npx gatepost setup weixin'
  return { ...check, status: 'fail', detail: sentenceOf(api.failure), remedy, fix: { kind: 'set_up' } }
}

/** Any answer will do: without a parameter there is nothing to get. */
async function files(cdn: string, io: PlatformIo, signal: AbortSignal): Promise<ChannelCheck> {
  const check = { id: 'cdn_reachable', title: 'The file server answers' } as const
  const failure = await unreachable(io, `${cdn}/download`, { signal, timeoutMs: TIMEOUT_MS })
  if (failure === null) return { ...check, status: 'pass', detail: cdn }
  const detail = `${cdn}: ${sentenceOf(failure)}`
  const remedy = 'Check the network, a proxy in between, and GATEPOST_WEIXIN_CDN_URL.'
  return { ...check, status: 'warn', detail: `${detail}. Texts go through, files do not.`, remedy }
}

function lastPoll({ health }: BotMemory, nowMs: number): readonly ChannelCheck[] {
  const { polling, answeredAtMs, holdMs, failures } = health
  if (!polling || answeredAtMs === null) return []
  const check = { id: 'polls_answered', title: 'Polls are answered', at: answeredAtMs } as const
  const detail = `The last answer came ${ageOf(answeredAtMs, nowMs)} ago; failures since: ${failures}.`
  if (nowMs - answeredAtMs < 2 * holdMs && failures === 0) return [{ ...check, status: 'pass', detail }]
  return [{ ...check, status: 'warn', detail, remedy: 'Wait a minute and look again; then look at the log.' }]
}

/** Who can be written to: a person opens the way for some sends by writing, and a restart forgets it. */
function sendWindow({ windows, health }: BotMemory, nowMs: number): ChannelCheck {
  const { open, usedUp, fewest } = windows.count()
  const check = { id: 'sends_left', title: 'Sends are left for people' } as const
  const last = health.inboundAtMs === null ? '' : ` The newest message is ${ageOf(health.inboundAtMs, nowMs)} old.`
  if (open === 0 && usedUp === 0) {
    const detail = 'Nobody has written since the server started, so nobody can be written to yet.'
    return { ...check, status: 'warn', detail, remedy: 'Write to the bot in Weixin.' }
  }
  const people = `${open} can be written to${open === 0 ? '' : `, at least ${fewest} more times each`}.`
  if (usedUp === 0) return { ...check, status: 'pass', detail: people + last }
  const detail = `${people} ${usedUp} must write again first: their messages are used up.${last}`
  return { ...check, status: 'warn', detail, remedy: 'Ask those people to write to the bot in Weixin.' }
}

function ageOf(atMs: number, nowMs: number): string {
  const seconds = Math.max(0, Math.round((nowMs - atMs) / 1_000))
  if (seconds < 120) return `${seconds} s`
  const minutes = Math.round(seconds / 60)
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`
}
