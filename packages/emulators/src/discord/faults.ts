import { CUT_THE_NETWORK, type FaultSwitch } from '../kit/control.ts'
import type { FaultBase, TransportFault } from '../kit/faults.ts'
import { DiscordFailure, rateLimited, type RateScope, unauthorized } from './failure.ts'

/**
 * What goes wrong. Methods of REST: `gateway.bot`, `users.me`, `users.get`, `users.guilds`, `users.create_channel`,
 * `applications.get`, `applications.patch`, `guilds.get`, `channels.get`, `messages.list`, `messages.get`,
 * `messages.create`, `messages.edit`, `messages.delete`, `typing.create`, `reactions.put`, `reactions.delete`,
 * `threads.create`, `attachments.get`; of the gateway: `identify`, `resume`, `heartbeat`, and `dispatch`, a message of a
 * person. `chatId` is the channel. Transport faults meet calls, `identify` and `resume`.
 */
export type DiscordFault =
  | TransportFault
  | (FaultBase &
      (
        | {
            readonly kind: 'rate_limited'
            /** Seconds, may have decimals. */
            readonly retryAfter: number
            readonly scope?: RateScope
            /** E.g. 20016 (slow mode), 20028 (channel), 40062 (resource). */
            readonly code?: number
          }
        | { readonly kind: 'unauthorized' }
        /** Any other error of the platform, e.g. 403, 50013, 'Missing Permissions'. */
        | { readonly kind: 'error'; readonly status: number; readonly code: number; readonly message: string }
        /** Op 7. This and the next two: without `method` at once, or when nobody is connected at the next identify or resume. */
        | { readonly kind: 'reconnect' }
        /** Op 9; not `resumable`: the session is forgotten. */
        | { readonly kind: 'invalid_session'; readonly resumable: boolean }
        /** The socket is closed with this code. */
        | { readonly kind: 'close'; readonly code: number }
        /** A heartbeat is not acknowledged. */
        | { readonly kind: 'no_heartbeat_ack' }
        /** The event comes twice. */
        | { readonly kind: 'duplicate_dispatch' }
        /** The event has its number, but comes only when the session is resumed. */
        | { readonly kind: 'lost_dispatch' }
        /** A MESSAGE_UPDATE follows in which nothing was edited, as when the preview of a link has been loaded. */
        | { readonly kind: 'embed_update' }
        /** The signed address of an attachment has expired. */
        | { readonly kind: 'attachment_expired' }
      ))

const FRAMES: readonly string[] = ['identify', 'resume', 'heartbeat', 'dispatch', 'now']
const HANDSHAKES: readonly string[] = ['identify', 'resume']

/** Whether such a fault can say anything about a call or frame; `now`: about the connections that are open. */
export function isAbout(method: string): (fault: DiscordFault) => boolean {
  return ({ kind }) => {
    switch (kind) {
      case 'rate_limited':
      case 'unauthorized':
      case 'error':
        return !FRAMES.includes(method)
      case 'reconnect':
      case 'invalid_session':
      case 'close':
        return FRAMES.includes(method) && method !== 'dispatch'
      case 'no_heartbeat_ack':
        return method === 'heartbeat'
      case 'duplicate_dispatch':
      case 'lost_dispatch':
      case 'embed_update':
        return method === 'dispatch'
      case 'attachment_expired':
        return method === 'attachments.get'
      case 'drop_before':
      case 'drop_after':
      case 'hang':
      case 'bad_gateway':
      case 'slow':
      case 'server_error':
        return !FRAMES.includes(method) || HANDSHAKES.includes(method)
      default:
        return isNothing(kind)
    }
  }
}

/** A kind that does not exist comes over HTTP only. */
const isNothing = (_kind: never): false => false

/** @param calls The names of all calls. @throws {RangeError} for a fault that can meet nothing */
export function checkFault(fault: DiscordFault, calls: readonly string[]): void {
  const method = (fault.method ?? '*').toLowerCase()
  const all = [...FRAMES, ...calls, 'attachments.get']
  const methods = method === '*' ? all : all.filter((name) => name === method)
  if (!methods.some((name) => isAbout(name)(fault)))
    throw new RangeError(`There is no fault ${String(fault.kind)} of ${method}`)
  if (fault.kind === 'server_error' && !(fault.status >= 500 && fault.status <= 599))
    throw new RangeError('status is from 500 to 599')
}

/** The answer that a fault stands for, or null for one that is no answer of the platform. */
export function failureOf(fault: DiscordFault | null): DiscordFailure | null {
  if (fault?.kind === 'rate_limited') return rateLimited(fault.retryAfter, fault.scope ?? 'user', fault.code)
  if (fault?.kind === 'unauthorized') return unauthorized()
  if (fault?.kind === 'error') return new DiscordFailure(fault.status, fault.code, fault.message)
  return null
}

/** Those that a person may want to try. */
export const DISCORD_SWITCHES: readonly FaultSwitch<DiscordFault>[] = [
  CUT_THE_NETWORK,
  {
    label: 'Too many requests',
    code: 'slow_down',
    hint: 'The next send is refused for three seconds.',
    fault: { kind: 'rate_limited', method: 'messages.create', retryAfter: 3 },
  },
  {
    label: 'Answer lost',
    code: 'answer_lost',
    hint: 'The next message is shown, but the bot never learns it.',
    fault: { kind: 'drop_after', method: 'messages.create' },
  },
  {
    label: 'Reconnect asked for',
    code: 'reconnect',
    hint: 'The gateway wants the bot to connect again and resume.',
    fault: { kind: 'reconnect' },
  },
  {
    label: 'Session lost',
    code: 'session_lost',
    hint: 'The gateway forgets the session; nothing is replayed.',
    fault: { kind: 'invalid_session', resumable: false },
  },
  {
    label: 'No permission',
    hint: 'The next send is refused with code 50013.',
    fault: { kind: 'error', method: 'messages.create', status: 403, code: 50_013, message: 'Missing Permissions' },
  },
  {
    label: 'Bad gateway',
    code: 'bad_gateway',
    hint: 'A proxy answers every call with a page and status 502.',
    fault: { kind: 'bad_gateway', times: null },
    lasting: true,
  },
]
