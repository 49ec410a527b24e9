import { testDatabases } from '@gatepost/sql/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openWorld, type World } from '../testing/bot-world.ts'
import { toGapReason } from '../gap-reasons.ts'
import { type Gap, readGaps, recordGap, type SilenceWatch, watchSilence } from './gaps.sql.ts'

const gap = (from: number, to: number, why = 'nobody listened'): Gap => ({
  from,
  to,
  why,
  reason_code: null,
  values: {},
})

describe.each(testDatabases)('gaps on %s', (_name, open) => {
  let world: World
  beforeEach(async () => {
    world = await openWorld(open)
  })
  afterEach(() => world.close())

  const cases: readonly [why: string, told: readonly Gap[], kept: readonly Gap[]][] = [
    ['apart: the newest first', [gap(1, 2), gap(5, 6)], [gap(5, 6), gap(1, 2)]],
    ['overlapping: one', [gap(1, 5), gap(3, 9)], [gap(1, 9)]],
    ['touching, and reaching further back: one', [gap(3, 5), gap(1, 5)], [gap(1, 5)]],
    ['told late, and over long before: two', [gap(50, 60), gap(1, 2)], [gap(50, 60), gap(1, 2)]],
    ['bridging two: one', [gap(1, 5), gap(8, 9), gap(4, 8)], [gap(1, 9)]],
    [
      'overlapping one that is not the newest',
      [gap(1, 5), gap(8, 9, 'it was lost'), gap(3, 6)],
      [gap(8, 9, 'it was lost'), gap(1, 6)],
    ],
    [
      'overlapping for another reason: two',
      [gap(1, 5), gap(3, 9, 'it was lost')],
      [gap(3, 9, 'it was lost'), gap(1, 5)],
    ],
  ]
  it.each(cases)('%s', async (_why, told, kept) => {
    const { workers } = await world.start()
    for (const one of told) await recordGap(workers.handle, one)
    expect(await readGaps(world.database, workers.handle.bot)).toEqual(kept)
    await workers.stop(AbortSignal.abort())
  })

  it('a reason keeps its code and values, also when gaps are merged', async () => {
    const { workers } = await world.start()
    const reason = toGapReason('session_not_resumed', { read: 3, unread: 1 })
    await recordGap(workers.handle, { from: 1, to: 5, ...reason })
    await recordGap(workers.handle, { from: 4, to: 9, ...reason })
    const [kept] = await readGaps(world.database, workers.handle.bot)
    expect(kept).toEqual({
      from: 1,
      to: 9,
      why: "Discord couldn't resume the session. The history of 3 known chats was read. 1 couldn't be read completely. Messages in other chats may be missing.",
      reason_code: 'session_not_resumed',
      values: { read: 3, unread: 1 },
    })
    await workers.stop(AbortSignal.abort())
  })

  it('a gap that an earlier version stored has its text and no code, and merges with one that has', async () => {
    const { workers } = await world.start()
    const { why } = toGapReason('messages_not_kept')
    const gaps_json = JSON.stringify([
      { from: 1, to: 5, why },
      { from: 0, to: 1, why: 'nobody listened' },
    ])
    const { bot } = workers.handle
    await workers.handle.write((tx) => tx.insertInto('bot').values({ bot, cursor: null, gaps_json }).execute())
    expect(await readGaps(world.database, bot)).toEqual([gap(1, 5, why), gap(0, 1)])
    await recordGap(workers.handle, { from: 4, to: 9, ...toGapReason('messages_not_kept') })
    expect(await readGaps(world.database, bot)).toEqual([
      { ...gap(1, 9, why), reason_code: 'messages_not_kept' },
      gap(0, 1),
    ])
    await workers.stop(AbortSignal.abort())
  })

  it('only the newest twenty are kept', async () => {
    const { workers } = await world.start()
    for (let n = 0; n < 25; n += 1) await recordGap(workers.handle, gap(n * 10, n * 10 + 1))
    const kept = await readGaps(world.database, workers.handle.bot)
    expect([kept.length, kept[0]]).toEqual([20, gap(240, 241)])
    await workers.stop(AbortSignal.abort())
  })
})

const HOUR = 3_600_000
const DAY = 24 * HOUR

describe.each(testDatabases)('%s', (_name, open) => {
  let world: World
  beforeEach(async () => {
    world = await openWorld(open)
  })
  afterEach(() => world.close())

  /** A new process begins to listen. */
  async function listen(replayMs: number | null = DAY): Promise<{ watch: SilenceWatch; bot: string }> {
    const { workers } = await world.start()
    const watch = await watchSilence({ handle: workers.handle, replayMs, clock: world.clock, log: io(world) })
    return { watch, bot: workers.handle.bot }
  }
  const gaps = async (bot: string): Promise<readonly { from: number; to: number }[]> =>
    (await readGaps(world.database, bot)).map(({ from, to }) => ({ from, to }))

  it('tells of the span that the platform did not keep while no process listened', async () => {
    const startMs = world.clock.now()
    ;(await listen()).watch.heard()
    await world.pass(30 * HOUR, 1)
    const { watch, bot } = await listen()
    watch.heard()
    await world.idle()
    expect(await gaps(bot)).toEqual([{ from: startMs, to: startMs + 6 * HOUR }])
  })

  it('tells of a silence within one process too', async () => {
    const { watch, bot } = await listen()
    watch.heard()
    await world.pass(10 * HOUR, 1)
    watch.heard()
    const heardMs = world.clock.now()
    await world.pass(25 * HOUR, 1)
    watch.heard()
    await world.idle()
    expect(await gaps(bot)).toEqual([{ from: heardMs, to: heardMs + HOUR }])
  })

  it.each<[why: string, replayMs: number | null, silentMs: number]>([
    ['the platform keeps messages for that long', DAY, DAY],
    ['nobody knows how long the platform keeps messages', null, 100 * DAY],
  ])('tells of nothing when %s', async (_why, replayMs, silentMs) => {
    const { watch, bot } = await listen(replayMs)
    watch.heard()
    await world.pass(silentMs, 1)
    watch.heard()
    await world.idle()
    expect(await gaps(bot)).toEqual([])
  })

  it('knows of no silence before the first word', async () => {
    const { watch, bot } = await listen(0)
    watch.heard()
    await world.idle()
    expect(await gaps(bot)).toEqual([])
  })
})

const io = (world: World): Parameters<typeof watchSilence>[0]['log'] => {
  const keep = (level: string) => (message: string) => void world.log.push({ level, message, fields: undefined })
  return { debug: keep('debug'), info: keep('info'), warn: keep('warn'), error: keep('error') }
}
