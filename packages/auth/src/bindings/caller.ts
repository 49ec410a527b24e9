import type { Auth } from '../auth.ts'
import { AuthError } from '../errors.ts'
import type { WithHeaders } from '../kernel/http/with-headers.ts'
import type { Identity } from '../kernel/identity.ts'

const CALLERS = Symbol('callers')

/**
 * By package: what one package knows of a caller says nothing to another. On the request itself, since a `WeakMap` would
 * keep both until the next full garbage collection.
 */
interface Known {
  [CALLERS]?: Map<Auth, Promise<Identity | null>>
}

/**
 * The caller of a request, read at most once however many ask.
 * @param request What stands for the request in its framework, the same object each time.
 */
export function callerOf(auth: Auth, request: object, head: WithHeaders): Promise<Identity | null> {
  const known: Known = request
  known[CALLERS] ??= new Map()
  const caller = known[CALLERS].get(auth) ?? auth.identify(head)
  known[CALLERS].set(auth, caller)
  return caller
}

/**
 * The caller behind a guard, where a framework cannot say by its types that there is one.
 * @throws {AuthError} `login_required` (401) when there is none
 */
export function signedIn(identity: Identity | null | undefined): Identity {
  if (identity === null || identity === undefined) throw new AuthError('login_required')
  return identity
}
