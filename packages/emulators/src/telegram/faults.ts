import { badRequest, forbidden, otherPoller, TelegramFailure, tooManyRequests, webhookActive } from './failure.ts'

/** What goes wrong. `drop_after`: the call takes effect, but the caller never learns it. */
export type FaultKind =
  | { readonly kind: 'unauthorized' }
  | { readonly kind: 'blocked' }
  | { readonly kind: 'method_not_found' }
  | { readonly kind: 'webhook_conflict' }
  | { readonly kind: 'poller_conflict' }
  | { readonly kind: 'rate_limited'; readonly retryAfter: number }
  | { readonly kind: 'cannot_parse' }
  | { readonly kind: 'too_large' }
  /** `status` 500 to 599, as the platform answers it. */
  | { readonly kind: 'server_error'; readonly status: number }
  /** A proxy's HTML page with status 502. */
  | { readonly kind: 'bad_gateway' }
  | { readonly kind: 'drop_before' }
  | { readonly kind: 'drop_after' }
  | { readonly kind: 'hang' }
  /** Takes effect at once, answers after `ms`. */
  | { readonly kind: 'slow'; readonly ms: number }
  /** Any other error of the platform. */
  | { readonly kind: 'error'; readonly code: number; readonly description: string }

/** A fault for the next `times` calls of `method`. */
export type FaultSpec = FaultKind & {
  /** Method name in any case; '*' (default): every method. */
  readonly method?: string
  /** Default 1; null: until cleared. */
  readonly times?: number | null
  /** Only calls for this chat. */
  readonly chatId?: number
}

/** A fault that still waits for calls. */
export interface ActiveFault {
  readonly id: number
  readonly spec: FaultSpec
  /** Calls left; null: without end. */
  left: number | null
}

/** The first fault for this call; counts it as used. */
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

/** The answer that a fault stands for, or null for one that is no answer of the platform. */
export function failureOf(fault: FaultKind): TelegramFailure | null {
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
