import { badRequest, forbidden, otherPoller, TelegramFailure, tooManyRequests, webhookActive } from './failure.ts'

/** Kinds of faults. `drop_after`: the call takes effect, but the caller gets no response. */
export type FaultKind =
  | { readonly kind: 'unauthorized' }
  | { readonly kind: 'blocked' }
  | { readonly kind: 'method_not_found' }
  | { readonly kind: 'webhook_conflict' }
  | { readonly kind: 'poller_conflict' }
  | { readonly kind: 'rate_limited'; readonly retryAfter: number }
  | { readonly kind: 'cannot_parse' }
  | { readonly kind: 'too_large' }
  /** The platform's own error with `status` 500 to 599. */
  | { readonly kind: 'server_error'; readonly status: number }
  /** A proxy's HTML page with status 502. */
  | { readonly kind: 'bad_gateway' }
  | { readonly kind: 'drop_before' }
  | { readonly kind: 'drop_after' }
  | { readonly kind: 'hang' }
  /** The call takes effect immediately and is answered after `ms`. */
  | { readonly kind: 'slow'; readonly ms: number }
  /** Any other error of the platform. */
  | { readonly kind: 'error'; readonly code: number; readonly description: string }

/** A fault for the next `times` calls of `method`. */
export type FaultSpec = FaultKind & {
  /** Method name in any case. Default `*`: any. */
  readonly method?: string
  /** How often the fault applies. Default 1; `null`: until cleared. */
  readonly times?: number | null
  /** Limits the fault to one chat. */
  readonly chatId?: number
}

/** An injected fault that isn't used up. */
export interface ActiveFault {
  readonly id: number
  readonly spec: FaultSpec
  /** Remaining uses; `null`: unlimited. */
  left: number | null
}

/** Returns the first fault that applies to a call and uses it once, or `null`. */
export function takeFault(faults: ActiveFault[], method: string, chatId: string): FaultKind | null {
  const index = faults.findIndex(({ spec }) => {
    const named = spec.method ?? '*'
    if (named !== '*' && named.toLowerCase() !== method) return false
    return spec.chatId === undefined || String(spec.chatId) === chatId
  })
  const fault = faults[index]
  if (!fault) return null
  if (fault.left !== null && --fault.left <= 0) faults.splice(index, 1)
  return fault.spec
}

/** Returns the error that a fault describes, or `null` when it describes none. */
export function toFailure(fault: FaultKind): TelegramFailure | null {
  switch (fault.kind) {
    case 'unauthorized':
      return new TelegramFailure(401, 'Unauthorized')
    case 'blocked':
      return forbidden('bot was blocked by the user')
    case 'method_not_found':
      return new TelegramFailure(404, 'Not Found: method not found')
    case 'webhook_conflict':
      return webhookActive()
    case 'poller_conflict':
      return otherPoller()
    case 'rate_limited':
      return tooManyRequests(fault.retryAfter)
    case 'cannot_parse':
      return badRequest('can\'t parse entities: Can\'t find end tag corresponding to start tag "b"')
    case 'too_large':
      return new TelegramFailure(413, 'Request Entity Too Large')
    case 'server_error':
      return new TelegramFailure(fault.status, 'Internal Server Error')
    case 'error':
      return new TelegramFailure(fault.code, fault.description)
    default:
      return null
  }
}
