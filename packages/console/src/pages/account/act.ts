import { useWithReauthentication } from './confirming/confirmed.ts'
import { useProblemMessage } from './problem.tsx'
import { useAccountAction, type AccountAction } from './work.ts'
import { notifyFailure } from '../../parts/toast.tsx'

/**
 * An action for which the service may require reauthentication: the person confirms, then it runs again from the start.
 * Its problem is shown next to it.
 */
export function useConfirmedAction<I = void>(work: (input: I) => Promise<void>): AccountAction<I> {
  const confirmed = useWithReauthentication()
  return useAccountAction<I>((input) => confirmed(() => work(input)))
}

/** Like `useConfirmedAction`, for buttons without room for a problem: it is shown as a notification. */
export function useNotifiedAction<I = void>(work: (input: I) => Promise<void>): AccountAction<I> {
  const confirmed = useWithReauthentication()
  const sentence = useProblemMessage()
  return useAccountAction<I>(
    (input) => confirmed(() => work(input)),
    (problem) => notifyFailure(sentence(problem)),
  )
}
