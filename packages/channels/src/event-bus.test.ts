import { expect, it } from 'vitest'
import { createEventBus } from './event-bus.ts'
import type { ChannelEvent } from './channels.ts'

const createEvent = (at: number): ChannelEvent => ({
  platform: 'telegram',
  at,
  type: 'state',
  state: 'running',
  reason: null,
  message: null,
})

/** Reads until the end, from the next turn of the event loop on. */
async function read(events: AsyncIterable<ChannelEvent>): Promise<number[]> {
  const seen: number[] = []
  for await (const event of events) seen.push(event.at)
  return seen
}
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

it('tells every listener of the account what happens, in order, and nobody else', async () => {
  const bus = createEventBus()
  const aborter = new AbortController()
  const [one, two, other] = ['me', 'me', 'you'].map((account) => read(bus.listen(account, aborter.signal)))
  for (let at = 0; at < 5; at++) {
    bus.emit('me', () => createEvent(at))
    if (at % 2 === 0) await turn()
  }
  await turn()
  aborter.abort()
  expect(await Promise.all([one, two, other])).toEqual([[0, 1, 2, 3, 4], [0, 1, 2, 3, 4], []])
})

it('builds nothing when nobody listens, and not any more after the abort', async () => {
  const bus = createEventBus()
  let built = 0
  const event = (): ChannelEvent => createEvent((built += 1))
  bus.emit('me', event)
  const aborter = new AbortController()
  const reading = read(bus.listen('me', aborter.signal))
  bus.emit('me', event)
  await turn()
  aborter.abort()
  bus.emit('me', event)
  expect([await reading, built]).toEqual([[1], 1])
})

it('frees a listener that stops reading by itself', async () => {
  const bus = createEventBus()
  let built = 0
  const reading = (async () => {
    for await (const { at } of bus.listen('me', new AbortController().signal)) return at
    return -1
  })()
  bus.emit('me', () => createEvent((built += 1)))
  expect(await reading).toBe(1)
  bus.emit('me', () => createEvent((built += 1)))
  expect(built).toBe(1)
})

it('ends a listener that falls too far behind, and keeps the others', async () => {
  const bus = createEventBus()
  const aborter = new AbortController()
  const slow = bus.listen('me', aborter.signal)[Symbol.asyncIterator]()
  const first = slow.next()
  const quick = read(bus.listen('me', aborter.signal))
  for (let at = 0; at < 3_000; at++) {
    bus.emit('me', () => createEvent(at))
    if (at % 100 === 0) await turn()
  }
  expect(await first).toMatchObject({ value: { at: 0 } })
  expect(await slow.next()).toEqual({ done: true, value: undefined })
  await turn()
  aborter.abort()
  expect(await quick).toHaveLength(3_000)
})

it('ends everybody when it is closed, also who comes later', async () => {
  const bus = createEventBus()
  const signal = new AbortController().signal
  const reading = read(bus.listen('me', signal))
  bus.close()
  expect([
    await reading,
    await read(bus.listen('me', signal)),
    await read(bus.listen('me', AbortSignal.abort())),
  ]).toEqual([[], [], []])
})

it('calls at every change of a delivery until the abort, also when the abort came first', () => {
  const bus = createEventBus()
  const calls: string[] = []
  const [one, two] = [new AbortController(), new AbortController()]
  bus.onDelivery('d', () => calls.push('one'), one.signal)
  bus.onDelivery('d', () => calls.push('two'), two.signal)
  bus.onDelivery('d', () => calls.push('never'), AbortSignal.abort())
  bus.deliveryChanged('d')
  one.abort()
  bus.deliveryChanged('d')
  bus.deliveryChanged('e')
  two.abort()
  bus.deliveryChanged('d')
  expect(calls).toEqual(['one', 'two', 'two'])
})
