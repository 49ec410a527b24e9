import type { Answer } from '../../api/call.ts'
import type { Tone } from '../../parts/badge.tsx'

/** A channel with everything that is known of it. */
export type Channel = Answer<'getChannel'>

/** How a channel stands, for whoever looks at it. `strange`: a state that this page does not know yet. */
export type Standing =
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

/** What the switch and the credentials say comes before what the connection says. */
export function standingOf({
  has_config,
  enabled,
  state,
}: Pick<Channel, 'has_config' | 'enabled' | 'state'>): Standing {
  if (!has_config) return 'absent'
  if (!enabled) return 'off'
  return STATES.includes(state) ? state : 'strange'
}

/** What each standing means; the words beside it say the same. */
export const STANDING_TONES: Readonly<Record<Standing, Tone>> = {
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

/** What one click can do about it. `restart`: off and on again. */
export type Cure = 'set_up' | 'restart' | 'doctor'

/** What helps: new credentials, another start, or a look at what is the matter. `null`: it goes on by itself. */
export function cureOf(channel: Pick<Channel, 'has_config' | 'enabled' | 'state' | 'reason'>): Cure | null {
  switch (standingOf(channel)) {
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
