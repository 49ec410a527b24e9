import type { ChannelPlatform } from '../bound-platform.ts'
import type { ChannelDetails, KnownUser } from '../channels.ts'
import type { ChannelCheck, Fix } from '../platform.ts'
import { toFinding } from './findings.ts'

/** A channel's state as the service knows it. */
export interface OwnState {
  readonly platform: ChannelPlatform
  readonly details: ChannelDetails
  readonly users: readonly KnownUser[]
  readonly nowMs: number
}

/** Older gaps are not reported. */
const RECENT_MS = 24 * 60 * 60 * 1_000
/** A live connection has a heartbeat at least this often on every platform. */
const QUIET_MS = 5 * 60 * 1_000

/** Runs the checks that need no request, on the channel's own state. Pure. */
export const runOwnChecks = (own: OwnState): readonly ChannelCheck[] => [
  checkRunning(own),
  ...checkHeard(own),
  checkGaps(own),
  checkDeliveries(own),
  ...checkSendWindow(own),
]

const ENABLE: Fix = { kind: 'enable' }
const RESTART: Fix = { kind: 'restart' }
const SET_UP: Fix = { kind: 'set_up' }
const DEAD_LETTERS: Fix = { kind: 'dead_letters' }

const command = (name: string, { platform }: OwnState): string => `Run: npx gatepost ${name} ${platform.id}`

function checkRunning(own: OwnState): ChannelCheck {
  const { details } = own
  const base = { id: 'channel_running', title: 'Channel is running', at: details.since } as const
  const { state, reason } = details
  if (!details.enabled)
    return { ...base, status: 'fail', ...toFinding('channel_disabled'), remedy: command('enable', own), fix: ENABLE }
  if (state === 'running') return { ...base, status: 'pass', ...toFinding('channel_running') }
  const finding = toFinding('channel_state', { state, reason, message: details.message })
  if (state === 'degraded') return { ...base, status: 'warn', ...finding, remedy: 'See the checks below.' }
  if (state === 'rejected') return { ...base, status: 'fail', ...finding, remedy: command('setup', own), fix: SET_UP }
  if (reason === 'taken_over') {
    const remedy = `Stop the other program that uses this bot. ${command('enable', own)}`
    return { ...base, status: 'fail', ...finding, remedy, fix: ENABLE }
  }
  const remedy = 'Wait for the next attempt. See the checks below and the log.'
  return { ...base, status: 'fail', ...finding, remedy }
}

function checkHeard(own: OwnState): readonly ChannelCheck[] {
  const { details, nowMs } = own
  const base = { id: 'last_heard', title: 'Platform connection is alive' } as const
  const at = details.last_heard_at
  if (!details.running) return []
  if (at === null) return [{ ...base, status: 'warn', ...toFinding('no_heartbeat'), remedy: command('status', own) }]
  const seconds = Math.round((nowMs - at) / 1_000)
  const inbound = details.last_inbound_at
  const last_message = inbound === null ? null : new Date(inbound).toISOString()
  const finding = toFinding('heartbeat', { seconds, last_message })
  if (nowMs - at <= QUIET_MS) return [{ ...base, status: 'pass', ...finding, at }]
  const remedy = `The connection may be dead. ${command('disable', own)}, then enable it again.`
  return [{ ...base, status: 'warn', ...finding, at, remedy, fix: RESTART }]
}

function checkGaps(own: OwnState): ChannelCheck {
  const base = { id: 'no_gaps', title: 'No messages missed recently' } as const
  const recent = own.details.gaps.filter(({ to }) => own.nowMs - to < RECENT_MS)
  const [last] = recent
  if (!last) return { ...base, status: 'pass', ...toFinding('no_gaps') }
  const [from, to] = [new Date(last.from).toISOString(), new Date(last.to).toISOString()]
  const finding = toFinding('gaps', { count: recent.length, from, to, why: last.why })
  return { ...base, status: 'warn', ...finding, at: last.to, remedy: command('status', own) }
}

function checkDeliveries(own: OwnState): ChannelCheck {
  const base = { id: 'deliveries', title: 'No undelivered messages' } as const
  const { dead, queued } = own.details
  if (dead === 0) return { ...base, status: 'pass', ...toFinding('deliveries_queued', { count: queued }) }
  const remedy = `Run: npx gatepost deliveries ${own.platform.id} --dead`
  return { ...base, status: 'warn', ...toFinding('deliveries_failed', { count: dead }), remedy, fix: DEAD_LETTERS }
}

/** Checks which users a notification would reach now. */
function checkSendWindow(own: OwnState): readonly ChannelCheck[] {
  const base = { id: 'send_window', title: 'Users are reachable' } as const
  const { users } = own
  if (!own.details.running) return []
  if (users.length === 0) {
    const remedy = 'Send the bot a message. It can only notify people who have messaged it.'
    return [{ ...base, status: 'warn', ...toFinding('no_users'), remedy }]
  }
  const reachable = users.filter((user) => user.reachable)
  const counted = reachable.flatMap(({ sends_left }) => (sends_left === null ? [] : [sends_left]))
  const total = users.length
  const least = counted.length === 0 ? null : Math.min(...counted)
  if (reachable.length > 0)
    return [{ ...base, status: 'pass', ...toFinding('users_reachable', { reachable: reachable.length, total, least }) }]
  const [last] = users
  const why = { code: last?.reason_code ?? null, words: last?.reason ?? 'unreachable' }
  return [
    { ...base, status: 'warn', ...toFinding('users_unreachable', { total, ...why }), remedy: command('users', own) },
  ]
}
