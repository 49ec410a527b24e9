import { type FailureValues, toFinding } from '../../doctor/findings.ts'
import type { ChannelCheck } from '../../platform.ts'
import type { PlatformIo } from '../../platform-io.ts'
import { checkReachable, toFailureValues } from '../wire/call.ts'
import { openClient } from './client.ts'
import { type WeixinCredentials, weixinBaseUrl, weixinCdnUrl, weixinIdentity } from './credentials.ts'
import { configBody } from './encode.ts'
import { type BotMemory, getBotMemory } from './memory.ts'
import { isRejection, describeFailure, type WeixinFailure } from './outcome.ts'

const TIMEOUT_MS = 10_000

/** What became of a question that Weixin answers without handing out messages. */
export type Probe =
  | { readonly is: 'accepted' }
  | { readonly is: 'rejected' | 'unreachable'; readonly failure: WeixinFailure }

/**
 * Asks for a typing ticket: there is no question for the validity of a sign-in but the poll, which would take messages
 * away from whoever polls now. Anything but -14 leaves the sign-in standing.
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
  const [api, cdn] = await Promise.all([probe(credentials, io, signal), checkFileServer(weixinCdnUrl(io), io, signal)])
  const memory = getBotMemory(io, weixinIdentity(credentials))
  const nowMs = io.clock.now()
  const base = weixinBaseUrl(credentials, io)
  if (api.is === 'unreachable') return [serverCheck(base, explain(api.failure)), cdn, sendsLeftCheck(memory, nowMs)]
  return [serverCheck(base, null), loginCheck(api), cdn, ...checkLastPoll(memory, nowMs), sendsLeftCheck(memory, nowMs)]
}

const explain = (failure: WeixinFailure): FailureValues => toFailureValues(describeFailure(failure), failure)

/** @param why What went wrong; `null`: nothing. */
function serverCheck(base: string, why: FailureValues | null): ChannelCheck {
  const check = { id: 'server_reachable', title: 'Weixin is reachable' } as const
  if (why === null) return { ...check, status: 'pass', ...toFinding('server_responds', { url: base }) }
  const remedy = 'Check the network, any proxy, and GATEPOST_WEIXIN_API_URL or base_url.'
  return { ...check, status: 'fail', ...toFinding('server_unreachable', { url: base, ...why }), remedy }
}

function loginCheck(api: Exclude<Probe, { is: 'unreachable' }>): ChannelCheck {
  const check = { id: 'token_accepted', title: 'The sign-in is valid' } as const
  if (api.is === 'accepted') return { ...check, status: 'pass', ...toFinding('login_accepted') }
  const remedy = 'Run: npx gatepost setup weixin'
  return { ...check, status: 'fail', ...toFinding('refused', explain(api.failure)), remedy, fix: { kind: 'set_up' } }
}

/** Any answer will do: without a parameter there is nothing to get. */
async function checkFileServer(cdn: string, io: PlatformIo, signal: AbortSignal): Promise<ChannelCheck> {
  const check = { id: 'cdn_reachable', title: 'The file server is reachable' } as const
  const failure = await checkReachable(io, `${cdn}/download`, { signal, timeoutMs: TIMEOUT_MS })
  if (failure === null) return { ...check, status: 'pass', ...toFinding('server_responds', { url: cdn }) }
  const finding = toFinding('files_unreachable', { url: cdn, ...explain(failure) })
  const remedy = 'Check the network, any proxy, and GATEPOST_WEIXIN_CDN_URL.'
  return { ...check, status: 'warn', ...finding, remedy }
}

function checkLastPoll({ health }: BotMemory, nowMs: number): readonly ChannelCheck[] {
  const { polling, answeredAtMs, holdMs, failures } = health
  if (!polling || answeredAtMs === null) return []
  const check = { id: 'polls_answered', title: 'Polling works', at: answeredAtMs } as const
  const finding = toFinding('last_poll', { seconds: countSeconds(answeredAtMs, nowMs), failures })
  if (nowMs - answeredAtMs < 2 * holdMs && failures === 0) return [{ ...check, status: 'pass', ...finding }]
  return [
    {
      ...check,
      status: 'warn',
      ...finding,
      remedy: 'Wait a minute and run the doctor again. If it still fails, check the log.',
    },
  ]
}

/** Who can be written to: a person opens the way for some sends by writing, and a restart forgets it. */
function sendsLeftCheck({ windows, health }: BotMemory, nowMs: number): ChannelCheck {
  const { open, usedUp, fewest } = windows.count()
  const check = { id: 'sends_left', title: 'Users have sends left' } as const
  const seconds = health.inboundAtMs === null ? null : countSeconds(health.inboundAtMs, nowMs)
  if (open === 0 && usedUp === 0)
    return { ...check, status: 'warn', ...toFinding('no_windows'), remedy: 'Message the bot in Weixin.' }
  const finding = toFinding('sends_left', { open, least: fewest, used_up: usedUp, seconds })
  if (usedUp === 0) return { ...check, status: 'pass', ...finding }
  return { ...check, status: 'warn', ...finding, remedy: 'Ask those users to message the bot in Weixin.' }
}

const countSeconds = (sinceMs: number, nowMs: number): number => Math.max(0, Math.round((nowMs - sinceMs) / 1_000))
