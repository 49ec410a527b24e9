import { Worker } from 'node:worker_threads'

/** Work of one kind that takes so long that it has a thread of its own, while requests go on. */
export interface IdleThread<Question, Answer> {
  /** Questions are answered one after another. @throws {Error} `thread_died` when the thread has died of it */
  ask(question: Question): Promise<Answer>
}

/** How long a thread lasts. */
export interface IdleThreadOptions {
  /** The thread ends when nothing has come for so long. Default 30 seconds. */
  readonly idleMs?: number
  /** Told of each thread that starts. */
  onThread?(thread: Worker): void
}

const IDLE_MS = 30_000

/**
 * Starts the thread at the first question, and again after its end.
 * @param file Answers each message with one message, of the type that the caller names.
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
    // Whoever waits for an answer hears of an error too; without a listener it would end the process.
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
