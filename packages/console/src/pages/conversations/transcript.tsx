import { Link } from '@tanstack/react-router'
import { type ReactNode, type RefObject, useEffect, useEffectEvent, useRef, useState } from 'react'
import { ApiError } from '../../api/client.ts'
import type { Conversation, TranscriptItem, Delivery, Message } from '../../api/gateway-api.ts'
import { type List, useCall, useList } from '../../api/queries.ts'
import { useEvents } from '../../api/streams.ts'
import { machineTime, useFormat } from '../../language/format.ts'
import { useTexts } from '../../language/language.ts'
import { Badge } from '../../parts/badge.tsx'
import { Button, ButtonLink, classNames } from '../../parts/button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { useWindowTitle } from '../../parts/layout.tsx'
import { PlatformMark, PlatformName } from '../../parts/platform.tsx'
import { Empty, Loaded } from '../../parts/states.tsx'
import { ListBody } from '../../parts/table.tsx'
import { conversationName, nameOrId } from './names.ts'
import { DeliveryKind, DeliveryOutcome, FailedMessageActions, MessageOutcome } from './outcome.tsx'
import { conversationTexts } from './texts.ts'
import { Composer } from './composer.tsx'
import { buildTimeline, type TimelineItem } from './timeline.ts'
import style from './transcript.module.css'

const PAGE = 50

/** A conversation that updates live, with a message field. */
export function Transcript({ id }: { readonly id: string }): ReactNode {
  const texts = useTexts(conversationTexts)
  const found = useCall('getConversation', { params: { id }, query: { limit: 1 } })
  if (found.error instanceof ApiError && found.error.code === 'unknown_conversation') {
    return (
      <div className={style['lost']}>
        <h1 className="visually-hidden">{texts.title}</h1>
        <Empty icon="search" title={texts.unknown} actions={<ButtonLink to="/conversations">{texts.back}</ButtonLink>}>
          {texts.unknownLead}
        </Empty>
      </div>
    )
  }
  return (
    <div className={style['transcript']} data-platform={found.data?.conversation.platform}>
      <Loaded query={found} lines={8}>
        {({ conversation }) => <OpenConversation id={id} conversation={conversation} />}
      </Loaded>
    </div>
  )
}

/** An existing conversation. */
function OpenConversation({
  id,
  conversation,
}: {
  readonly id: string
  readonly conversation: Conversation
}): ReactNode {
  const scroller = useRef<HTMLDivElement>(null)
  const list = useList('getConversation', { params: { id }, query: { limit: PAGE } })
  const toEnd = (): void => scroller.current?.scrollTo({ top: 0 })
  return (
    <>
      <Head conversation={conversation} />
      <Scroller conversation={conversation} list={list} scroller={scroller} />
      <Composer conversation={conversation} onSent={toEnd} />
    </>
  )
}

function Head({ conversation }: { readonly conversation: Conversation }): ReactNode {
  const texts = useTexts(conversationTexts)
  const heading = useRef<HTMLHeadingElement>(null)
  const { platform, chat, people } = conversation
  const name = conversationName(conversation)
  useWindowTitle(name)
  useEffect(() => {
    // the focused element was removed with the previous page
    if (document.activeElement === document.body) heading.current?.focus()
  }, [])
  return (
    <header className={style['head']}>
      <Link to="/conversations" search={true} className={style['back']} aria-label={texts.back}>
        <Icon name="back" size={20} />
      </Link>
      <PlatformMark platform={platform} />
      <div className={style['titles']}>
        <h1 ref={heading} tabIndex={-1}>
          <bdi>{name}</bdi>
        </h1>
        <p className={style['about']}>
          <PlatformName platform={platform} />
          {chat.kind === 'group' && people.length > 0 && (
            <>
              {' · '}
              <bdi>{people.map((one) => nameOrId(one.name, one.user_id)).join(', ')}</bdi>
            </>
          )}
        </p>
      </div>
      {chat.kind === 'group' && <Badge>{texts.kindGroup}</Badge>}
    </header>
  )
}

/** The messages, scrolled to the end. Loading earlier ones keeps the scroll position. */
function Scroller({
  conversation,
  list,
  scroller,
}: {
  readonly conversation: Conversation
  readonly list: List<TranscriptItem>
  readonly scroller: RefObject<HTMLDivElement | null>
}): ReactNode {
  const texts = useTexts(conversationTexts)
  const format = useFormat()
  const timeline = buildTimeline(list.items, (ms) => format.day(ms))
  const focusHere = (): void => scroller.current?.focus()
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrollable by keyboard
    <div className={style['scroller']} ref={scroller} role="region" aria-label={texts.transcript} tabIndex={0}>
      <div className={style['content']}>
        {!list.isLoading && <EarlierMessages list={list} root={scroller} />}
        <ListBody list={{ ...list, hasMore: false }} empty={<Empty icon="conversations" title={texts.allExpired} />}>
          {() => (
            <ol className={style['said']}>
              {timeline.map((one) => (
                <TimelineRow key={one.id} entry={one} conversation={conversation} onDone={focusHere} />
              ))}
            </ol>
          )}
        </ListBody>
        <IncomingAnnouncement conversation={conversation} />
      </div>
    </div>
  )
}

/** Loads earlier messages on scrolling to the top, or by a button. */
function EarlierMessages({
  list,
  root,
}: {
  readonly list: List<TranscriptItem>
  readonly root: RefObject<HTMLDivElement | null>
}): ReactNode {
  const texts = useTexts(conversationTexts)
  const here = useRef<HTMLDivElement>(null)
  const { hasMore, isLoadingMore, error } = list
  const load = useEffectEvent(list.more)
  useEffect(() => {
    // after a failure, only the button retries
    if (!hasMore || isLoadingMore || error !== null || here.current === null) return
    const seen = new IntersectionObserver(
      (entries) => {
        if (entries.some((entry) => entry.isIntersecting)) load()
      },
      { root: root.current, rootMargin: '300px 0px 0px 0px' },
    )
    seen.observe(here.current)
    return () => seen.disconnect()
  }, [hasMore, isLoadingMore, error, root])
  if (!hasMore) return list.items.length > 0 && <p className={style['beginning']}>{texts.beginning}</p>
  return (
    <div className={style['earlier']} ref={here}>
      <Button small busy={isLoadingMore} onClick={list.more}>
        {texts.earlier}
      </Button>
    </div>
  )
}

/** Announces incoming messages. */
function IncomingAnnouncement({ conversation }: { readonly conversation: Conversation }): ReactNode {
  const texts = useTexts(conversationTexts)
  const [announcement, setAnnouncement] = useState('')
  useEvents((event) => {
    if (event.type !== 'message' || event.message.conversation_id !== conversation.id) return
    const { from, text, files } = event.message
    setAnnouncement(texts.senderAndText(nameOrId(from.name, from.user_id), text || texts.file(files[0]?.name ?? '')))
  })
  return (
    <div className="visually-hidden" role="status">
      {announcement}
    </div>
  )
}

interface TimelineRowProps {
  readonly entry: TimelineItem
  readonly conversation: Conversation
  onDone(): void
}

/** A message, preceded by the date if it's the first of its day. */
function TimelineRow({ entry, conversation, onDone }: TimelineRowProps): ReactNode {
  const format = useFormat()
  const { item, at, startsDay, follows } = entry
  const isOurs = item.type === 'delivery'
  return (
    <>
      {startsDay && (
        <li className={style['day']}>
          <time dateTime={machineTime(at)}>{format.day(at)}</time>
        </li>
      )}
      <li className={classNames(style['row'], isOurs && style['ours'], follows && style['follows'])}>
        {isOurs ? (
          <DeliveryBubble delivery={item.delivery} conversation={conversation} onDone={onDone} />
        ) : (
          <MessageBubble message={item.message} />
        )}
      </li>
    </>
  )
}

function MessageBubble({ message }: { readonly message: Message }): ReactNode {
  const { from, text, files, sent_at } = message
  const format = useFormat()
  return (
    <>
      <p className={style['speaker']} dir="auto">
        {nameOrId(from.name, from.user_id)}
      </p>
      <div className={style['bubble']}>
        {text !== '' && (
          <p className={style['text']} dir="auto">
            {text}
          </p>
        )}
        {files.map(({ name, size, mime }, index) => (
          <FileLine key={index} name={name} about={size > 0 ? format.bytes(size) : mime} />
        ))}
      </div>
      <p className={style['meta']}>
        <ShortTime at={sent_at} /> <MessageOutcome message={message} />
      </p>
    </>
  )
}

function DeliveryBubble({
  delivery,
  conversation,
  onDone,
}: {
  readonly delivery: Delivery
  readonly conversation: Conversation
  onDone(): void
}): ReactNode {
  const texts = useTexts(conversationTexts)
  const { text, file, created_at, kind, dead, user_id } = delivery
  const person = conversation.people.find((one) => one.user_id === user_id)
  const name = person === undefined ? conversationName(conversation) : nameOrId(person.name, person.user_id)
  return (
    <>
      <p className={style['speaker']}>{texts.bot}</p>
      <div className={style['bubble']}>
        {text !== '' && (
          <p className={style['text']} dir="auto">
            {text}
          </p>
        )}
        {file !== null && <FileLine name={file} />}
      </div>
      <p className={style['meta']}>
        <ShortTime at={created_at} />
        <span>
          <DeliveryKind kind={kind} />
        </span>
        <DeliveryOutcome delivery={delivery} />
      </p>
      {dead && (
        <FailedMessageActions platform={conversation.platform} delivery={delivery} name={name} onDone={onDone} />
      )}
    </>
  )
}

const FileLine = ({ name, about }: { readonly name: string; readonly about?: string }): ReactNode => (
  <p className={style['file']}>
    <Icon name="file" size={16} />
    <span dir="auto">{name}</span>
    {about !== undefined && <span className={style['size']}>{about}</span>}
  </p>
)

/** The time of day, without the date shown above. */
function ShortTime({ at }: { readonly at: number }): ReactNode {
  const format = useFormat()
  return (
    <time dateTime={machineTime(at)} title={format.exact(at)}>
      {format.time(at, at)}
    </time>
  )
}
