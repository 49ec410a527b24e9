import { useRef, useState } from 'react'
import { sendFailureMessage } from '../said/send-failure.ts'
import { outcomeTexts } from '../texts.ts'
import type { ApiError } from '../../../api/api-error.ts'
import { useChange } from '../../../api/queries.ts'
import { useLanguage } from '../../../language/language.ts'
import { useTexts } from '../../../language/texts.ts'
import { notify } from '../../../parts/toast.tsx'

/** Codes after which the message is stored and appears in the conversation. */
const STORED: ReadonlySet<string> = new Set(['delivery_pending', 'delivery_unknown'])

/** Returns a function that sends to one person, one message at a time. */
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
    /** Why the last message wasn't delivered, in the page's language. */
    failure: error === null ? null : sendFailureMessage(error, language),
    /** @param onTaken Called when the draft can be cleared. */
    send(message: string, onTaken: () => void) {
      if (isUnderWay.current) return
      isUnderWay.current = true
      setError(null)
      // also after leaving the page, so that a sent message doesn't stay as a draft
      void mutateAsync({ params: { platform }, body: { message, user_id: userId } })
        .then(onTaken, (cause: ApiError) => {
          if (cause.code === 'delivery_pending') notify(outcomes.pending)
          else setError(cause)
          if (STORED.has(cause.code)) onTaken()
        })
        .finally(() => (isUnderWay.current = false))
    },
  }
}
