import type { ChannelCheck } from '../../platform.ts'
import type { PlatformIo } from '../../platform-io.ts'
import { openClient } from './client.ts'
import type { DingtalkCredentials } from './credentials.ts'
import { apiUrl } from './http.ts'
import { type Health, memoryOf } from './memory.ts'
import { connectionErrorOf, type DingtalkFailure, isRejection, sentenceOf } from './outcome.ts'

const TIMEOUT_MS = 10_000
/** Our own pings bring an answer every 25 s. */
const SILENT_MS = 90_000
const CONSOLE = 'open-dev.dingtalk.com'

/** Asks DingTalk what can be wrong with this app, and tells what its connection has seen. Never throws. */
export async function diagnoseDingtalk(
  credentials: DingtalkCredentials,
  io: PlatformIo,
  signal: AbortSignal,
): Promise<readonly ChannelCheck[]> {
  const client = openClient(credentials, io)
  const limits = { signal, timeoutMs: TIMEOUT_MS }
  const probed = await client.probe(limits)
  if (!probed.ok) return [credentialsFailed(probed.failure, apiUrl(io))]
  const accepted: ChannelCheck = {
    id: 'credentials_accepted',
    title: 'Client ID and Client Secret are accepted',
    status: 'pass',
    detail: 'DingTalk gave an access token.',
  }
  const stream = await client.openStream(limits)
  const { health } = memoryOf(io, credentials.client_id)
  return [accepted, streamReady(stream.ok ? null : stream.failure), ...connectionChecks(health, io.clock.now())]
}

function credentialsFailed(failure: DingtalkFailure, host: string): ChannelCheck {
  const why = sentenceOf(failure)
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
    title: 'DingTalk answers',
    status: 'fail',
    detail: `${host}: ${why}`,
    remedy: 'Check the network and a proxy in between, then try again.',
  }
}

function streamReady(failure: DingtalkFailure | null): ChannelCheck {
  const base = { id: 'stream_ready', title: 'The app may connect in stream mode' } as const
  if (failure === null) return { ...base, status: 'pass', detail: 'DingTalk named a place to connect to.' }
  const error = connectionErrorOf(failure)
  const isPassing = error.code === 'rate_limited' || error.code === 'network'
  const remedy = isPassing
    ? 'Try again in a minute.'
    : `Publish a version of the app at ${CONSOLE}, with "Stream" as the message mode of its robot.`
  return { ...base, status: isPassing ? 'warn' : 'fail', detail: error.message, remedy }
}

function connectionChecks(health: Health, nowMs: number): readonly ChannelCheck[] {
  return [...socket(health, nowMs), ...lastMessage(health), ...permissions(health), ...cards(health)]
}

function socket({ isOpen, lastFrameAtMs }: Health, nowMs: number): readonly ChannelCheck[] {
  const base = { id: 'stream_alive', title: 'The stream is open and heard' } as const
  if (isOpen === null) return [] // another process holds the connection, or none does
  if (!isOpen) {
    return [{ ...base, status: 'warn', detail: 'It is not open at the moment.', remedy: 'Wait for the next attempt.' }]
  }
  const silentMs = nowMs - (lastFrameAtMs ?? 0)
  const at = lastFrameAtMs === null ? {} : { at: lastFrameAtMs }
  if (silentMs < SILENT_MS) return [{ ...base, ...at, status: 'pass', detail: 'A frame came within the last 90 s.' }]
  const remedy = 'Run: npx gatepost disable dingtalk, then: npx gatepost enable dingtalk'
  return [
    { ...base, ...at, status: 'fail', detail: 'No frame came within the last 90 s.', remedy, fix: { kind: 'restart' } },
  ]
}

function lastMessage({ isOpen, lastMessageAtMs }: Health): readonly ChannelCheck[] {
  const base = { id: 'last_message', title: 'Messages come in' } as const
  if (lastMessageAtMs !== null) {
    return [{ ...base, status: 'pass', detail: 'The last one was stored at the time shown.', at: lastMessageAtMs }]
  }
  const detail = 'None has come since the service was started. In groups the robot hears only what mentions it.'
  return isOpen === null ? [] : [{ ...base, status: 'pass', detail }]
}

function permissions({ permissionFailures: failures }: Health): readonly ChannelCheck[] {
  if (failures === null) return []
  return [
    {
      id: 'permissions',
      title: 'The app has the permissions that sending needs',
      status: 'fail',
      detail: `${failures.count} sends were refused since the start. The last one: ${failures.last}`,
      at: failures.atMs,
      remedy: `Give the app the permission qyapi_robot_sendmsg at ${CONSOLE}, publish a version, then disable and enable the channel.`,
    },
  ]
}

/** Without cards everything works, so this is no failure. */
function cards({ noCards }: Health): readonly ChannelCheck[] {
  if (noCards === null) return []
  return [
    {
      id: 'cards',
      title: 'Answers can be seen while they are written',
      status: 'warn',
      detail: `They come as one message when they are complete: ${noCards}`,
      remedy: `To change it: give the app the permissions Card.Instance.Write and Card.Streaming.Write at ${CONSOLE}, publish a version, then disable and enable the channel.`,
    },
  ]
}
