import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Latencies, LoadCommand, LoadReply, Progress, Saturation, SaturationOptions } from './load-commands.ts'

/** The platform and its people, in a process of their own. */
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
    for (const { reject } of waiting.values()) reject(new Error('the load process ended'))
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
