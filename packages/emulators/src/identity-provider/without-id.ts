import { type Members, NO_ID } from './shape.ts'

const isLeftOut = (value: unknown): boolean =>
  (typeof value === 'string' && value.includes(NO_ID)) || (typeof value === 'number' && Number.isNaN(value))

/** A reply without the members that hold an id to be left out. */
export function withoutId<T>(value: T): T {
  if (Array.isArray(value)) {
    return value.map((each: unknown) => withoutId(each)) as T // the same list, of the same kind
  }
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value as Members).filter(([, each]) => !isLeftOut(each)) // any object has members
  return Object.fromEntries(kept.map(([name, each]) => [name, withoutId(each)])) as T // the same shape, with less
}
