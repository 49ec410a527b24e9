import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import style from './channels.module.css'
import { findRemedy, channelStatus, STATUS_TONES, statusMessage, stateTexts, type Channel } from './status.ts'
import { useRestart } from './use-channel.ts'
import { useLanguage, useTexts } from '../../language/language.ts'
import { Badge } from '../../parts/badge.tsx'
import { Button, ButtonLink } from '../../parts/button.tsx'
import { platformTexts } from '../../parts/platform.tsx'
import { Countdown } from '../../parts/time.tsx'

type ChannelProps = { readonly channel: Channel }

/** The status as a badge. */
export function StatusBadge({ channel }: ChannelProps): ReactNode {
  const texts = useTexts(stateTexts)
  const status = channelStatus(channel)
  return (
    <Badge tone={STATUS_TONES[status]} dot={status !== 'absent'}>
      {texts.statuses[status]}
    </Badge>
  )
}

/** Explains the status. `next` adds what to do. */
export function StatusReason({ channel, next = false }: ChannelProps & { readonly next?: boolean }): ReactNode {
  const { language } = useLanguage()
  const name = useTexts(platformTexts)[channel.platform]
  const status = channelStatus(channel)
  const words = statusMessage({ ...channel, status }, name, language)
  return (
    <p>
      {words.what} {next && words.next}
    </p>
  )
}

/** Counts down to the next retry. Not part of a live region, since it changes every second. */
export function NextRetry({ channel }: ChannelProps): ReactNode {
  const texts = useTexts(stateTexts)
  if (channelStatus(channel) !== 'backing_off' || channel.retry_at === null) return null
  return (
    <p className="soft">
      {texts.nextTry} <Countdown until={channel.retry_at} />
    </p>
  )
}

/** The service's own message, if it adds details. */
export function StatusDetails({ channel: { reason, message } }: ChannelProps): ReactNode {
  const texts = useTexts(stateTexts)
  if (message === null || reason === null || message === reason) return null
  return (
    <details className={style['details']}>
      <summary>{texts.platformSays}</summary>
      <p lang="en">{message}</p>
    </details>
  )
}

/** The button or link that resolves the status, if there is one. */
export function StatusRemedyButton({ channel, small = false }: ChannelProps & { readonly small?: boolean }): ReactNode {
  const texts = useTexts(stateTexts)
  const remedy = findRemedy(channel)
  const { platform } = channel
  const restart = useRestart(platform)
  const size = small ? { small: true } : { kind: 'primary' as const }
  switch (remedy) {
    case null:
      return null
    case 'restart':
      return (
        <Button {...size} busy={restart.isPending} onClick={() => restart.mutate()}>
          {texts.cures.restart}
        </Button>
      )
    case 'set_up':
      return (
        <ButtonLink {...size} to="/channels/$platform/setup" params={{ platform }}>
          {texts.cures[remedy]}
        </ButtonLink>
      )
    case 'doctor':
      return <Link to="/doctor">{texts.cures.doctor}</Link>
  }
}
