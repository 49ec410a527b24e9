import { signOut } from '../api/session.ts'
import { sentenceOf } from '../language/errors.ts'
import { useLanguage } from '../language/language.ts'
import { tellFailure } from '../parts/toast.tsx'

/** Ends the session; tells when that is not possible. */
export function useSignOut(): () => void {
  const { language } = useLanguage()
  return () => void signOut().catch((error: unknown) => tellFailure(sentenceOf(error, language)))
}
