import { type ReactNode, useState } from 'react'
import { sendFailure } from './send-failure.ts'
import { outcomeTexts } from '../texts.ts'
import { ApiError } from '../../../api/api-error.ts'
import type { Delivery } from '../../../api/gateway-api.ts'
import { useChange } from '../../../api/queries.ts'
import { useLanguage } from '../../../language/language.ts'
import { useTexts } from '../../../language/texts.ts'
import { Button } from '../../../parts/button.tsx'
import { Confirm } from '../../../parts/dialog.tsx'
import { Row } from '../../../parts/layout.tsx'
import { tell, tellFailure } from '../../../parts/toast.tsx'

/** Answers that are old when a dead delivery was dealt with. */
export const STALE_AFTER_DEAD = ['listAllDeliveries', 'getConversation', 'listConversations', 'getChannel'] as const

interface DeadActsProps {
  readonly platform: string
  readonly delivery: Delivery
  /** Of the person whom it is for. */
  readonly name: string
  /** The buttons are about to go: the focus needs another place. */
  onDone(): void
}

/** What a person can do about a message that failed for good. */
export function DeadActs(props: DeadActsProps): ReactNode {
  const texts = useTexts(outcomeTexts)
  const [asked, setAsked] = useState<'again' | 'dismiss' | null>(null)
  const close = (): void => setAsked(null)
  const { resend, dismiss, act } = useDeadActs(props, close)
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

/** @param close Puts away what was asked. */
function useDeadActs(
  { platform, delivery, name, onDone }: DeadActsProps,
  close: () => void,
): { readonly resend: Change; readonly dismiss: Change; act(one: Change, words: string): void } {
  const texts = useTexts(outcomeTexts)
  const { language } = useLanguage()
  const resend = useChange('resendDelivery', ...STALE_AFTER_DEAD)
  const dismiss = useChange('dismissDelivery', ...STALE_AFTER_DEAD)
  const fail = (error: unknown): void => {
    if (error instanceof ApiError && error.code === 'delivery_pending') tell(texts.pending)
    else tellFailure(`${name}: ${sendFailure(error, language)}`)
  }
  return {
    resend,
    dismiss,
    act(one, words) {
      close()
      // what is sent again is not dead meanwhile: these buttons go before the outcome is there
      onDone()
      void one
        .mutateAsync({ params: { platform, id: delivery.id } })
        .then(() => tell(words))
        .catch(fail)
    },
  }
}
