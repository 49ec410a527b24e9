import { useMutation } from '@tanstack/react-query'
import { GaveUp } from './account-problem.ts'
import { useOnce } from '../../api/once.ts'

/** Something that a person does on this page. */
export interface Work<I> {
  run(input: I): void
  readonly isBusy: boolean
  /** Why it was not done, for those who show it beside it; `null`: nothing is wrong. */
  readonly problem: unknown
  /** Forgets the problem. */
  clear(): void
}

/** Work whose answer is kept in no cache: what it makes, it hands on itself. @param failed Told of every problem. */
export function useWork<I = void>(work: (input: I) => Promise<void>, failed?: (problem: unknown) => void): Work<I> {
  const once = useOnce()
  const { mutate, isPending, error, reset } = useMutation<void, unknown, I>({
    mutationFn: (input) => once(input, () => work(input)),
    gcTime: 0,
    onError: (problem) => problem instanceof GaveUp || failed?.(problem),
  })
  return { run: mutate, isBusy: isPending, problem: error instanceof GaveUp ? null : error, clear: reset }
}
