import { outcomeTexts } from '../texts.ts'
import { ApiError } from '../../../api/api-error.ts'
import { errorMessage } from '../../../language/errors.ts'
import type { Language } from '../../../language/language.ts'
import { textsIn } from '../../../language/texts.ts'

/** Returns why a message wasn't delivered, in the page's language. */
export function sendFailureMessage(error: unknown, language: Language): string {
  const texts = textsIn(outcomeTexts, language)
  if (!(error instanceof ApiError)) return errorMessage(error, language)
  if (error.code === 'delivery_unknown') return texts.maybe
  if (error.code === 'no_answer') return texts.noAnswer
  return error.code === 'delivery_refused' ? texts.refusedWith(error.message) : errorMessage(error, language)
}
