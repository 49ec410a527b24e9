import { createContext, use } from 'react'
import { accountClient } from './account-client.ts'
import { address } from './address.ts'
import type { Answer } from './call.ts'

/** Who looks at the console, and where it runs. */
export interface Session {
  readonly me: Answer<'whoAmI'>
  readonly service: Answer<'getService'>
  /** Sees every account, the log and the assistant's settings. */
  readonly isStaff: boolean
}

export const SessionContext = createContext<Session | null>(null)

/** Who looks at the console: every page is below somebody's session. */
export function useSession(): Session {
  const session = use(SessionContext)
  if (session === null) throw new Error('A page stands outside of the session.')
  return session
}

/** Leads to the sign-in, which leads back here. */
export function leadToSignIn(): void {
  const { pathname, search } = location
  location.assign(`${address('accounts/login/')}?${new URLSearchParams({ next: pathname + search })}`)
}

/** Ends the session, and leads to the sign-in. */
export async function signOut(): Promise<void> {
  await accountClient.logout()
  location.assign(address('accounts/login/'))
}
