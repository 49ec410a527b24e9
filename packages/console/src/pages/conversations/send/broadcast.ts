import { ApiError } from '../../../api/api-error.ts'

/** What became of the message to one person. `pending`: it is stored and will be sent. */
export type Result =
  | { readonly state: 'waiting' | 'sending' | 'sent' | 'pending' | 'unknown' }
  | { readonly state: 'failed'; readonly error: unknown }

const AT_ONCE = 4

/**
 * Sends to each of these once, at most four at a time.
 * @param send Rejects when the message was not delivered.
 * @param tell Called with everything that becomes of each.
 * @param signal What is under way is finished, and nothing is begun any more.
 */
export async function sendToAll<T>(
  targets: readonly T[],
  send: (target: T) => Promise<void>,
  tell: (target: T, result: Result) => void,
  signal: AbortSignal,
): Promise<void> {
  const left = targets[Symbol.iterator]()
  const work = async (): Promise<void> => {
    while (!signal.aborted) {
      const next = left.next()
      if (next.done === true) return
      tell(next.value, { state: 'sending' })
      tell(next.value, await resultOf(send(next.value)))
    }
  }
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, targets.length) }, work))
}

async function resultOf(sending: Promise<void>): Promise<Result> {
  try {
    await sending
    return { state: 'sent' }
  } catch (error) {
    const code = error instanceof ApiError ? error.code : null
    if (code === 'delivery_pending') return { state: 'pending' }
    return code === 'delivery_unknown' ? { state: 'unknown' } : { state: 'failed', error }
  }
}

/** What the service has stored of a message to one person. */
export interface StoredSend {
  readonly id: string
  readonly state: 'queued' | 'sending' | 'delivered' | 'refused' | 'unknown'
  readonly dead: boolean
}

/** The deliveries that were there before. */
export interface Before {
  readonly ids: ReadonlySet<string>
  /** When the youngest of them was made, milliseconds since the Unix epoch. */
  readonly since: number
}

/** What the service does for one person. */
export interface Acts {
  send(): Promise<unknown>
  /** What was stored for this person since then, the first part first. */
  stored(): Promise<readonly StoredSend[]>
  resend(id: string): Promise<unknown>
}

/** Once more, without showing twice what the service has taken already. Rejects as `send` does. */
export async function sendAgain({ send, stored, resend }: Acts): Promise<void> {
  // what somebody has dismissed since is not to be sent any more, but the message is
  const parts = (await stored()).filter(({ state, dead }) => dead || (state !== 'refused' && state !== 'unknown'))
  if (parts.length === 0) {
    await send()
    return
  }
  if (parts.some(({ dead, state }) => dead && state === 'unknown')) {
    throw new ApiError('delivery_unknown', 'It may have been shown.')
  }
  for (const { id, dead } of parts) if (dead) await resend(id)
  if (parts.some(({ dead, state }) => !dead && (state === 'queued' || state === 'sending'))) {
    throw new ApiError('delivery_pending', 'It is stored and will be sent.')
  }
}
