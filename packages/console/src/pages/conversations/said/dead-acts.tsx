import { type ReactNode, useState } from 'react'
import { sendFailureMessage } from './send-failure.ts'
import { outcomeTexts } from '../texts.ts'
import { ApiError } from '../../../api/api-error.ts'
import type { Delivery } from '../../../api/gateway-api.ts'
import { useChange } from '../../../api/queries.ts'
import { useLanguage } from '../../../language/language.ts'
import { useTexts } from '../../../language/texts.ts'
import { Button } from '../../../parts/button.tsx'
import { Confirm } from '../../../parts/dialog.tsx'
import { Row } from '../../../parts/layout.tsx'
import { notify, notifyFailure } from '../../../parts/toast.tsx'

/** Responses that are stale after a retry or dismissal. */
export const STALE_AFTER_RETRY = ['listAllDeliveries', 'getConversation', 'listConversations', 'getChannel'] as const

interface FailedMessageActionsProps {
  readonly platform: string
  readonly delivery: Delivery
  /** Name of the recipient. */
  readonly name: string
  /** Called before the buttons disappear, to move the focus. */
  onDone(): void
}

/** Buttons to retry or dismiss a failed message. */
export function FailedMessageActions(props: FailedMessageActionsProps): ReactNode {
  const texts = useTexts(outcomeTexts)
  const [asked, setAsked] = useState<'again' | 'dismiss' | null>(null)
  const close = (): void => setAsked(null)
  const { resend, dismiss, act } = useFailedMessageActions(props, close)
  const again = (): void => act(resend, texts.sentAgain(props.name))
  return (
    <Row>
      <Button
        small
        busy={resend.isPending}
        disabled={dismiss.isPending}
        onClick={() => (props.delivery.state === 'unknown' ? setAsked('again') : again())}
      >
        {texts.again}
      </Button>
      <Button
        small
        kind="quiet"
        busy={dismiss.isPending}
        disabled={resend.isPending}
        onClick={() => setAsked('dismiss')}
      >
        {texts.dismiss}
      </Button>
      <Confirm
        open={asked === 'again'}
        title={texts.twiceTitle}
        act={texts.again}
        danger={false}
        onConfirm={again}
        onClose={close}
      >
        {texts.twiceLead}
      </Confirm>
      <Confirm
        open={asked === 'dismiss'}
        title={texts.dismissTitle}
        act={texts.dismiss}
        onConfirm={() => act(dismiss, texts.dismissDone)}
        onClose={close}
      >
        {texts.dismissLead}
      </Confirm>
    </Row>
  )
}

type Change = ReturnType<typeof useChange<'resendDelivery' | 'dismissDelivery'>>

/** @param close Closes the confirmation. */
function useFailedMessageActions(
  { platform, delivery, name, onDone }: FailedMessageActionsProps,
  close: () => void,
): { readonly resend: Change; readonly dismiss: Change; act(one: Change, words: string): void } {
  const texts = useTexts(outcomeTexts)
  const { language } = useLanguage()
  const resend = useChange('resendDelivery', ...STALE_AFTER_RETRY)
  const dismiss = useChange('dismissDelivery', ...STALE_AFTER_RETRY)
  const fail = (error: unknown): void => {
    if (error instanceof ApiError && error.code === 'delivery_pending') notify(texts.pending)
    else notifyFailure(`${name}: ${sendFailureMessage(error, language)}`)
  }
  return {
    resend,
    dismiss,
    act(one, words) {
      close()
      // a message being retried isn't failed, so these buttons disappear first
      onDone()
      void one
        .mutateAsync({ params: { platform, id: delivery.id } })
        .then(() => notify(words))
        .catch(fail)
    },
  }
}
