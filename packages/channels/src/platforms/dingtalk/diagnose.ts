import { toFinding } from '../../doctor/findings.ts'
import type { ChannelCheck } from '../../platform.ts'
import type { PlatformIo } from '../../platform-io.ts'
import { toFailureValues } from '../wire/call.ts'
import { openClient } from './client.ts'
import type { DingtalkCredentials } from './credentials.ts'
import { apiUrl } from './http.ts'
import { type Health, getBotMemory } from './memory.ts'
import { toConnectionError, type DingtalkFailure, isRejection, describeFailure } from './outcome.ts'

const TIMEOUT_MS = 10_000
/** Our pings get a response every 25 s. */
const SILENT_MS = 90_000
const CONSOLE = 'open-dev.dingtalk.com'

/** Diagnoses this app and its connection. Never throws. */
export async function diagnoseDingtalk(
  credentials: DingtalkCredentials,
  io: PlatformIo,
  signal: AbortSignal,
): Promise<readonly ChannelCheck[]> {
  const client = openClient(credentials, io)
  const limits = { signal, timeoutMs: TIMEOUT_MS }
  const probed = await client.probe(limits)
  if (!probed.ok) return [credentialsCheck(probed.failure, apiUrl(io))]
  const accepted: ChannelCheck = {
    id: 'credentials_accepted',
    title: 'Client ID and Client Secret are accepted',
    status: 'pass',
    ...toFinding('access_token_issued'),
  }
  const stream = await client.openStream(limits)
  const { health } = getBotMemory(io, credentials.client_id)
  return [accepted, streamReadyCheck(stream.ok ? null : stream.failure), ...connectionChecks(health, io.clock.now())]
}

function credentialsCheck(failure: DingtalkFailure, host: string): ChannelCheck {
  const why = toFailureValues(describeFailure(failure), failure)
  if (isRejection(failure)) {
    return {
      id: 'credentials_accepted',
      title: 'Client ID and Client Secret are accepted',
      status: 'fail',
      ...toFinding('refused', why),
      remedy: `Copy both from the app at ${CONSOLE} again and run: npx gatepost setup dingtalk`,
      fix: { kind: 'set_up' },
    }
  }
  return {
    id: 'server_reachable',
    title: 'DingTalk is reachable',
    status: 'fail',
    ...toFinding('server_unreachable', { url: host, ...why }),
    remedy: 'Check the network and any proxy, then try again.',
  }
}

function streamReadyCheck(failure: DingtalkFailure | null): ChannelCheck {
  const base = { id: 'stream_ready', title: 'Stream mode is enabled for the app' } as const
  if (failure === null) return { ...base, status: 'pass', ...toFinding('stream_offered') }
  const error = toConnectionError(failure)
  const isPassing = error.code === 'rate_limited' || error.code === 'network'
  const remedy = isPassing
    ? 'Try again in a minute.'
    : `Publish a version of the app at ${CONSOLE}, with the robot's message mode set to "Stream".`
  const finding = toFinding('stream_refused', { reason: error.code, words: error.message })
  return { ...base, status: isPassing ? 'warn' : 'fail', ...finding, remedy }
}

function connectionChecks(health: Health, nowMs: number): readonly ChannelCheck[] {
  return [
    ...checkStream(health, nowMs),
    ...checkLastMessage(health),
    ...checkPermissions(health),
    ...checkCards(health),
  ]
}

function checkStream({ isOpen, lastFrameAtMs }: Health, nowMs: number): readonly ChannelCheck[] {
  const base = { id: 'stream_alive', title: 'The stream is connected' } as const
  if (isOpen === null) return [] // another process holds the connection, or none does
  if (!isOpen) {
    return [{ ...base, status: 'warn', ...toFinding('not_connected'), remedy: 'Wait for the next attempt.' }]
  }
  const silentMs = nowMs - (lastFrameAtMs ?? 0)
  const at = lastFrameAtMs === null ? {} : { at: lastFrameAtMs }
  if (silentMs < SILENT_MS) return [{ ...base, ...at, status: 'pass', ...toFinding('stream_alive') }]
  const remedy = 'Run: npx gatepost disable dingtalk, then: npx gatepost enable dingtalk'
  return [{ ...base, ...at, status: 'fail', ...toFinding('stream_silent'), remedy, fix: { kind: 'restart' } }]
}

function checkLastMessage({ isOpen, lastMessageAtMs }: Health): readonly ChannelCheck[] {
  const base = { id: 'last_message', title: 'Messages are received' } as const
  if (lastMessageAtMs !== null) {
    return [{ ...base, status: 'pass', ...toFinding('message_received'), at: lastMessageAtMs }]
  }
  return isOpen === null ? [] : [{ ...base, status: 'pass', ...toFinding('no_message') }]
}

function checkPermissions({ permissionFailures: failures }: Health): readonly ChannelCheck[] {
  if (failures === null) return []
  return [
    {
      id: 'permissions',
      title: 'The app has permission to send messages',
      status: 'fail',
      ...toFinding('sends_refused', { count: failures.count, words: failures.last }),
      at: failures.atMs,
      remedy: `Grant the app the permission qyapi_robot_sendmsg at ${CONSOLE}, publish a version, then disable and enable the channel.`,
    },
  ]
}

/** Everything works without cards, so this is not a failure. */
function checkCards({ noCards }: Health): readonly ChannelCheck[] {
  if (noCards === null) return []
  return [
    {
      id: 'cards',
      title: 'Replies are streamed',
      status: 'warn',
      ...toFinding('no_cards', { words: noCards }),
      remedy: `Grant the app the permissions Card.Instance.Write and Card.Streaming.Write at ${CONSOLE}, publish a version, then disable and enable the channel.`,
    },
  ]
}
