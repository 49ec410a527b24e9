import { createContext, use } from 'react'
import { accountClient, serviceUrl, ApiError, type Answer } from './client.ts'
import { viewAccount } from './viewed-account.ts'

/** The signed-in account and the service. */
export interface Session {
  readonly me: Answer<'whoAmI'>
  readonly service: Answer<'getService'>
  /** Whether the account can see all accounts, the log, and the assistant's settings. */
  readonly isStaff: boolean
}

/** The signed-in person's session. */
export const SessionContext = createContext<Session | null>(null)

/** Returns the session. Every page is rendered within one. */
export function useSession(): Session {
  const session = use(SessionContext)
  if (session === null) throw new Error('useSession must be used inside SessionContext.')
  return session
}

let isRedirecting = false

/** Redirects to the sign-in page, which redirects back here. Only the first call has an effect. */
export function redirectToSignIn(): void {
  if (isRedirecting) return
  isRedirecting = true
  // going back may restore this page from the browser's cache
  window.addEventListener('pageshow', ({ persisted }) => persisted && location.reload())
  const { pathname, search } = location
  location.assign(`${serviceUrl('accounts/login/')}?${new URLSearchParams({ next: pathname + search })}`)
}

/** Ends the session and redirects to the sign-in page. @throws {ApiError} `no_answer`: the session continues */
export async function signOut(): Promise<void> {
  try {
    await accountClient().logout()
  } catch (cause) {
    throw new ApiError('no_answer', "Couldn't reach the service.", {}, { cause })
  }
  viewAccount(null)
  location.assign(serviceUrl('accounts/login/'))
}
