import { useConfirmed } from './confirming/confirmed.ts'
import { useSentence } from './problem.tsx'
import { useWork, type Work } from './work.ts'
import { tellFailure } from '../../parts/toast.tsx'

/**
 * Work for which the service may want to know first who asks: then the person is asked, and it is done from its
 * beginning again. Its problem belongs beside it.
 */
export function useAct<I = void>(work: (input: I) => Promise<void>): Work<I> {
  const confirmed = useConfirmed()
  return useWork<I>((input) => confirmed(() => work(input)))
}

/** As `useAct`, for a button that has no place for a problem: it is told above the page. */
export function useToldAct<I = void>(work: (input: I) => Promise<void>): Work<I> {
  const confirmed = useConfirmed()
  const sentence = useSentence()
  return useWork<I>(
    (input) => confirmed(() => work(input)),
    (problem) => tellFailure(sentence(problem)),
  )
}
