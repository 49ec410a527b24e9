import type { ChannelPlatform } from '../bound-platform.ts'
import type { ChannelDetails, KnownUser } from '../channels.ts'
import type { ChannelCheck, Fix } from '../platform.ts'

/** What the service itself knows of a channel. */
export interface OwnState {
  readonly platform: ChannelPlatform
  readonly details: ChannelDetails
  readonly users: readonly KnownUser[]
  readonly nowMs: number
}

/** A gap older than this is history. */
const RECENT_MS = 24 * 60 * 60 * 1_000
/** A connection that is held open is heard at least this often on every platform. */
const QUIET_MS = 5 * 60 * 1_000

/** The checks that ask nobody: how the channel has been doing here. Pure. */
export const ownState = (own: OwnState): readonly ChannelCheck[] => [
  running(own),
  ...heard(own),
  gaps(own),
  failures(own),
  ...sendWindow(own),
]

const ENABLE: Fix = { kind: 'enable' }
const RESTART: Fix = { kind: 'restart' }
const SET_UP: Fix = { kind: 'set_up' }
const DEAD_LETTERS: Fix = { kind: 'dead_letters' }

const command = (name: string, { platform }: OwnState): string => `Run: npx gatepost ${name} ${platform.id}`

function running(own: OwnState): ChannelCheck {
  const { details } = own
  const base = { id: 'channel_running', title: 'Channel is running', at: details.since } as const
  const { state, reason } = details
  if (!details.enabled)
    return { ...base, status: 'fail', detail: 'It is disabled.', remedy: command('enable', own), fix: ENABLE }
  if (state === 'running') return { ...base, status: 'pass', detail: 'It receives.' }
  const detail = details.message ?? `It is ${state.replace('_', ' ')}.`
  if (state === 'degraded') return { ...base, status: 'warn', detail, remedy: 'Look at the checks below.' }
  if (state === 'rejected') return { ...base, status: 'fail', detail, remedy: command('setup', own), fix: SET_UP }
  if (reason === 'taken_over') {
    const remedy = `Stop the other program that uses this bot. ${command('enable', own)}`
    return { ...base, status: 'fail', detail, remedy, fix: ENABLE }
  }
  const remedy = 'Wait for the next attempt, and look at the checks below and at the log.'
  return { ...base, status: 'fail', detail, remedy }
}

function heard(own: OwnState): readonly ChannelCheck[] {
  const { details, nowMs } = own
  const base = { id: 'last_heard', title: 'The platform is heard' } as const
  const at = details.last_heard_at
  if (!details.running) return []
  if (at === null) return [{ ...base, status: 'warn', detail: 'Not heard yet.', remedy: command('status', own) }]
  const seconds = Math.round((nowMs - at) / 1_000)
  const inbound = details.last_inbound_at
  const message = inbound === null ? 'no message yet' : `last message ${new Date(inbound).toISOString()}`
  const detail = `Last sign of life ${seconds} s ago; ${message}.`
  if (nowMs - at <= QUIET_MS) return [{ ...base, status: 'pass', detail, at }]
  const remedy = `The connection may be dead. ${command('disable', own)}, then enable it again.`
  return [{ ...base, status: 'warn', detail, at, remedy, fix: RESTART }]
}

function gaps(own: OwnState): ChannelCheck {
  const base = { id: 'no_gaps', title: 'No message was missed lately' } as const
  const recent = own.details.gaps.filter(({ to }) => own.nowMs - to < RECENT_MS)
  const [last] = recent
  if (!last) return { ...base, status: 'pass', detail: 'Nothing speaks for it in the last 24 hours.' }
  const span = `${new Date(last.from).toISOString()} to ${new Date(last.to).toISOString()}`
  const detail = `${recent.length} in the last 24 hours, the last from ${span}: ${last.why}.`
  return { ...base, status: 'warn', detail, at: last.to, remedy: command('status', own) }
}

function failures(own: OwnState): ChannelCheck {
  const base = { id: 'deliveries', title: 'Everything was delivered' } as const
  const { dead, queued } = own.details
  if (dead === 0) return { ...base, status: 'pass', detail: queued === 0 ? 'Nothing waits.' : `${queued} wait.` }
  const remedy = `Run: npx gatepost deliveries ${own.platform.id} --dead`
  return { ...base, status: 'warn', detail: `${dead} failed for good.`, remedy, fix: DEAD_LETTERS }
}

/** Whom a notification would reach now. */
function sendWindow(own: OwnState): readonly ChannelCheck[] {
  const base = { id: 'send_window', title: 'People can be written to' } as const
  const { users } = own
  if (!own.details.running) return []
  if (users.length === 0) {
    const remedy = 'Write to the bot once; nobody can be notified before.'
    return [{ ...base, status: 'warn', detail: 'Nobody has written to the bot yet.', remedy }]
  }
  const reachable = users.filter((user) => user.reachable)
  const counted = reachable.flatMap(({ sends_left }) => (sends_left === null ? [] : [sends_left]))
  const left = counted.length === 0 ? '' : ` ${Math.min(...counted)} sends or more are left for each of them.`
  const detail = `${reachable.length} of ${users.length} known people.${left}`
  if (reachable.length > 0) return [{ ...base, status: 'pass', detail }]
  const why = users[0]?.reason ?? 'not reachable'
  return [
    {
      ...base,
      status: 'warn',
      detail: `${detail} The last one: ${why.replace(/\.$/, '')}.`,
      remedy: command('users', own),
    },
  ]
}
