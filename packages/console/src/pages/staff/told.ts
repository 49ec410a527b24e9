import { tell, useTellError } from '../../parts/toast.tsx'

/** What a dialog does with an act that was asked for in it: it goes, and what came of it is told above the page. */
export interface Told {
  onSuccess(): void
  onError(error: unknown): void
  onSettled(): void
}

/** @param done What is said when it has been done. */
export function useTold(done: string, onClose: () => void): Told {
  const tellError = useTellError()
  return { onSuccess: () => tell(done), onError: tellError, onSettled: onClose }
}
