import {
  ALL_SCOPES,
  type Call,
  type EmulatedPerson,
  type Grant,
  type Members,
  NO_ID,
  type Shape,
  type Subject,
  subjectOf,
} from './shape.ts'
import { faultAt, type State } from './state.ts'

/** The person as far as the scopes of the grant go. */
export function visibleIn(shape: Pick<Shape, 'emailScope'>, grant: Grant): EmulatedPerson {
  const { emailScope } = shape
  const isWanted = (scope: string): boolean =>
    scope === ALL_SCOPES || scope === emailScope || scope.startsWith(`${emailScope ?? ''}~`)
  return emailScope === undefined || grant.scopes.some(isWanted) ? grant.person : { ...grant.person, email: null }
}

/** Who is shown: the person of the grant, or with a fault somebody else or nobody. */
export function shownAt(state: State, shape: Pick<Shape, 'uidFrom' | 'emailScope'>, call: Call, grant: Grant): Subject {
  const fault = faultAt(state, call.provider, call.kind)
  const person = visibleIn(shape, grant)
  if (fault === 'other_subject') return subjectOf({ ...person, id: `${person.id}0` })
  if (fault !== 'no_uid') return subjectOf(person)
  return subjectOf({ ...person, [shape.uidFrom ?? 'id']: NO_ID, id: NO_ID })
}

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
