import { signOut } from '../api/session.ts'
import { useTellError } from '../parts/toast.tsx'

/** Ends the session; tells when that is not possible. */
export function useSignOut(): () => void {
  const tellError = useTellError()
  return () => void signOut().catch(tellError)
}
