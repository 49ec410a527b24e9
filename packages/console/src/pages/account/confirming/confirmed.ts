import type { Flow } from '@gatepost/auth/client'
import { createContext, use, useCallback } from 'react'
import { ReauthenticationRequired, ConfirmationCanceled } from '../account-problem.ts'

/** Asks the person to reauthenticate. @returns whether they did */
export type Reauthenticate = (flows: readonly Flow[]) => Promise<boolean>

export const ReauthenticationContext = createContext<Reauthenticate | null>(null)

/** Returns the function that opens the page's reauthentication dialog. */
export function useReauthenticate(): Reauthenticate {
  const askPerson = use(ReauthenticationContext)
  if (askPerson === null) throw new Error('Nobody on this page can be asked who they are.')
  return askPerson
}

/**
 * Returns a function that runs `work`, and repeats it after reauthentication whenever the service requires that.
 * @throws {ConfirmationCanceled} when the person cancels
 */
export function useWithReauthentication(): (work: () => Promise<void>) => Promise<void> {
  const askPerson = useReauthenticate()
  return useCallback(
    async (work) => {
      for (;;) {
        try {
          return await work()
        } catch (error) {
          if (!(error instanceof ReauthenticationRequired)) throw error
          if (!(await askPerson(error.flows))) throw new ConfirmationCanceled()
        }
      }
    },
    [askPerson],
  )
}
