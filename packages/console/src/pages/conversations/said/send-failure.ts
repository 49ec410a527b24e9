import { outcomeTexts } from '../texts.ts'
import { ApiError } from '../../../api/api-error.ts'
import { sentenceOf } from '../../../language/errors.ts'
import type { Language } from '../../../language/language.ts'
import { textsIn } from '../../../language/texts.ts'

/** Why a message was not delivered, in the language of the page. */
export function sendFailure(error: unknown, language: Language): string {
  const texts = textsIn(outcomeTexts, language)
  if (!(error instanceof ApiError)) return sentenceOf(error, language)
  if (error.code === 'delivery_unknown') return texts.maybe
  if (error.code === 'no_answer') return texts.noAnswer
  return error.code === 'delivery_refused' ? texts.refusedWith(error.message) : sentenceOf(error, language)
}
