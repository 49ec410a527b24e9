import { testDatabases } from '@gatepost/sql/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { AssistantError } from '../assistant/assistant.ts'
import {
  type Answering,
  direct,
  echoing,
  openWorld,
  said,
  type World,
  type WorldOptions,
} from '../testing/bot-world.ts'
import { deliveryRecord } from '../storage/records.ts'

const GROUP = { id: 'g', kind: 'group' } as const
const SORRY = "Sorry, I couldn't answer that just now. Please try again in a little while."

/** Answers like `echoing` when it is let go. */
function gated(): { readonly answer: Answering; release(): void; running: number; most: number } {
  let waiting: (() => void)[] = []
  const gate = {
    running: 0,
    most: 0,
    release(): void {
      const now = waiting
      waiting = []
      for (const go of now) go()
    },
    answer: async function* (turn, signal) {
      gate.running += 1
      gate.most = Math.max(gate.most, gate.running)
      await new Promise<void>((resolve) => {
        waiting.push(resolve)
        signal.addEventListener('abort', () => resolve(), { once: true })
      })
      gate.running -= 1
      yield* echoing(turn, signal)
    } satisfies Answering,
  }
  return gate
}
const failing = (error: Error): Answering =>
  async function* () {
    yield { type: 'text', text: 'half an ans' }
    throw error
  }

describe.each(testDatabases)('turns on %s', (_name, open) => {
  let world: World
  const make = async (options: WorldOptions = {}): Promise<World> => (world = await openWorld(open, options))
  afterEach(() => world.close())

  it('marks the message that ends a reply of which something was left out', async () => {
    const long = 'word '.repeat(45)
    await make({
      async *answer({ messages }) {
        yield { type: 'text', text: long }
        if (messages.at(-1)?.text === 'all') yield { type: 'text', text: '_(Reply cut off.)_', isCut: true }
      },
    })
    const { workers } = await world.start()
    await workers.accept([said('all', { chat: direct('1') }), said('some', { chat: direct('2') })], null)
    await world.idle()
    const truncated = async (chatId: string): Promise<boolean[]> =>
      (await world.deliveries()).filter((row) => row.chat_id === chatId).map((row) => deliveryRecord(row).truncated)
    expect(await truncated('1')).toEqual([false, false, true])
    expect(await truncated('2')).toEqual([false, false, false])
    expect(world.platform.bodies('1').at(-1)).toContain('Reply cut off.')
  })

  it('answers one turn at a time in a conversation; what comes meanwhile is the next turn, all of it', async () => {
    const gate = gated()
    await make({ answer: gate.answer })
    const { workers } = await world.start()
    await workers.accept([said('1')], null)
    await world.idle()
    await workers.accept([said('2')], null)
    await workers.accept([said('3')], null)
    await world.idle()
    expect(gate.most).toBe(1)
    gate.release()
    await world.idle()
    gate.release()
    await world.idle()
    expect(world.platform.bodies('7')).toEqual(['echo: 1', 'echo: 2 + 3'])
    expect(gate.most).toBe(1)
    const seen = world.asked[1]?.messages.map(({ role, text }) => `${role} ${text}`)
    expect(seen).toEqual(['user 1', 'assistant echo: 1', 'user 2', 'user 3'])
  })

  it('answers many conversations at once, as many as there are slots', async () => {
    const gate = gated()
    await make({ answer: gate.answer, turnSemaphore: 3 })
    const { workers } = await world.start()
    await workers.accept(
      Array.from({ length: 8 }, (_, n) => said('hi', { chat: direct(`u${n}`) })),
      null,
    )
    for (let round = 0; round < 3; round++) {
      await world.idle()
      expect(gate.running).toBe(round < 2 ? 3 : 2)
      gate.release()
    }
    await world.idle()
    expect(world.platform.shown).toHaveLength(8)
    expect(gate.most).toBe(3)
  })

  it('keeps the threads of one chat apart', async () => {
    await make()
    const { workers } = await world.start()
    await workers.accept([said('a', { chat: GROUP }), said('b', { chat: { ...GROUP, threadId: 't' } })], null)
    await world.until(() => world.platform.shown.length === 2)
    expect(world.asked.map(({ messages }) => messages.length)).toEqual([1, 1])
  })

  it('waits until an album is complete', async () => {
    await make()
    const { workers } = await world.start()
    await workers.accept([said('one', { settleMs: 1_000 })], null)
    await world.pass(900)
    await workers.accept([said('two', { settleMs: 1_000 })], null)
    await world.pass(900)
    expect(world.asked).toEqual([])
    await world.pass(200)
    expect(world.platform.bodies('7')).toEqual(['echo: one + two'])
  })

  it('gives the history in order, within its budget', async () => {
    await make({ historyMessages: 4 })
    const { workers } = await world.start()
    for (const text of ['1', '2', '3']) {
      await workers.accept([said(text)], null)
      await world.pass(10, 1)
    }
    expect(world.asked[2]?.messages.map(({ text }) => text)).toEqual(['2', 'echo: 2', '3'])
  })

  it('tries again with back-off, across a restart, and says once and honestly that there is no answer', async () => {
    await make({ answer: failing(new AssistantError('unreachable', 'no route')) })
    const first = await world.start()
    await first.workers.accept([said('hello?')], null)
    await world.pass(2_100)
    expect(world.asked).toHaveLength(2)
    await first.workers.stop(AbortSignal.timeout(1_000))
    const second = await world.start()
    await second.workers.recover()
    await second.workers.accept([said('still there?')], null)
    expect(await world.turns()).toMatchObject([{ attempts: 2, state: 'open', error: 'no route' }])
    await world.pass(28_000, 100)
    expect(world.platform.bodies('7')).toEqual([SORRY])
    expect(world.metrics.turns).toMatchObject({ failed: 1, answered: 0 })
    const [failed, waiting] = await world.messages()
    expect([failed?.state, failed?.reason, waiting?.state]).toEqual(['failed', 'no route', 'received'])
    // the messages of a turn that has begun are fixed: the second one waits for its own
    expect(world.asked.slice(0, 5).map(({ messages }) => messages.length)).toEqual([1, 1, 1, 1, 1])
    world.answer = echoing
    await world.pass(40_000)
    expect(world.platform.bodies('7')).toEqual([SORRY, 'echo: still there?'])
    // a question that failed is not part of what was said
    expect(world.asked.at(-1)?.messages.map(({ text }) => text)).toEqual(['still there?'])
  })

  it('keeps to the schedule of the back-off and to what the assistant asks', async () => {
    await make({ answer: failing(new AssistantError('busy', 'later', { retryAfterMs: 60_000 })) })
    const { workers } = await world.start()
    await workers.accept([said('hi')], null)
    await world.pass(59_000)
    expect(world.asked).toHaveLength(1)
    const times: number[] = []
    world.answer = async function* (turn, signal) {
      times.push(world.clock.now())
      yield* failing(new AssistantError('unreachable', 'gone'))(turn, signal)
    }
    await world.pass(40_000, 400)
    const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0))
    expect(gaps).toHaveLength(3)
    for (const [index, gap] of gaps.entries()) {
      expect(gap).toBeGreaterThanOrEqual(2_000 * 2 ** index)
      expect(gap).toBeLessThanOrEqual(4_000 * 2 ** index + 200)
    }
  })

  it('says it at once when trying again cannot help', async () => {
    await make({ answer: failing(new AssistantError('misconfigured', 'no key')) })
    const { workers } = await world.start()
    await workers.accept([said('hi')], null)
    await world.idle()
    expect(world.platform.bodies('7')).toEqual([SORRY])
    expect(world.asked).toHaveLength(1)
  })

  it.each<[string, Answering]>([
    ['nothing', async function* () {}],
    [
      'only white space',
      async function* () {
        yield { type: 'text', text: ' \n ' }
      },
    ],
    ['an error of its own', failing(new TypeError('bug'))],
  ])('takes %s for a failure', async (_what, answer) => {
    await make({ answer })
    const { workers } = await world.start()
    await workers.accept([said('hi')], null)
    await world.idle()
    expect(await world.turns()).toMatchObject([{ state: 'open', attempts: 1 }])
    world.answer = echoing
    await world.pass(3_000)
    expect(world.platform.bodies('7')).toEqual(['echo: hi'])
  })

  it('stores an answer that no database takes as it is', async () => {
    await make()
    world.answer = async function* () {
      yield { type: 'text', text: 'a\0b \ud83d' }
      yield { type: 'text', text: '\ude00 c' }
    }
    const { workers } = await world.start()
    await workers.accept([said('hi')], null)
    await world.idle()
    expect(world.platform.bodies('7')).toEqual(['ab \ud83d\ude00 c'])
    expect(await world.turns()).toMatchObject([{ answer: 'ab \ud83d\ude00 c' }])
  })

  it.each<[string, Answering]>([
    [
      'ends with an error',
      async function* (_turn, signal) {
        yield { type: 'text', text: 'half' }
        await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))) // an Error by the platform
      },
    ],
    [
      'ends as if it were done',
      async function* (_turn, signal) {
        yield { type: 'text', text: 'half' }
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
      },
    ],
  ])('parks a turn that is broken off (it %s): answered after the restart, once', async (_how, answer) => {
    await make({ answer })
    const first = await world.start()
    await first.workers.accept([said('hi')], null)
    await world.idle()
    await first.workers.stop(AbortSignal.abort())
    expect(world.platform.shown).toEqual([])
    world.answer = echoing
    const second = await world.start()
    await second.workers.recover()
    await world.idle()
    expect(world.platform.bodies('7')).toEqual(['echo: hi'])
    expect(await world.turns()).toMatchObject([{ attempts: 0, state: 'answered' }])
  })

  it('lets a turn end that can end before the stop gives up', async () => {
    const gate = gated()
    await make({ answer: gate.answer })
    const { workers } = await world.start()
    await workers.accept([said('hi')], null)
    await world.idle()
    const stopped = workers.stop(new AbortController().signal)
    await workers.accept([said('too late')], null)
    gate.release()
    await stopped
    expect((await world.messages()).map(({ state }) => state)).toEqual(['answered', 'received'])
    const next = await world.start()
    await next.workers.recover()
    await world.idle()
    gate.release()
    await world.idle()
    expect(world.platform.bodies('7')).toEqual(['echo: hi', 'echo: too late'])
  })

  it.each(['insert into "delivery"', 'insert into "turn"', 'update "message"'])(
    'asks the assistant once though the answer cannot be stored for a while: %s fails',
    async (statement) => {
      await make()
      const { workers } = await world.start()
      world.watched.failing = (sql) => sql.startsWith(statement)
      await workers.accept([said('hi')], null)
      await world.pass(10_000)
      expect(world.platform.shown).toEqual([])
      world.watched.failing = null
      await world.pass(5_000)
      expect(world.platform.bodies('7')).toEqual(['echo: hi'])
      expect(world.asked).toHaveLength(1)
    },
  )

  it.each(['fails', 'is lost'] as const)('shows the answer once when its commit %s', async (how) => {
    await make()
    const { workers } = await world.start()
    world.answer = async function* (turn, signal) {
      world.watched.nextCommit = how
      yield* echoing(turn, signal)
    }
    await workers.accept([said('hi')], null)
    await world.pass(10_000)
    await workers.outbox.sweep()
    await world.pass(1_000)
    expect(world.platform.bodies('7')).toEqual(['echo: hi'])
    expect(world.asked).toHaveLength(1)
  })

  it('does not count a failure of the database as one of the assistant', async () => {
    await make()
    const { workers } = await world.start()
    await workers.accept([said('1')], null)
    await world.idle()
    world.watched.failing = (sql) => sql.includes('from "turn"')
    await workers.accept([said('2')], null)
    await world.pass(30_000)
    world.watched.failing = null
    await world.pass(5_000)
    expect(world.platform.bodies('7')).toEqual(['echo: 1', 'echo: 2'])
    expect(world.metrics.turns).toEqual({ answered: 2, failed: 0, retried: 0 })
  })
})
