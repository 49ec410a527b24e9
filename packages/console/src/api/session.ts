import { createContext, use } from 'react'
import { accountClient } from './account-client.ts'
import { address } from './address.ts'
import { ApiError } from './api-error.ts'
import type { Answer } from './call.ts'
import { viewAccount } from './viewed-account.ts'

/** Who looks at the console, and where it runs. */
export interface Session {
  readonly me: Answer<'whoAmI'>
  readonly service: Answer<'getService'>
  /** Sees every account, the log and the assistant's settings. */
  readonly isStaff: boolean
}

/** The session of the person who is signed in. */
export const SessionContext = createContext<Session | null>(null)

/** Who looks at the console: every page is below somebody's session. */
export function useSession(): Session {
  const session = use(SessionContext)
  if (session === null) throw new Error('A page stands outside of the session.')
  return session
}

let isLeading = false

/** Leads to the sign-in, which leads back here. However many answers say that it is needed. */
export function leadToSignIn(): void {
  if (isLeading) return
  isLeading = true
  // a browser that goes back may show this very page again
  window.addEventListener('pageshow', ({ persisted }) => persisted && location.reload())
  const { pathname, search } = location
  location.assign(`${address('accounts/login/')}?${new URLSearchParams({ next: pathname + search })}`)
}

/** Ends the session, and leads to the sign-in. @throws {ApiError} `no_answer`: it goes on */
export async function signOut(): Promise<void> {
  try {
    await accountClient.logout()
  } catch (cause) {
    throw new ApiError('no_answer', 'The service does not answer.', {}, { cause })
  }
  viewAccount(null)
  location.assign(address('accounts/login/'))
}
