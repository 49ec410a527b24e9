import type { ChannelCheck } from '../../platform.ts'
import type { PlatformIo } from '../../platform-io.ts'
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
    detail: 'DingTalk issued an access token.',
  }
  const stream = await client.openStream(limits)
  const { health } = getBotMemory(io, credentials.client_id)
  return [accepted, streamReadyCheck(stream.ok ? null : stream.failure), ...connectionChecks(health, io.clock.now())]
}

function credentialsCheck(failure: DingtalkFailure, host: string): ChannelCheck {
  const why = describeFailure(failure)
  if (isRejection(failure)) {
    return {
      id: 'credentials_accepted',
      title: 'Client ID and Client Secret are accepted',
      status: 'fail',
      detail: why,
      remedy: `Copy both from the app at ${CONSOLE} again and run: npx gatepost setup dingtalk`,
      fix: { kind: 'set_up' },
    }
  }
  return {
    id: 'server_reachable',
    title: 'DingTalk is reachable',
    status: 'fail',
    detail: `${host}: ${why}`,
    remedy: 'Check the network and any proxy, then try again.',
  }
}

function streamReadyCheck(failure: DingtalkFailure | null): ChannelCheck {
  const base = { id: 'stream_ready', title: 'Stream mode is enabled for the app' } as const
  if (failure === null) return { ...base, status: 'pass', detail: 'DingTalk returned a stream URL.' }
  const error = toConnectionError(failure)
  const isPassing = error.code === 'rate_limited' || error.code === 'network'
  const remedy = isPassing
    ? 'Try again in a minute.'
    : `Publish a version of the app at ${CONSOLE}, with the robot's message mode set to "Stream".`
  return { ...base, status: isPassing ? 'warn' : 'fail', detail: error.message, remedy }
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
    return [{ ...base, status: 'warn', detail: 'Not connected.', remedy: 'Wait for the next attempt.' }]
  }
  const silentMs = nowMs - (lastFrameAtMs ?? 0)
  const at = lastFrameAtMs === null ? {} : { at: lastFrameAtMs }
  if (silentMs < SILENT_MS) return [{ ...base, ...at, status: 'pass', detail: 'Last frame received within 90 s.' }]
  const remedy = 'Run: npx gatepost disable dingtalk, then: npx gatepost enable dingtalk'
  return [{ ...base, ...at, status: 'fail', detail: 'No frames received for 90 s.', remedy, fix: { kind: 'restart' } }]
}

function checkLastMessage({ isOpen, lastMessageAtMs }: Health): readonly ChannelCheck[] {
  const base = { id: 'last_message', title: 'Messages are received' } as const
  if (lastMessageAtMs !== null) {
    return [
      { ...base, status: 'pass', detail: 'The last message was received at the time shown.', at: lastMessageAtMs },
    ]
  }
  const detail = 'None received since the service started. In groups, the robot only receives messages that mention it.'
  return isOpen === null ? [] : [{ ...base, status: 'pass', detail }]
}

function checkPermissions({ permissionFailures: failures }: Health): readonly ChannelCheck[] {
  if (failures === null) return []
  return [
    {
      id: 'permissions',
      title: 'The app has permission to send messages',
      status: 'fail',
      detail: `${failures.count} sends refused since the service started. Latest: ${failures.last}`,
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
      detail: `Replies are sent as one message when they are complete: ${noCards}`,
      remedy: `Grant the app the permissions Card.Instance.Write and Card.Streaming.Write at ${CONSOLE}, publish a version, then disable and enable the channel.`,
    },
  ]
}
