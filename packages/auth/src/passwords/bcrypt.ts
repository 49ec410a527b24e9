import { Worker } from 'node:worker_threads'

/** What the worker answers; `null`: it could not. */
type Answer = boolean | null

/** bcrypt in JavaScript takes half a second of a core: it has a thread of its own, so that requests go on. */
export interface Bcrypt {
  /** @param hash From `$2b$` on, checked for its form. @throws {Error} when the thread has died */
  matches(text: string, hash: string): Promise<boolean>
}

const IDLE_MS = 30_000
/** The published files end in `.js`. */
const WORKER = import.meta.url.endsWith('.ts')
  ? new URL('./bcrypt-worker.ts', import.meta.url)
  : new URL('./bcrypt-worker.js', import.meta.url)

/**
 * Starts the thread at the first call and lets it go when nothing has come for `idleMs`. Calls follow one another.
 * @param options.onThread Told of each thread that starts.
 */
export function createBcrypt(options: { readonly idleMs?: number; onThread?(thread: Worker): void } = {}): Bcrypt {
  let thread: Worker | undefined
  let last: Promise<unknown> = Promise.resolve()
  let idle: NodeJS.Timeout | undefined

  const start = (): Worker => {
    const started = new Worker(WORKER)
    const forget = (): void => {
      if (thread === started) thread = undefined
    }
    // Whoever waits for an answer hears of an error too; without a listener it would end the process.
    started.on('error', forget).once('exit', forget)
    options.onThread?.(started)
    return started
  }
  const rest = (): void => {
    void thread?.terminate()
    thread = undefined
  }
  const ask = async (text: string, hash: string): Promise<boolean> => {
    clearTimeout(idle)
    thread ??= start()
    const asked = thread
    asked.ref()
    try {
      return await answerOf(asked, text, hash)
    } finally {
      asked.unref()
      idle = setTimeout(rest, options.idleMs ?? IDLE_MS).unref()
    }
  }
  return {
    matches(text, hash) {
      const answer = last.then(() => ask(text, hash))
      last = answer.catch(() => {})
      return answer
    },
  }
}

const answerOf = (thread: Worker, text: string, hash: string): Promise<boolean> =>
  new Promise((resolve, reject) => {
    const settle = (answer: Answer, cause?: unknown): void => {
      thread.off('message', settle).off('error', onError).off('exit', onExit)
      if (answer === null) reject(new Error('bcrypt_thread_died', { cause }))
      else resolve(answer)
    }
    const onError = (error: unknown): void => settle(null, error)
    const onExit = (): void => settle(null)
    thread.on('message', settle).on('error', onError).on('exit', onExit)
    thread.postMessage([text, hash])
  })
