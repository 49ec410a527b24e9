import type { Auth } from '../auth.ts'
import { AuthError } from '../errors.ts'
import type { Identity, WithHeaders } from '../identity.ts'

/** By package and by request: what one package knows of a caller says nothing to another. */
const known = new WeakMap<Auth, WeakMap<object, Promise<Identity | null>>>()

/**
 * The caller of a request, read at most once however many ask.
 * @param request What stands for the request in its framework, the same object each time.
 */
export function callerOf(auth: Auth, request: object, head: WithHeaders): Promise<Identity | null> {
  const callers = known.get(auth) ?? new WeakMap<object, Promise<Identity | null>>()
  known.set(auth, callers)
  const caller = callers.get(request) ?? auth.identify(head)
  callers.set(request, caller)
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
