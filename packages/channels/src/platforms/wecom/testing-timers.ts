import { setTimeout as sleep } from 'node:timers/promises'

/** Timers of the vendor's library that were started and neither ran nor were cleared, with what they run. */
const held = new Map<NodeJS.Timeout, () => void>()
const { setTimeout: realSetTimeout, clearTimeout: realClearTimeout } = globalThis
let holders = 0

/** Timers of the vendor's library that run when a test says so. */
export interface HeldReplyTimers {
  /** Ends the library's wait for a reply once `isLost`: it gives up as if its five seconds had passed. */
  expireWhen(isLost: () => Promise<boolean>): void
  release(): void
}

/**
 * Stops the clock by which the vendor's library waits for a reply: five seconds of the machine, which cannot be set. All
 * other timers run as ever.
 */
export function holdReplyTimers(): HeldReplyTimers {
  if (holders++ === 0) {
    globalThis.setTimeout = Object.assign(holdingSetTimeout, realSetTimeout)
    globalThis.clearTimeout = clearHeldTimeout
  }
  let released = false
  return {
    expireWhen(isLost) {
      void (async () => {
        while (!released && !(await isLost())) await sleep(2)
        const expired = [...held.values()]
        held.clear()
        if (!released) for (const run of expired) run()
      })()
    },
    release() {
      released = true
      if (--holders > 0) return
      Object.assign(globalThis, { setTimeout: realSetTimeout, clearTimeout: realClearTimeout })
      held.clear()
    },
  }
}

function holdingSetTimeout<A extends unknown[]>(run: (...args: A) => void, ms?: number, ...args: A): NodeJS.Timeout {
  const isReplyTimer = ms === 5_000 && new Error('caller').stack?.includes('aibot-node-sdk') === true
  if (!isReplyTimer) return realSetTimeout(run, ms, ...args)
  const timer = realSetTimeout(() => undefined, 2 ** 31 - 1).unref()
  held.set(timer, () => run(...args))
  return timer
}

function clearHeldTimeout(timer: Parameters<typeof clearTimeout>[0]): void {
  if (typeof timer === 'object' && timer !== null) held.delete(timer)
  realClearTimeout(timer)
}
