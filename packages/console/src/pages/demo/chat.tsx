import { Link } from '@tanstack/react-router'
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react'
import style from './chat.module.css'
import { type Chat, chatKey } from './live-demo.ts'
import { chatTexts } from './texts.ts'
import type { Demo } from './use-demo.ts'
import { useLive } from './use-live.ts'
import type { DemoLine } from '../../api/gateway-api.ts'
import { useTexts } from '../../language/texts.ts'
import { type Platform, platformTexts } from '../../parts/platform.tsx'
import { ShownText } from '../../parts/shown-text.tsx'
import { Clock } from '../../parts/time.tsx'

interface ChatProps {
  readonly demo: Demo
  readonly id: Platform
  /** A person's id, or the group's. */
  readonly chat: string
  /** Whom the bot answers; empty: everybody. */
  readonly allowed: readonly string[]
}

const NOTHING: Chat = { typing: false, lines: [], hasGrown: false }

/** What was said, the newest at the bottom, where it stays unless one has scrolled away. */
export function ChatView({ demo, id, chat, allowed }: ChatProps): ReactNode {
  const texts = useTexts(chatTexts)
  const name = useTexts(platformTexts)[id]
  const { lines, typing } = useLive((live) => live.chats[chatKey(id, chat)] ?? NOTHING)
  const isGroup = chat === demo.group.id
  const list = useStaysAtEnd()
  const last = lines.at(-1)
  return (
    <>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls is reached by the keyboard */}
      <ol ref={list} className={style['lines']} aria-label={texts.messages(name)} tabIndex={0}>
        {lines.length === 0 && <li className={style['empty']}>{isGroup ? texts.emptyGroup : texts.empty}</li>}
        {lines.map((line) => (
          <Line key={line.id} line={line} isGroup={isGroup} isGrowing={line === last && typing} />
        ))}
        {typing && last?.by !== 'bot' && (
          <li className={style['typing']} aria-hidden="true">
            <span />
            <span />
            <span />
          </li>
        )}
      </ol>
      <NotAnswered id={id} isShown={allowed.length > 0 && chat !== demo.people[0]?.id} demo={demo} chat={chat} />
      <Announcement lines={lines} isOver={!typing} />
    </>
  )
}

/** Why nobody answers: the bot answers only whom it has been told to. */
function NotAnswered({
  id,
  demo,
  chat,
  isShown,
}: {
  readonly id: Platform
  readonly demo: Demo
  readonly chat: string
  readonly isShown: boolean
}): ReactNode {
  const texts = useTexts(chatTexts)
  const person = demo.people.find((one) => one.id === chat)
  if (!isShown || person === undefined) return null
  return (
    <p className={style['note']}>
      {texts.onlySome(person.name)}{' '}
      <Link to="/channels/$platform" params={{ platform: id }}>
        {texts.whom}
      </Link>
    </p>
  )
}

interface LineProps {
  readonly line: DemoLine
  readonly isGroup: boolean
  readonly isGrowing: boolean
}

function Line({ line, isGroup, isGrowing }: LineProps): ReactNode {
  const texts = useTexts(chatTexts)
  const isBot = line.by === 'bot'
  const isOpen = line.unfinished || isGrowing
  return (
    <li className={style['line']} data-by={line.by}>
      <div className={style['bubble']}>
        {isGroup && <p className={style['from']}>{line.name}</p>}
        <ShownText blocks={line.blocks} end={isBot && isOpen ? <span className={style['caret']} /> : null} />
        {line.files.map((file) => (
          <p key={file} className={style['file']}>
            {file}
          </p>
        ))}
        <p className={style['meta']}>
          {line.edited && !isBot && `${texts.edited} `}
          <Clock at={line.at} />
          {line.way !== null && <Way way={line.way} />}
        </p>
      </div>
    </li>
  )
}

const TICKS = {
  sent: 'M12 7v5l3 2M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16z',
  delivered: 'm5 12.5 4.5 4.5L19 7.5',
  confirmed: 'm2 12.5 4.500 4.500L16 7.500M11.500 16l1.500 1.500 9.500-10',
} as const

/** How far a message has come: not fetched yet, with the bot, or received for good. */
function Way({ way }: { readonly way: NonNullable<DemoLine['way']> }): ReactNode {
  const texts = useTexts(chatTexts)
  return (
    <svg className={style['way']} data-way={way} viewBox="0 0 24 24" role="img" aria-label={texts.ways[way]}>
      <path d={TICKS[way]} />
    </svg>
  )
}

/** Keeps the end of the list in sight, as long as it was. */
function useStaysAtEnd(): React.RefObject<HTMLOListElement | null> {
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

/** How long an answer must stay as it is to be read out, ms. */
const SETTLED_MS = 1_500

/** Reads an answer out when it is complete, and not every piece of it. */
function Announcement({ lines, isOver }: { readonly lines: readonly DemoLine[]; readonly isOver: boolean }): ReactNode {
  const texts = useTexts(chatTexts)
  const last = lines.at(-1)
  const words = last?.by === 'bot' && !last.unfinished && isOver ? texts.answered(last.name, plain(last)) : ''
  const [said, setSaid] = useState<string | null>(null)
  useEffect(() => {
    const timer = setTimeout(() => setSaid((before) => (before === null && words !== '' ? '' : words)), SETTLED_MS)
    return () => clearTimeout(timer)
  }, [words])
  return (
    <p className="visually-hidden" role="status">
      {said}
    </p>
  )
}

const plain = ({ blocks }: DemoLine): string =>
  blocks
    .map((block) =>
      block.type === 'table' ? block.rows?.flat().join(' ') : block.spans?.map(({ text }) => text).join(''),
    )
    .join(' ')
