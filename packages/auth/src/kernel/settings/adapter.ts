import type { Kind, Reading } from './kind.ts'

/** Returns a host's hooks. @param defaults The default hooks, which the host's can call. */
export type AdapterFactory = (defaults: object) => object

const PROBLEM = 'must be a class, or an object of hooks. A class path only works for the default adapter'

/** Whether the value is a class of the reference that changes nothing, under either product name. */
const isDefaultAdapter = (value: unknown): boolean =>
  value === '' || (typeof value === 'string' && /^(authpkg|allauth)\.(\w+\.)*Default\w*Adapter$/.test(value))

/** Only an ES class has a `prototype` that can't be assigned. */
const isClass = (value: object): value is new (defaults: object) => object =>
  Object.getOwnPropertyDescriptor(value, 'prototype')?.writable === false

function read(value: unknown): Reading<AdapterFactory | null> {
  if (value === null || isDefaultAdapter(value)) return { value: null }
  if (typeof value === 'function') {
    return { value: isClass(value) ? (defaults) => new value(defaults) : (value as AdapterFactory) } // checked by the host's compiler
  }
  return typeof value === 'object' && !Array.isArray(value) ? { value: () => value } : { problem: PROBLEM }
}

/**
 * A host's hooks: a class, whose constructor gets the default hooks; an object; or a function of the defaults. `null`, and
 * the path of a default adapter, mean none. Can only be set in code.
 */
export const adapter: Kind<AdapterFactory | null, object | string | null> = {
  type: 'a class, an object of hooks, or a function that returns one (set in code), or null',
  example: null,
  read,
  fromText: (text) => text,
}
