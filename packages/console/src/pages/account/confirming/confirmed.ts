import type { Flow } from '@gatepost/auth/client'
import { createContext, use, useCallback } from 'react'
import { ConfirmationNeeded, GaveUp } from '../account-problem.ts'

/** Asks the person to confirm who they are. @returns whether they did */
export type AskPerson = (flows: readonly Flow[]) => Promise<boolean>

/** Asks the person to confirm their identity. */
export const AskPersonContext = createContext<AskPerson | null>(null)

/** Asks the person to confirm who they are, in one dialog for everything on the page. */
export function useAskPerson(): AskPerson {
  const askPerson = use(AskPersonContext)
  if (askPerson === null) throw new Error('Nobody on this page can be asked who they are.')
  return askPerson
}

/**
 * Does `work`; as often as the service wants to know first who asks, the person is asked, and it is done again.
 * @throws {GaveUp} when they do not want to
 */
export function useConfirmed(): (work: () => Promise<void>) => Promise<void> {
  const askPerson = useAskPerson()
  return useCallback(
    async (work) => {
      for (;;) {
        try {
          return await work()
        } catch (error) {
          if (!(error instanceof ConfirmationNeeded)) throw error
          if (!(await askPerson(error.flows))) throw new GaveUp()
        }
      }
    },
    [askPerson],
  )
}
