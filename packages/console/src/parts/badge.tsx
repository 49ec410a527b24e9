import type { ReactNode } from 'react'
import style from './badge.module.css'
import { classNames } from './button.tsx'
import { Icon, type IconName } from './icon.tsx'

/** The meaning of a color; the text next to it says the same. */
export type Tone = 'neutral' | 'good' | 'warn' | 'bad' | 'accent'

const toneClass = (tone: Tone): string | undefined => (tone === 'neutral' ? undefined : style[tone])

/** A short status label. */
export const Badge = ({
  tone = 'neutral',
  dot = false,
  children,
}: {
  readonly tone?: Tone
  readonly dot?: boolean
  readonly children: ReactNode
}): ReactNode => (
  <span className={classNames(style['badge'], toneClass(tone))}>
    {dot && <span className={style['dot']} aria-hidden="true" />}
    {children}
  </span>
)

const NOTICE_ICONS: Readonly<Record<Tone, IconName>> = {
  neutral: 'info',
  accent: 'info',
  good: 'check',
  warn: 'warn',
  bad: 'fail',
}

/** An inline notice. `alert` announces it immediately. */
export const Notice = ({
  tone = 'neutral',
  alert = false,
  children,
}: {
  readonly tone?: Tone
  readonly alert?: boolean
  readonly children: ReactNode
}): ReactNode => (
  <div className={classNames(style['notice'], toneClass(tone))} role={alert ? 'alert' : undefined}>
    <Icon name={NOTICE_ICONS[tone]} />
    <div>{children}</div>
  </div>
)
