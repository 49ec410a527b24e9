import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import style from './chat.module.css'
import { isMissed } from './missed.ts'
import { chatTexts } from './texts.ts'
import type { Demo } from './use-demo.ts'
import { useLive } from './use-live.ts'
import type { ChannelDetails, DemoLine } from '../../api/gateway-api.ts'
import { useTexts } from '../../language/texts.ts'
import { Button } from '../../parts/button.tsx'
import { platformTexts } from '../../parts/platform.tsx'
import { StateCure, StateReason } from '../channels/channel-state.tsx'
import { standingOf } from '../channels/standing.ts'
import { useRestart } from '../channels/use-channel.ts'

type Of = { readonly channel: ChannelDetails }

interface NotesProps extends Of {
  readonly demo: Demo
  /** A person's id, or the group's. */
  readonly chat: string
  readonly last: DemoLine | undefined
}

/** Why nothing comes back, and what to do about it. */
export function ChatNotes({ demo, chat, channel, last }: NotesProps): ReactNode {
  return (
    <div role="status">
      {standingOf(channel) === 'stopped' && <Stopped channel={channel} />}
      {standingOf(channel) === 'backing_off' && <TryNow channel={channel} />}
      {last !== undefined && isMissed(last, channel.gaps) && <Missed channel={channel} />}
      <NotAnswered demo={demo} chat={chat} channel={channel} />
    </div>
  )
}

const Stopped = ({ channel }: Of): ReactNode => (
  <div className={style['note']}>
    <StateReason channel={channel} next />
    <StateCure channel={channel} small />
  </div>
)

/** Nothing is in the way any more, and the service does not know it yet. */
function TryNow({ channel: { platform } }: Of): ReactNode {
  const texts = useTexts(chatTexts)
  const restart = useRestart(platform)
  const isTroubled = useLive((live) => (live.panes[platform]?.faults.length ?? 0) > 0)
  if (isTroubled) return null
  return (
    <p className={style['note']}>
      <Button small busy={restart.isPending} onClick={() => restart.mutate()}>
        {texts.tryNow}
      </Button>
    </p>
  )
}

function Missed({ channel: { platform } }: Of): ReactNode {
  const texts = useTexts(chatTexts)
  const name = useTexts(platformTexts)[platform]
  return (
    <p className={style['note']}>
      {texts.missed(name)}
      <Link to="/channels/$platform" params={{ platform }}>
        {texts.gap}
      </Link>
    </p>
  )
}

/** The bot answers only whom it has been told to. */
function NotAnswered({ demo, chat, channel }: Omit<NotesProps, 'last'>): ReactNode {
  const texts = useTexts(chatTexts)
  const { platform, allowed_users: allowed = [] } = channel
  const person = demo.people.find((one) => one.id === chat)
  if (allowed.length === 0 || person === undefined || person === demo.people[0]) return null
  return (
    <p className={style['note']}>
      {texts.onlySome(person.name)}
      <Link to="/channels/$platform" params={{ platform }}>
        {texts.whom}
      </Link>
    </p>
  )
}
