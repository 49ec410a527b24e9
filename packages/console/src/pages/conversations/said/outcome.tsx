import type { ReactNode } from 'react'
import { formatReason, type Reason, explainReason } from './reasons.ts'
import style from './said.module.css'
import { conversationTexts, outcomeTexts } from '../texts.ts'
import type { Delivery, Message } from '../../../api/gateway-api.ts'
import { useLanguage } from '../../../language/language.ts'
import { useTexts } from '../../../language/texts.ts'
import { classNames } from '../../../parts/class-names.ts'
import { Icon, type IconName } from '../../../parts/icon.tsx'

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

/** Whether a sent message is a reply, a message or a notice. */
export function DeliveryKind({ kind }: { readonly kind: Delivery['kind'] }): ReactNode {
  const { kinds } = useTexts(conversationTexts)
  return Object.hasOwn(kinds, kind) ? kinds[kind] : null
}
