import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import style from './chat.module.css'
import { isLost } from './missed.ts'
import { chatTexts } from './texts.ts'
import type { Demo } from './use-demo.ts'
import { useLiveDemo } from './use-live.ts'
import type { ChannelDetails, DemoLine } from '../../api/gateway-api.ts'
import { useTexts } from '../../language/texts.ts'
import { Button } from '../../parts/button.tsx'
import { platformTexts } from '../../parts/platform.tsx'
import { StatusRemedyButton, StatusReason } from '../channels/channel-state.tsx'
import { channelStatus } from '../channels/standing.ts'
import { useRestart } from '../channels/use-channel.ts'

type ChannelProps = { readonly channel: ChannelDetails }

interface NotesProps extends ChannelProps {
  readonly demo: Demo
  /** ID of a person or of the group. */
  readonly chat: string
  readonly last: DemoLine | undefined
}

/** Explains why there is no reply. */
export function ChatNotes({ demo, chat, channel, last }: NotesProps): ReactNode {
  return (
    <div role="status">
      {channelStatus(channel) === 'stopped' && <StoppedNote channel={channel} />}
      {channelStatus(channel) === 'backing_off' && <RetryNote channel={channel} />}
      {last !== undefined && isLost(last, channel.gaps) && <LostNote channel={channel} />}
      <NotAllowedNote demo={demo} chat={chat} channel={channel} />
    </div>
  )
}

const StoppedNote = ({ channel }: ChannelProps): ReactNode => (
  <div className={style['note']}>
    <StatusReason channel={channel} next />
    <StatusRemedyButton channel={channel} small />
  </div>
)

/** Offers to reconnect right away once no fault is active. */
function RetryNote({ channel: { platform } }: ChannelProps): ReactNode {
  const texts = useTexts(chatTexts)
  const restart = useRestart(platform)
  const isTroubled = useLiveDemo((live) => (live.panes[platform]?.faults.length ?? 0) > 0)
  if (isTroubled) return null
  return (
    <p className={style['note']}>
      <Button small busy={restart.isPending} onClick={() => restart.mutate()}>
        {texts.tryNow}
      </Button>
    </p>
  )
}

function LostNote({ channel: { platform } }: ChannelProps): ReactNode {
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

/** Notes that this person isn't on the allowed list. */
function NotAllowedNote({ demo, chat, channel }: Omit<NotesProps, 'last'>): ReactNode {
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
