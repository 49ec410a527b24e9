import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import style from './channels.module.css'
import { type Channel, cureOf, standingOf, STANDING_TONES } from './standing.ts'
import { reasonWords, stateTexts } from './state-texts.ts'
import { useRestart } from './use-channel.ts'
import { useLanguage } from '../../language/language.ts'
import { useTexts } from '../../language/texts.ts'
import { Badge } from '../../parts/badge.tsx'
import { Button, ButtonLink } from '../../parts/button.tsx'
import { platformTexts } from '../../parts/platform.tsx'
import { Countdown } from '../../parts/time.tsx'

type Of = { readonly channel: Channel }

/** The state in a word or two. */
export function StateBadge({ channel }: Of): ReactNode {
  const texts = useTexts(stateTexts)
  const standing = standingOf(channel)
  return (
    <Badge tone={STANDING_TONES[standing]} dot={standing !== 'absent'}>
      {texts.standings[standing]}
    </Badge>
  )
}

/** What is the matter in a sentence. `next`: and what to do. */
export function StateReason({ channel, next = false }: Of & { readonly next?: boolean }): ReactNode {
  const { language } = useLanguage()
  const name = useTexts(platformTexts)[channel.platform]
  const standing = standingOf(channel)
  const words = reasonWords({ ...channel, standing }, name, language)
  return (
    <p>
      {words.what} {next && words.next}
    </p>
  )
}

/** When the next try is. Apart from what is read out: it changes every second. */
export function NextTry({ channel }: Of): ReactNode {
  const texts = useTexts(stateTexts)
  if (standingOf(channel) !== 'backing_off' || channel.retry_at === null) return null
  return (
    <p className="soft">
      {texts.nextTry} <Countdown until={channel.retry_at} />
    </p>
  )
}

/** The service's own sentence, where there is more in it than in ours. */
export function StateDetails({ channel: { reason, message } }: Of): ReactNode {
  const texts = useTexts(stateTexts)
  if (message === null || reason === null || message === reason) return null
  return (
    <details className={style['details']}>
      <summary>{texts.platformSays}</summary>
      <p lang="en">{message}</p>
    </details>
  )
}

/** What one click can do about it, where there is such a thing. */
export function StateCure({ channel, small = false }: Of & { readonly small?: boolean }): ReactNode {
  const texts = useTexts(stateTexts)
  const cure = cureOf(channel)
  const { platform } = channel
  const restart = useRestart(platform)
  const size = small ? { small: true } : { kind: 'primary' as const }
  switch (cure) {
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
          {texts.cures[cure]}
        </ButtonLink>
      )
    case 'doctor':
      return <Link to="/doctor">{texts.cures.doctor}</Link>
  }
}
