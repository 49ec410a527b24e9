import { describe, expect, it } from 'vitest'
import { EFFECTS } from './testing/effects/all.ts'
import { createEffectWorld } from './testing/effects/effect.ts'

describe.each(EFFECTS.map((effect) => [effect.setting, effect] as const))('%s', (_setting, effect) => {
  it.each([
    ['by default', false, effect.without],
    ['changed', true, effect.within],
  ] as const)('%s', async (_why, isChanged, expected) => {
    const world = await createEffectWorld(effect, isChanged)
    try {
      expect(await effect.observe(world)).toEqual(expected)
    } finally {
      await world.close()
    }
  })
})
