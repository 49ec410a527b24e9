import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** The emulated platform and its users, in their own process. */
export interface LoadProcess {
  readonly pid: number
  readonly url: string
  readonly token: string
  firstPoll(afterMs: number): Promise<number>
  oneByOne(messages: number): Promise<Latencies>
  atRate(options: { readonly perSecond: number; readonly messages: number; readonly users: number }): Promise<Latencies>
  saturate(options: SaturationOptions, onProgress?: (progress: Progress) => void): Promise<Saturation>
  stop(): Promise<void>
}

export async function startLoad(): Promise<LoadProcess> {
  const child = fork(fileURLToPath(new URL('load.ts', import.meta.url)), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  let lastId = 0
  let progress: (progress: Progress) => void = () => {}
  const expect = (id: number): Promise<unknown> => {
    const answer = Promise.withResolvers<unknown>()
    waiting.set(id, answer)
    return answer.promise
  }
  child.on('message', (message: LoadReply | Progress) => {
    if ('answers' in message) return progress(message)
    const answer = waiting.get(message.id)
    waiting.delete(message.id)
    if ('error' in message) answer?.reject(new Error(message.error))
    else answer?.resolve(message.result)
  })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  void ended.then(() => {
    for (const { reject } of waiting.values()) reject(new Error('the load process exited'))
  })
  const begun = (await expect(0)) as { url: string; token: string } // the first message of load.ts
  const ask = async <R>(command: LoadCommand): Promise<R> => {
    lastId += 1
    child.send({ id: lastId, command })
    return (await expect(lastId)) as R // load.ts answers each command with its own result
  }
  return {
    pid: child.pid ?? 0,
    ...begun,
    firstPoll: (afterMs) => ask({ type: 'firstPoll', afterMs }),
    oneByOne: (messages) => ask({ type: 'oneByOne', messages }),
    atRate: (options) => ask({ type: 'atRate', ...options }),
    saturate(options, onProgress = () => {}) {
      progress = onProgress
      return ask({ type: 'saturate', ...options })
    },
    async stop() {
      if (child.connected) child.disconnect()
      await ended
    },
  }
}

/** A command for the process that emulates the platform and its users. */
export type LoadCommand =
  | { readonly type: 'firstPoll'; readonly afterMs: number }
  /** Sends each message after the reply to the previous one. */
  | { readonly type: 'oneByOne'; readonly messages: number }
  | { readonly type: 'atRate'; readonly perSecond: number; readonly messages: number; readonly users: number }
  /**
   * Every user sends the next message as soon as they have a reply, until the time is over or `messages` are sent. Counts
   * what happens in `forMs` after `warmUpMs` and a first reply for every user, and the CPU time that process `pid` uses.
   */
  | ({ readonly type: 'saturate' } & SaturationOptions)

interface SaturationOptions {
  readonly users: number
  readonly warmUpMs: number
  readonly forMs: number
  readonly messages: number
  readonly pid: number
}

export interface Latencies {
  /** From the poll that delivered the update to the arrival of the reply, ms. */
  readonly fromHandedMs: readonly number[]
  /** From sending the message, including the wait for the next poll, ms. */
  readonly fromSaidMs: readonly number[]
}

export interface Saturation {
  /** Replies in the whole run. */
  readonly answers: number
  readonly perSecond: number
  /** CPU time of the observed process per reply, ms. */
  readonly cpuMs: number
  /** Cores that the load process itself used. */
  readonly loadShare: number
}

interface Progress {
  readonly answers: number
  readonly residentBytes: number
}

export type LoadReply = { readonly id: number } & ({ readonly result: unknown } | { readonly error: string })
