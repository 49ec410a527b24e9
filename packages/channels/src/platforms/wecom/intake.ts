import type { Inbox } from '../../connection.ts'
import type { InboundEvent } from '../../message.ts'

/** Stores what a connection brings, in its order. The platform keeps nothing, so all that came is stored to the end. */
export interface Intake {
  put(event: InboundEvent): void
  /** Rejects when something could not be stored; else it stays pending until `finish`. */
  readonly failed: Promise<never>
  /** Resolves when everything is stored. @throws what `inbox.accept` threw */
  finish(): Promise<void>
}

/** Opens an empty one. */
export function createIntake(inbox: Pick<Inbox, 'accept'>): Intake {
  const failed = Promise.withResolvers<never>()
  failed.promise.catch(() => undefined) // `finish` throws it too
  let waiting: InboundEvent[] = []
  let work: Promise<void> | null = null

  async function store(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting
      waiting = []
      await inbox.accept(batch, null)
    }
    work = null // in the same step as the last look
  }

  return {
    failed: failed.promise,
    put(event) {
      waiting.push(event)
      if (work !== null) return
      work = store()
      work.catch(failed.reject)
    },
    async finish() {
      await work
    },
  }
}
