import type { Kind } from './kind.ts'

/** The final value of another setting, for a default that follows from it. */
export type Get = <T, I>(setting: Setting<T, I>) => T

/** One row of the settings: everything that is known about a setting stands here. */
export interface Setting<T, I = T> {
  /** Upper-case name, that of the reference where it has the setting. */
  readonly name: string
  /** Further upper-case names of exactly this setting. */
  readonly aliases?: readonly string[]
  readonly kind: Kind<T, I>
  /** Default value, or how it follows from other settings. */
  readonly fallback: T | ((get: Get) => T)
  /** The default in words, for the manual; needed when it is computed. */
  readonly fallbackText?: string
  /** Effect and unit, one or two sentences for the manual. */
  readonly about: string
  /** Never shown: not in messages, and not enumerable in the settings, so that printing them leaves it out. */
  readonly secret?: true
  /** What to write instead of a setting that is still taken and should go: a sentence. */
  readonly old?: string
  /** Last step for given and default values alike: what another setting forces upon this one. */
  finish?(value: T, get: Get): T
}

/** Settings by property name. */
export type SettingGroup = Readonly<Record<string, Setting<unknown, unknown>>>

/** What the package works with, inferred from the rows. */
export type Resolved<G> = { readonly [K in keyof G]: G[K] extends Setting<infer T, infer _I> ? T : never }

/** What a caller may write, inferred from the rows. */
export type Written<G> = { readonly [K in keyof G]?: G[K] extends Setting<infer _T, infer I> ? I : never }

/** Creates a row whose default matches its kind. */
export const setting = <T, I>(
  row: Omit<Setting<T, I>, 'fallback' | 'finish'> & {
    readonly fallback: NoInfer<T> | ((get: Get) => NoInfer<T>)
    finish?(value: NoInfer<T>, get: Get): NoInfer<T>
  },
): Setting<T, I> => row

/**
 * Returns the closest known name, or `null` if none is close.
 * @param most Maximum edit distance.
 */
export function nearestName(written: string, known: Iterable<string>, most: number = Infinity): string | null {
  const asked = written.slice(0, 80)
  let nearest: { readonly name: string; readonly distance: number } | null = null
  for (const name of known) {
    const distance = editDistance(asked, name)
    if (distance <= most && distance < (nearest?.distance ?? Math.max(3, name.length / 3))) nearest = { name, distance }
  }
  return nearest?.name ?? null
}

/** Levenshtein distance, row by row. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
