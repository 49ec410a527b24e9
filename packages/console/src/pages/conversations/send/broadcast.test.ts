import { expect, it } from 'vitest'
import { type Result, sendAgain, sendToAll, type StoredSend } from './broadcast.ts'
import { ApiError } from '../../../api/client.ts'

/** Sends that finish on command. */
function startBroadcast(count: number) {
  const targets = Array.from({ length: count }, (_, index) => index)
  const begun: number[] = []
  const ends = new Map<number, PromiseWithResolvers<void>>()
  const results = new Map<number, Result>()
  const stop = new AbortController()
  const send = (target: number): Promise<void> => {
    begun.push(target)
    const end = Promise.withResolvers<void>()
    ends.set(target, end)
    return end.promise
  }
  const ended = sendToAll(targets, send, (target, result) => results.set(target, result), stop.signal)
  return { begun, ends, results, stop, ended }
}
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

it('sends four at a time, each once, and reports each', async () => {
  const { begun, ends, results, ended } = startBroadcast(6)
  expect(begun).toEqual([0, 1, 2, 3])
  const refusal = new ApiError('delivery_refused', 'Blocked.')
  ends.get(2)?.reject(refusal)
  await nextTurn()
  expect(begun).toEqual([0, 1, 2, 3, 4])
  ends.get(0)?.resolve()
  await nextTurn()
  expect(begun).toEqual([0, 1, 2, 3, 4, 5])
  ends.get(1)?.reject(new ApiError('delivery_pending', 'Later.'))
  ends.get(3)?.reject(new ApiError('delivery_unknown', 'Perhaps.'))
  for (const one of [4, 5]) ends.get(one)?.resolve()
  await ended
  expect([...results.values()]).toEqual([
    { state: 'sent' },
    { state: 'pending' },
    { state: 'failed', error: refusal },
    { state: 'unknown' },
    { state: 'sent' },
    { state: 'sent' },
  ])
})

it('finishes pending sends when stopped, and starts no more', async () => {
  const { begun, ends, results, stop, ended } = startBroadcast(6)
  stop.abort()
  for (const end of ends.values()) end.resolve()
  await ended
  expect(begun).toEqual([0, 1, 2, 3])
  expect([...results.keys()]).toEqual([0, 1, 2, 3])
})

const part = (id: string, state: StoredSend['state'], dead = false): StoredSend => ({ id, state, dead })

const again: readonly [why: string, stored: readonly StoredSend[], acts: readonly string[], code: string | null][] = [
  ['sends what the service has not stored', [], ['send'], null],
  ['retries failed parts, but not delivered ones', [part('a', 'delivered'), part('b', 'refused', true)], ['b'], null],
  ['sends nothing that has been delivered meanwhile', [part('a', 'delivered')], [], null],
  ['waits for pending parts', [part('a', 'queued')], [], 'delivery_pending'],
  ['does not repeat parts that may have been delivered', [part('a', 'unknown', true)], [], 'delivery_unknown'],
  ['sends again after the first one was dismissed', [part('a', 'refused')], ['send'], null],
]
it.each(again)('%s', async (_why, stored, acts, code) => {
  const done: string[] = []
  const ended = sendAgain({
    send: async () => void done.push('send'),
    stored: async () => stored,
    resend: async (id) => void done.push(id),
  })
  const failed = await ended.then(
    () => null,
    (error: unknown) => error,
  )
  expect(failed instanceof ApiError ? failed.code : null).toBe(code)
  expect(done).toEqual(acts)
})
