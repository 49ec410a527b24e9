import { signOut } from '../api/session.ts'
import { useNotifyError } from '../parts/toast.tsx'

/** Returns a function that signs out, and shows a notification if that fails. */
export function useSignOut(): () => void {
  const notifyError = useNotifyError()
  return () => void signOut().catch(notifyError)
}
