import type { Kind } from './kind.ts'

/** Returns the final value of another setting, for a default that depends on it. */
export type Get = <T, I>(setting: Setting<T, I>) => T

/** The definition of a setting. */
export interface Setting<T, I = T> {
  /** Upper-case name, as in the reference if it has this setting. */
  readonly name: string
  /** Alternative upper-case names of the same setting. */
  readonly aliases?: readonly string[]
  readonly kind: Kind<T, I>
  /** Default value, or a function that computes it from other settings. */
  readonly fallback: T | ((get: Get) => T)
  /** The default in words, for the manual; needed if it's computed. */
  readonly fallbackText?: string
  /** The effect and unit, in one or two sentences for the manual. */
  readonly about: string
  /** Keeps the value out of messages, and makes it non-enumerable, so that printing the settings omits it. */
  readonly secret?: true
  /** For a deprecated setting, a sentence that says what to use instead. */
  readonly old?: string
  /** Adjusts the given or default value to other settings. */
  finish?(value: T, get: Get): T
}

/** Settings by property name. */
export type SettingGroup = Readonly<Record<string, Setting<unknown, unknown>>>

/** The resolved settings, inferred from the definitions. */
export type Resolved<G> = { readonly [K in keyof G]: G[K] extends Setting<infer T, infer _I> ? T : never }

/** The input for the settings, inferred from the definitions. */
export type Written<G> = { readonly [K in keyof G]?: G[K] extends Setting<infer _T, infer I> ? I : never }

/** Defines a setting. The default must match the kind. */
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
  const text = written.slice(0, 80)
  let nearest: { readonly name: string; readonly distance: number } | null = null
  for (const name of known) {
    const distance = editDistance(text, name)
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
