import { ApiError } from '../../../api/client.ts'

/** The result for one recipient. `pending`: queued. */
export type Result =
  | { readonly state: 'waiting' | 'sending' | 'sent' | 'pending' | 'unknown' }
  | { readonly state: 'failed'; readonly error: unknown }

const CONCURRENCY = 4

/**
 * Sends to each target once, four at a time.
 * @param send Rejects when the message wasn't delivered.
 * @param onResult Called with each result.
 * @param signal Stops starting new sends; pending ones finish.
 */
export async function sendToAll<T>(
  targets: readonly T[],
  send: (target: T) => Promise<void>,
  onResult: (target: T, result: Result) => void,
  signal: AbortSignal,
): Promise<void> {
  const left = targets[Symbol.iterator]()
  const work = async (): Promise<void> => {
    while (!signal.aborted) {
      const next = left.next()
      if (next.done === true) return
      onResult(next.value, { state: 'sending' })
      onResult(next.value, await toResult(send(next.value)))
    }
  }
  await Promise.all(Array.from({ length: Math.min(CONCURRENCY, targets.length) }, work))
}

async function toResult(sending: Promise<void>): Promise<Result> {
  try {
    await sending
    return { state: 'sent' }
  } catch (error) {
    const code = error instanceof ApiError ? error.code : null
    if (code === 'delivery_pending') return { state: 'pending' }
    return code === 'delivery_unknown' ? { state: 'unknown' } : { state: 'failed', error }
  }
}

/** A stored delivery of a message. */
export interface StoredSend {
  readonly id: string
  readonly state: 'queued' | 'sending' | 'delivered' | 'refused' | 'unknown'
  readonly dead: boolean
}

/** The deliveries that existed before a broadcast. */
export interface DeliverySnapshot {
  readonly ids: ReadonlySet<string>
  /** When the newest of them was created, ms since the Unix epoch. */
  readonly since: number
}

/** Operations for one recipient. */
export interface SendOperations {
  send(): Promise<unknown>
  /** Returns the deliveries stored for this person since then, in order. */
  stored(): Promise<readonly StoredSend[]>
  resend(id: string): Promise<unknown>
}

/** Sends again without repeating what the service already stored. Rejects as `send` does. */
export async function sendAgain({ send, stored, resend }: SendOperations): Promise<void> {
  // ignores dismissed parts, so that the message is sent again
  const parts = (await stored()).filter(({ state, dead }) => dead || (state !== 'refused' && state !== 'unknown'))
  if (parts.length === 0) {
    await send()
    return
  }
  if (parts.some(({ dead, state }) => dead && state === 'unknown')) {
    throw new ApiError('delivery_unknown', 'The message may have been delivered.')
  }
  for (const { id, dead } of parts) if (dead) await resend(id)
  if (parts.some(({ dead, state }) => !dead && (state === 'queued' || state === 'sending'))) {
    throw new ApiError('delivery_pending', 'The message is queued.')
  }
}
