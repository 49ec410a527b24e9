import {
  ALL_SCOPES,
  type Call,
  type EmulatedPerson,
  type Grant,
  type Members,
  NO_ID,
  type Shape,
  type Subject,
  toSubject,
} from './shape.ts'
import { faultAt, type State } from './state.ts'

/** Returns the person of a grant, limited to its scopes. */
export function limitToScopes(shape: Pick<Shape, 'emailScope'>, grant: Grant): EmulatedPerson {
  const { emailScope } = shape
  const isWanted = (scope: string): boolean =>
    scope === ALL_SCOPES || scope === emailScope || scope.startsWith(`${emailScope ?? ''}~`)
  return emailScope === undefined || grant.scopes.some(isWanted) ? grant.person : { ...grant.person, email: null }
}

/** Returns the person to show: that of the grant or, with a fault, another one or one without an id. */
export function toShownSubject(
  state: State,
  shape: Pick<Shape, 'uidFrom' | 'emailScope'>,
  call: Call,
  grant: Grant,
): Subject {
  const fault = faultAt(state, call.provider, call.kind)
  const person = limitToScopes(shape, grant)
  if (fault === 'other_subject') return toSubject({ ...person, id: `${person.id}0` })
  if (fault !== 'no_uid') return toSubject(person)
  return toSubject({ ...person, [shape.uidFrom ?? 'id']: NO_ID, id: NO_ID })
}

const isLeftOut = (value: unknown): boolean =>
  (typeof value === 'string' && value.includes(NO_ID)) || (typeof value === 'number' && Number.isNaN(value))

/** Removes members with an id to omit from a response. */
export function withoutId<T>(value: T): T {
  if (Array.isArray(value)) {
    return value.map((each: unknown) => withoutId(each)) as T // keeps the type of the list
  }
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value as Members).filter(([, each]) => !isLeftOut(each)) // any object has members
  return Object.fromEntries(kept.map(([name, each]) => [name, withoutId(each)])) as T // keeps the type of the object
}
