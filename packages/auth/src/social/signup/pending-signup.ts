import type { Social } from '../social-accounts.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { SocialLogin } from '../social-login.ts'

/** Entry of the session that holds a login whose sign-up waits for a form. */
const KEY = 'socialaccount_sociallogin'
/** Whoever left the form open for longer begins anew at the provider. */
const LIFE_MS = 3_600_000

interface StoredSignup {
  readonly sociallogin: unknown
  readonly at_ms: number
}

/** Keeps the login until the visitor has completed the form. Nobody who knew the session before has it. */
export function storePendingSignup(social: Social, request: Visit, sociallogin: SocialLogin): void {
  const stored: StoredSignup = {
    sociallogin: social.adapter.serializeInstance(sociallogin),
    at_ms: request.nowMs,
  }
  request.session.set(KEY, stored)
  request.session.cycle()
}

/** Whether one waits, whatever its state: a cheap question. */
export const hasPendingSignup = (request: Visit): boolean => request.session.get(KEY) !== undefined

/** The login whose sign-up waits; one that is over or cannot be read is dropped. */
export async function loadPendingSignup(social: Social, request: Visit): Promise<SocialLogin | null> {
  const stored = request.session.get(KEY) as StoredSignup | undefined // written by `keepPendingSignup` alone
  if (stored === undefined) return null
  const isOver = request.nowMs - stored.at_ms > LIFE_MS
  const sociallogin = isOver ? null : await social.adapter.deserializeInstance(request, stored.sociallogin)
  if (sociallogin === null) dropPendingSignup(request)
  return sociallogin
}

/** Forgets it. */
export const dropPendingSignup = (request: Visit): void => request.session.delete(KEY)
