import { useRef, useState } from 'react'
import { sendFailure } from '../said/send-failure.ts'
import { outcomeTexts } from '../texts.ts'
import type { ApiError } from '../../../api/api-error.ts'
import { useChange } from '../../../api/queries.ts'
import { useLanguage } from '../../../language/language.ts'
import { useTexts } from '../../../language/texts.ts'
import { tell } from '../../../parts/toast.tsx'

/** Codes with which the message is stored: it stands in the conversation, with what became of it. */
const STORED: ReadonlySet<string> = new Set(['delivery_pending', 'delivery_unknown'])

/** Sends to one person, one message at a time. */
export function useSend(platform: string, userId: string) {
  const outcomes = useTexts(outcomeTexts)
  const { language } = useLanguage()
  const [error, setError] = useState<ApiError | null>(null)
  const isUnderWay = useRef(false)
  const { mutateAsync, isPending } = useChange(
    'sendMessage',
    'getConversation',
    'listConversations',
    'listAllDeliveries',
  )
  return {
    isPending,
    /** Why the last one was not delivered, in the language of the page. */
    failure: error === null ? null : sendFailure(error, language),
    /** @param onTaken The text is not needed any more. */
    send(message: string, onTaken: () => void) {
      if (isUnderWay.current) return
      isUnderWay.current = true
      setError(null)
      // heard to the end even when one has gone elsewhere meanwhile: what was sent must not stay as a draft
      void mutateAsync({ params: { platform }, body: { message, user_id: userId } })
        .then(onTaken, (cause: ApiError) => {
          if (cause.code === 'delivery_pending') tell(outcomes.pending)
          else setError(cause)
          if (STORED.has(cause.code)) onTaken()
        })
        .finally(() => (isUnderWay.current = false))
    },
  }
}
