import { median } from './statistics.ts'
import type { Figure } from '../figures.ts'

/** Runs `measure` several times and gives of each named value the median and the range. */
export async function inRounds<K extends string>(
  rounds: number,
  measure: () => Promise<Readonly<Record<K, number>>>,
): Promise<Readonly<Record<K, Pick<Figure, 'value' | 'range'>>>> {
  const all: Readonly<Record<K, number>>[] = []
  for (let n = 0; n < rounds; n += 1) all.push(await measure())
  const names = Object.keys(all[0] ?? {}) as K[] // the keys of the record that was given
  const entries = names.map((name) => {
    const values = all.map((one) => one[name])
    return [name, { value: median(values), range: [Math.min(...values), Math.max(...values)] }] as const
  })
  return Object.fromEntries(entries) as Record<K, Pick<Figure, 'value' | 'range'>> // one entry for each name
}
