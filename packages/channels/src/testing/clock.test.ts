import { expect, it } from 'vitest'
import { manualClock } from './clock.ts'

it('wakes sleepers in the order of their time, each at its own time', async () => {
  const clock = manualClock(1_000)
  const woken: [name: string, atMs: number][] = []
  const sleeper = async (name: string, ms: number): Promise<void> => {
    await clock.sleep(ms)
    woken.push([name, clock.now()])
  }
  void sleeper('late', 300)
  void sleeper('early', 100)
  void sleeper('too late', 301)
  await clock.advance(300)
  expect(woken).toEqual([
    ['early', 1_100],
    ['late', 1_300],
  ])
  expect(clock.now()).toBe(1_300)
  expect(clock.sleeping).toBe(1)
})

it('counts a sleep that begins while the time moves', async () => {
  const clock = manualClock(0)
  const ticks: number[] = []
  const loop = async (): Promise<void> => {
    for (let tick = 0; tick < 5; tick++) {
      await clock.sleep(10)
      ticks.push(clock.now())
    }
  }
  void loop()
  await clock.advance(35)
  expect(ticks).toEqual([10, 20, 30])
})

it('ends a sleep at once when its signal aborts, and forgets it', async () => {
  const clock = manualClock(0)
  const aborter = new AbortController()
  const asleep = clock.sleep(1_000, aborter.signal)
  expect(clock.sleeping).toBe(1)
  aborter.abort()
  await asleep
  await clock.sleep(1_000, aborter.signal)
  expect([clock.sleeping, clock.now()]).toEqual([0, 0])
})

it('says when enough sleeps wait', async () => {
  const clock = manualClock(0)
  setImmediate(() => {
    void clock.sleep(5)
    void clock.sleep(6)
  })
  await clock.untilSleeping(2)
  expect(clock.sleeping).toBe(2)
  await clock.untilSleeping(1)
})
