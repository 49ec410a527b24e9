import { testDatabases } from '@gatepost/sql/testing'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { openWorld, type Process } from '../testing/bot-world.ts'
import { FAKE_SETTLE_MS, refused, type Scripted } from '../testing/fake-platform.ts'

const OUTCOMES: readonly Scripted[] = [
  'ok',
  'lost',
  'dropped',
  'shown, then hangs',
  'hangs',
  refused('network'),
  refused('rate_limited', { retryAfterMs: 2_000 }),
  new Error('thrown'),
]
const chat = fc.constantFrom('a', 'b', 'c')
const action = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('push' as const), chat, count: fc.integer({ min: 1, max: 4 }) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('store and wake' as const), chat }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('wake' as const), chat }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('sweep' as const) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('outcome' as const), which: fc.nat(OUTCOMES.length - 1) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.integer({ min: 0, max: 5_000 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('lose a commit' as const), how: fc.constantFrom('fails', 'is lost') }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('kill' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('stop' as const) }) },
)
const [sqlite] = testDatabases
const RUNS = 60

it.each([
  ['finds out', { findSent: true }],
  ['can repeat', { resend: true }],
])('a platform that %s shows every delivery exactly once and in order, whatever happens', async (_can, options) => {
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 3, maxLength: 25 }), async (actions) => {
      if (!sqlite) throw new Error('no database')
      const world = await openWorld(sqlite[1], options)
      try {
        const expected: Record<string, string[]> = { a: [], b: [], c: [] }
        let counter = 0
        const store = async (to: string, count: number): Promise<Awaited<ReturnType<typeof world.store>>> => {
          const texts = Array.from({ length: count }, () => `m${(counter += 1)}`)
          expected[to]?.push(...texts)
          return world.store(to, ...texts)
        }
        const start = async (): Promise<Process> => {
          const fresh = await world.start()
          await fresh.workers.recover()
          return fresh
        }
        const former: Process[] = []
        let current = await start()
        for (const step of actions) {
          const { outbox } = current.workers
          if (step.do === 'push') outbox.push(await store(step.chat, step.count))
          else if (step.do === 'store and wake') {
            await store(step.chat, 1)
            outbox.wake(step.chat)
          } else if (step.do === 'wake') outbox.wake(step.chat)
          else if (step.do === 'sweep') await outbox.sweep().catch(() => undefined)
          else if (step.do === 'outcome') world.platform.script(OUTCOMES[step.which] ?? 'ok')
          else if (step.do === 'pass') await world.pass(step.ms, 3)
          else if (step.do === 'lose a commit') world.watched.nextCommit = step.how
          else {
            if (step.do === 'stop') await current.workers.stop(AbortSignal.abort())
            else former.push(current)
            world.watched.nextCommit = null
            current = await start()
          }
        }
        world.watched.nextCommit = null
        former.push(current)
        world.platform.clear()
        await start()
        for (const one of former) await one.workers.stop(AbortSignal.abort())
        await world.pass(30 * FAKE_SETTLE_MS, 60)
        for (const [to, bodies] of Object.entries(expected)) expect(world.platform.bodies(to)).toEqual(bodies)
        expect((await world.deliveries()).filter(({ state }) => state !== 'delivered')).toEqual([])
      } finally {
        await world.close()
      }
    }),
    { numRuns: RUNS, seed: 7 },
  )
})
