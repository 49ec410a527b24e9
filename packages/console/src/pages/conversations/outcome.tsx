import { type ReactNode, useState } from 'react'
import { ApiError } from '../../api/client.ts'
import type { Delivery, Message } from '../../api/gateway-api.ts'
import { useChange } from '../../api/queries.ts'
import { useLanguage, useTexts } from '../../language/language.ts'
import { Button, classNames } from '../../parts/button.tsx'
import { Confirm } from '../../parts/dialog.tsx'
import { Icon, type IconName } from '../../parts/icon.tsx'
import { Row } from '../../parts/layout.tsx'
import { notify, notifyFailure } from '../../parts/toast.tsx'
import { conversationTexts, outcomeTexts } from './texts.ts'
import { explainReason, formatReason, sendFailureMessage, type Reason } from './reasons.ts'
import style from './outcome.module.css'

type Tone = 'good' | 'warn' | 'bad' | 'soft'

/** An outcome with an icon. */
const OutcomeSign = ({
  icon,
  tone,
  children,
}: {
  readonly icon: IconName
  readonly tone: Tone
  readonly children: ReactNode
}): ReactNode => (
  <span className={classNames(style['sign'], style[tone])}>
    <Icon name={icon} size={14} /> {children}
  </span>
)

/** An outcome unknown to this page. */
function UnknownOutcome(): ReactNode {
  const texts = useTexts(outcomeTexts)
  return (
    <OutcomeSign icon="info" tone="soft">
      {texts.other}
    </OutcomeSign>
  )
}

const MESSAGE_SIGNS: Readonly<Record<Message['state'], readonly [IconName, Tone]>> = {
  received: ['clock', 'warn'],
  answered: ['check', 'soft'],
  failed: ['fail', 'bad'],
  ignored: ['info', 'soft'],
}

/** The outcome of a received message. */
export function MessageOutcome({ message: { state, reason } }: { readonly message: Message }): ReactNode {
  const texts = useTexts(outcomeTexts)
  const { language } = useLanguage()
  if (!Object.hasOwn(MESSAGE_SIGNS, state)) return <UnknownOutcome />
  const [icon, tone] = MESSAGE_SIGNS[state]
  return (
    <>
      <OutcomeSign icon={icon} tone={tone}>
        {texts[state]}
      </OutcomeSign>
      {(state === 'failed' || state === 'ignored') && <ReasonText reason={explainReason(null, reason, language)} />}
    </>
  )
}

const DELIVERY_SIGNS: Readonly<Record<Delivery['state'], readonly [IconName, Tone]>> = {
  queued: ['clock', 'warn'],
  sending: ['send', 'soft'],
  delivered: ['check', 'good'],
  refused: ['fail', 'bad'],
  unknown: ['warn', 'warn'],
}

/** The outcome of a sent message, with the reason if it failed. */
export function DeliveryOutcome({ delivery }: { readonly delivery: Delivery }): ReactNode {
  const texts = useTexts(outcomeTexts)
  const { language } = useLanguage()
  const { state, attempts, code, reason } = delivery
  if (!Object.hasOwn(DELIVERY_SIGNS, state)) return <UnknownOutcome />
  const [icon, tone] = DELIVERY_SIGNS[state]
  return (
    <>
      <OutcomeSign icon={icon} tone={tone}>
        {texts[state]}
        {attempts > 1 && ` · ${texts.attempts(attempts)}`}
      </OutcomeSign>
      {state !== 'delivered' && <ReasonText reason={explainReason(code, reason, language)} />}
    </>
  )
}

function ReasonText({ reason }: { readonly reason: Reason | null }): ReactNode {
  const { language } = useLanguage()
  return reason !== null && <span className={style['why']}>{formatReason(reason, language)}</span>
}

/** The kind of a sent message: reply, message, or notice. */
export function DeliveryKind({ kind }: { readonly kind: Delivery['kind'] }): ReactNode {
  const { kinds } = useTexts(conversationTexts)
  return Object.hasOwn(kinds, kind) ? kinds[kind] : null
}

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
  const [asked, setAsked] = useState<'retry' | 'dismiss' | null>(null)
  const close = (): void => setAsked(null)
  const { resend, dismiss, act } = useFailedMessageActions(props, close)
  const again = (): void => act(resend, texts.sentAgain(props.name))
  return (
    <Row>
      <Button
        small
        busy={resend.isPending}
        disabled={dismiss.isPending}
        onClick={() => (props.delivery.state === 'unknown' ? setAsked('retry') : again())}
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
        open={asked === 'retry'}
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

/** Returns the actions on a failed message. @param close Closes the confirmation. */
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
