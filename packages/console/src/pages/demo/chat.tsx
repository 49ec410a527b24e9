import { Link } from '@tanstack/react-router'
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { ChannelDetails, DemoLine } from '../../api/gateway-api.ts'
import { useTexts } from '../../language/language.ts'
import { Button } from '../../parts/button.tsx'
import { type Platform, platformTexts } from '../../parts/platform.tsx'
import { RichText } from '../../parts/rich-text.tsx'
import { Clock } from '../../parts/time.tsx'
import { StatusReason, StatusRemedyButton } from '../channels/status-view.tsx'
import { channelStatus } from '../channels/status.ts'
import { useRestart } from '../channels/use-channel.ts'
import style from './chat.module.css'
import { chatKey, useLiveDemo, type Chat, type Demo } from './live-demo.ts'
import { chatTexts } from './texts.ts'

interface ChatProps {
  readonly demo: Demo
  readonly id: Platform
  /** ID of a person or of the group. */
  readonly chat: string
  /** The channel, once loaded. */
  readonly channel: ChannelDetails | undefined
}

const EMPTY_CHAT: Chat = { typing: false, lines: [], hasGrown: false }

/** The messages, the newest at the bottom. */
export function ChatView({ demo, id, chat, channel }: ChatProps): ReactNode {
  const texts = useTexts(chatTexts)
  const name = useTexts(platformTexts)[id]
  const { lines, typing } = useLiveDemo((live) => live.chats[chatKey(id, chat)] ?? EMPTY_CHAT)
  const isGroup = chat === demo.group.id
  const list = useStickToEnd()
  const last = lines.at(-1)
  return (
    <>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrollable by keyboard */}
      <ol ref={list} className={style['lines']} aria-label={texts.messages(name)} tabIndex={0}>
        {lines.length === 0 && <li className={style['empty']}>{isGroup ? texts.emptyGroup : texts.empty}</li>}
        {lines.map((line) => (
          <Line
            key={line.id}
            line={line}
            isGroup={isGroup}
            isGrowing={line === last && typing}
            isLost={isLost(line, channel?.gaps)}
          />
        ))}
        {typing && last?.by !== 'bot' && (
          <li className={style['typing']} aria-hidden="true">
            <span />
            <span />
            <span />
          </li>
        )}
      </ol>
      {channel && <ChatNotes demo={demo} chat={chat} channel={channel} last={last} />}
      <Announcement lines={lines} isOver={!typing} />
    </>
  )
}

interface LineProps {
  readonly line: DemoLine
  readonly isGroup: boolean
  readonly isGrowing: boolean
  readonly isLost: boolean
}

function Line({ line, isGroup, isGrowing, isLost }: LineProps): ReactNode {
  const texts = useTexts(chatTexts)
  const isBot = line.by === 'bot'
  const isOpen = line.unfinished || isGrowing
  return (
    <li className={style['line']} data-by={line.by}>
      <div className={style['bubble']}>
        {isGroup && <p className={style['from']}>{line.name}</p>}
        <RichText blocks={line.blocks} end={isBot && isOpen ? <span className={style['caret']} /> : null} />
        {line.files.map((file) => (
          <p key={file} className={style['file']}>
            {file}
          </p>
        ))}
        <p className={style['meta']}>
          {line.edited && !isBot && `${texts.edited} `}
          <Clock at={line.at} />
          {line.way !== null && <DeliveryTick way={isLost ? 'missed' : line.way} />}
        </p>
      </div>
    </li>
  )
}

const TICKS = {
  sent: 'M12 7v5l3 2M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16z',
  delivered: 'm5 12.5 4.5 4.5L19 7.5',
  confirmed: 'm2 12.5 4.500 4.500L16 7.500M11.500 16l1.500 1.500 9.500-10',
  missed: 'm6 6 12 12M18 6 6 18',
} as const

/** The delivery state of a message. */
function DeliveryTick({ way }: { readonly way: keyof typeof TICKS }): ReactNode {
  const texts = useTexts(chatTexts)
  return (
    <svg className={style['way']} data-way={way} viewBox="0 0 24 24" role="img" aria-label={texts.ways[way]}>
      <path d={TICKS[way]} />
    </svg>
  )
}

/** Keeps the list scrolled to its end if it was there. */
function useStickToEnd(): React.RefObject<HTMLOListElement | null> {
  const list = useRef<HTMLOListElement>(null)
  const isAtEnd = useRef(true)
  useEffect(() => {
    const { current } = list
    const look = (): void => {
      if (current) isAtEnd.current = current.scrollHeight - current.scrollTop - current.clientHeight < 60
    }
    current?.addEventListener('scroll', look, { passive: true })
    return () => current?.removeEventListener('scroll', look)
  }, [])
  useLayoutEffect(() => {
    if (isAtEnd.current) list.current?.scrollTo({ top: list.current.scrollHeight })
  })
  return list
}

/** Time without changes after which a reply is announced, ms. */
const SETTLED_MS = 1_500

/** Announces a reply once it is complete. */
function Announcement({ lines, isOver }: { readonly lines: readonly DemoLine[]; readonly isOver: boolean }): ReactNode {
  const texts = useTexts(chatTexts)
  const last = lines.at(-1)
  const words = last?.by === 'bot' && !last.unfinished && isOver ? texts.answered(last.name, plainText(last)) : ''
  const [announcement, setAnnouncement] = useState<string | null>(null)
  useEffect(() => {
    const timer = setTimeout(
      () => setAnnouncement((before) => (before === null && words !== '' ? '' : words)),
      SETTLED_MS,
    )
    return () => clearTimeout(timer)
  }, [words])
  return (
    <p className="visually-hidden" role="status">
      {announcement}
    </p>
  )
}

const plainText = ({ blocks }: DemoLine): string =>
  blocks
    .map((block) =>
      block.type === 'table' ? block.rows?.flat().join(' ') : block.spans?.map(({ text }) => text).join(''),
    )
    .join(' ')

type ChannelProps = { readonly channel: ChannelDetails }

interface NotesProps extends ChannelProps {
  readonly demo: Demo
  /** ID of a person or of the group. */
  readonly chat: string
  readonly last: DemoLine | undefined
}

/** Explains why there is no reply. */
function ChatNotes({ demo, chat, channel, last }: NotesProps): ReactNode {
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
  const hasFaults = useLiveDemo((live) => (live.panes[platform]?.faults.length ?? 0) > 0)
  if (hasFaults) return null
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

/** Reports whether a message was lost: it was sent during a gap. */
const isLost = ({ by, way, at }: DemoLine, gaps: ChannelDetails['gaps'] = []): boolean =>
  by === 'person' && way === 'sent' && gaps.some(({ from, to }) => from <= at && at <= to)
