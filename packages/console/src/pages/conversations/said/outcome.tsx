import type { ReactNode } from 'react'
import { inOneLine, type Reason, reasonOf } from './reasons.ts'
import style from './said.module.css'
import { conversationTexts, outcomeTexts } from '../texts.ts'
import type { Delivery, Message } from '../../../api/gateway-api.ts'
import { useLanguage } from '../../../language/language.ts'
import { useTexts } from '../../../language/texts.ts'
import { classNames } from '../../../parts/class-names.ts'
import { Icon, type IconName } from '../../../parts/icon.tsx'

type Tone = 'good' | 'warn' | 'bad' | 'soft'

/** An icon and words about what became of something. */
const Sign = ({
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

/** A state of a newer service. */
function Other(): ReactNode {
  const texts = useTexts(outcomeTexts)
  return (
    <Sign icon="info" tone="soft">
      {texts.other}
    </Sign>
  )
}

const MESSAGE_SIGNS: Readonly<Record<Message['state'], readonly [IconName, Tone]>> = {
  received: ['clock', 'warn'],
  answered: ['check', 'soft'],
  failed: ['fail', 'bad'],
  ignored: ['info', 'soft'],
}

/** What became of a message of a person. */
export function MessageOutcome({ message: { state, reason } }: { readonly message: Message }): ReactNode {
  const texts = useTexts(outcomeTexts)
  const { language } = useLanguage()
  if (!Object.hasOwn(MESSAGE_SIGNS, state)) return <Other />
  const [icon, tone] = MESSAGE_SIGNS[state]
  return (
    <>
      <Sign icon={icon} tone={tone}>
        {texts[state]}
      </Sign>
      {(state === 'failed' || state === 'ignored') && <Why reason={reasonOf(null, reason, language)} />}
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

/** What became of a message of ours, and why where it did not go through. */
export function DeliveryOutcome({ delivery }: { readonly delivery: Delivery }): ReactNode {
  const texts = useTexts(outcomeTexts)
  const { language } = useLanguage()
  const { state, attempts, code, reason } = delivery
  if (!Object.hasOwn(DELIVERY_SIGNS, state)) return <Other />
  const [icon, tone] = DELIVERY_SIGNS[state]
  return (
    <>
      <Sign icon={icon} tone={tone}>
        {texts[state]}
        {attempts > 1 && ` · ${texts.attempts(attempts)}`}
      </Sign>
      {state !== 'delivered' && <Why reason={reasonOf(code, reason, language)} />}
    </>
  )
}

function Why({ reason }: { readonly reason: Reason | null }): ReactNode {
  const { language } = useLanguage()
  return reason !== null && <span className={style['why']}>{inOneLine(reason, language)}</span>
}

/** Whether a message of ours answers, or was sent by itself. */
export function KindOf({ kind }: { readonly kind: Delivery['kind'] }): ReactNode {
  const { kinds } = useTexts(conversationTexts)
  return Object.hasOwn(kinds, kind) ? kinds[kind] : null
}
