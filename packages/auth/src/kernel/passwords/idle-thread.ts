import { Worker } from 'node:worker_threads'

/** A worker thread for slow computations, so that they don't block requests. */
export interface IdleThread<Question, Answer> {
  /** Runs one computation at a time. @throws {Error} `thread_died` if the thread dies */
  ask(question: Question): Promise<Answer>
}

/** Options of `createIdleThread`. */
export interface IdleThreadOptions {
  /** How long an idle thread is kept, in milliseconds. Default 30 seconds. */
  readonly idleMs?: number
  /** Called with each thread that starts. */
  onThread?(thread: Worker): void
}

const IDLE_MS = 30_000

/**
 * Creates a thread that starts with the first call of `ask`, and again after it has ended.
 * @param file A worker that replies to each message with one message of type `Answer`.
 */
export function createIdleThread<Question, Answer>(
  file: URL,
  options: IdleThreadOptions = {},
): IdleThread<Question, Answer> {
  let thread: Worker | undefined
  let last: Promise<unknown> = Promise.resolve()
  let idle: NodeJS.Timeout | undefined

  const start = (): Worker => {
    const started = new Worker(file)
    const forget = (): void => {
      if (thread === started) thread = undefined
    }
    // The caller of `ask` gets the error. Without a listener it would end the process.
    started.on('error', forget).once('exit', forget)
    options.onThread?.(started)
    return started
  }
  const rest = (): void => {
    void thread?.terminate()
    thread = undefined
  }
  const answered = async (question: Question): Promise<Answer> => {
    clearTimeout(idle)
    thread ??= start()
    const asked = thread
    asked.ref()
    try {
      return await awaitReply<Question, Answer>(asked, question)
    } finally {
      asked.unref()
      idle = setTimeout(rest, options.idleMs ?? IDLE_MS).unref()
    }
  }
  return {
    ask(question) {
      const answer = last.then(() => answered(question))
      last = answer.catch(() => {})
      return answer
    },
  }
}

const awaitReply = <Question, Answer>(thread: Worker, question: Question): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const stopListening = (): unknown => thread.off('message', onMessage).off('error', onError).off('exit', onExit)
    const onMessage = (answer: Answer): void => {
      stopListening()
      resolve(answer)
    }
    const onError = (cause?: unknown): void => {
      stopListening()
      reject(new Error('thread_died', { cause }))
    }
    const onExit = (): void => onError()
    thread.on('message', onMessage).on('error', onError).on('exit', onExit)
    thread.postMessage(question)
  })
