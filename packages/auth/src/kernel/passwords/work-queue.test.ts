import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createWorkQueue } from './password-service.ts'

const doNothing = (): Promise<void> => Promise.resolve()

describe('the queue', () => {
  it('runs as much at once as it may, and the rest in the order of its coming', async () => {
    const queue = createWorkQueue({ atOnce: 2, waiting: 10 })
    const started: number[] = []
    const ends: (() => void)[] = []
    const work = (id: number) =>
      queue.run(() => {
        started.push(id)
        return new Promise<number>((resolve) => ends.push(() => resolve(id)))
      })
    const all = [1, 2, 3, 4].map(work)
    await doNothing()
    expect(started).toEqual([1, 2])
    ends[1]?.()
    expect(await all[1]).toBe(2)
    await doNothing()
    expect(started).toEqual([1, 2, 3])
    ends[0]?.()
    await all[0]
    await doNothing()
    expect(started).toEqual([1, 2, 3, 4])
    for (const end of ends) end()
    expect(await Promise.all(all)).toEqual([1, 2, 3, 4])
  })

  it('rejects work when full, and accepts it again once there is room', async () => {
    const queue = createWorkQueue({ atOnce: 1, waiting: 1 })
    let end = (): void => {}
    const first = queue.run(() => new Promise<void>((resolve) => (end = resolve)))
    const second = queue.run(doNothing)
    await expect(queue.run(doNothing)).rejects.toMatchObject({ code: 'overloaded' })
    end()
    await Promise.all([first, second])
    await expect(queue.run(() => Promise.resolve('done'))).resolves.toBe('done')
  })

  it('gives a place back also when the work fails, and never runs too much', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.array(fc.boolean(), { maxLength: 20 }), async (scheduler, fails) => {
        const queue = createWorkQueue({ atOnce: 3, waiting: 20 })
        let running = 0
        let most = 0
        const all = fails.map((fail, id) =>
          queue.run(async () => {
            most = Math.max(most, ++running)
            await scheduler.schedule(doNothing())
            running -= 1
            if (fail) throw new Error(`${id}`)
            return id
          }),
        )
        const outcomes = Promise.allSettled(all)
        await scheduler.waitFor(outcomes)
        expect((await outcomes).map(({ status }) => status === 'rejected')).toEqual(fails)
        expect(most).toBe(Math.min(3, fails.length))
      }),
    )
  })
})
