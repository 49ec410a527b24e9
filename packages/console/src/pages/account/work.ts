import { useMutation } from '@tanstack/react-query'
import { ConfirmationCanceled } from './account-problem.ts'
import { useRunOnce } from '../../api/once.ts'

/** An action on the account. */
export interface AccountAction<I> {
  run(input: I): void
  readonly isBusy: boolean
  /** Why it failed; `null` if it didn't. */
  readonly problem: unknown
  /** Clears the problem. */
  clear(): void
}

/** Returns an action whose result isn't cached. @param failed Called with every problem. */
export function useAccountAction<I = void>(
  work: (input: I) => Promise<void>,
  failed?: (problem: unknown) => void,
): AccountAction<I> {
  const once = useRunOnce()
  const { mutate, isPending, error, reset } = useMutation<void, unknown, I>({
    mutationFn: (input) => once(input, () => work(input)),
    gcTime: 0,
    onError: (problem) => problem instanceof ConfirmationCanceled || failed?.(problem),
  })
  return { run: mutate, isBusy: isPending, problem: error instanceof ConfirmationCanceled ? null : error, clear: reset }
}
