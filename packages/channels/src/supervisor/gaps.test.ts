import { testDatabases } from '@gatepost/sql/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openWorld, type World } from '../testing/bot-world.ts'
import { type Gap, readGaps, recordGap } from './gaps.sql.ts'

const gap = (from: number, to: number, why = 'nobody listened'): Gap => ({ from, to, why })

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

  it('only the newest twenty are kept', async () => {
    const { workers } = await world.start()
    for (let n = 0; n < 25; n += 1) await recordGap(workers.handle, gap(n * 10, n * 10 + 1))
    const kept = await readGaps(world.database, workers.handle.bot)
    expect([kept.length, kept[0]]).toEqual([20, gap(240, 241)])
    await workers.stop(AbortSignal.abort())
  })
})
