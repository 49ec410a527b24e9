import type { Answer } from '../../api/call.ts'
import type { Tone } from '../../parts/badge.tsx'

/** A channel with all its details. */
export type Channel = Answer<'getChannel'>

/** The status of a channel as the console shows it. `strange`: a state unknown to this page. */
export type ChannelStatus =
  | 'absent'
  | 'off'
  | 'running'
  | 'degraded'
  | 'connecting'
  | 'backing_off'
  | 'standby'
  | 'rejected'
  | 'stopped'
  | 'strange'

const STATES: readonly string[] = [
  'running',
  'degraded',
  'connecting',
  'backing_off',
  'standby',
  'rejected',
  'stopped',
] satisfies readonly Channel['state'][]

/** Returns the status of a channel. Missing credentials and the switch take precedence over the connection's state. */
export function channelStatus({
  has_config,
  enabled,
  state,
}: Pick<Channel, 'has_config' | 'enabled' | 'state'>): ChannelStatus {
  if (!has_config) return 'absent'
  if (!enabled) return 'off'
  return STATES.includes(state) ? state : 'strange'
}

/** The tone of each status. */
export const STATUS_TONES: Readonly<Record<ChannelStatus, Tone>> = {
  absent: 'neutral',
  off: 'neutral',
  running: 'good',
  degraded: 'warn',
  connecting: 'accent',
  backing_off: 'warn',
  standby: 'neutral',
  rejected: 'bad',
  stopped: 'bad',
  strange: 'neutral',
}

/** What resolves a status. `restart` disables and enables the channel. */
export type StatusRemedy = 'set_up' | 'restart' | 'doctor'

/** Returns what resolves a channel's status; `null` if nothing needs to be done. */
export function findRemedy(channel: Pick<Channel, 'has_config' | 'enabled' | 'state' | 'reason'>): StatusRemedy | null {
  switch (channelStatus(channel)) {
    case 'rejected':
      return 'set_up'
    case 'stopped':
      return channel.reason === 'credentials_invalid' || channel.reason === 'no_credentials' ? 'set_up' : 'restart'
    case 'degraded':
      return 'doctor'
    case 'backing_off':
      return channel.reason === 'credentials_invalid' ? 'set_up' : channel.reason === 'network' ? null : 'doctor'
    case 'absent':
    case 'off':
    case 'running':
    case 'connecting':
    case 'standby':
    case 'strange':
      return null
  }
}
