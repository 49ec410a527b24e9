import { Link } from '@tanstack/react-router'
import { type ReactNode, type RefObject, useEffect, useEffectEvent, useRef, useState } from 'react'
import { Composer } from './composer.tsx'
import { buildTimeline } from './days.ts'
import { TimelineRow } from './said-row.tsx'
import style from './transcript.module.css'
import { conversationName, nameOrId } from '../said/names.ts'
import { conversationTexts } from '../texts.ts'
import { ApiError } from '../../../api/api-error.ts'
import { useEvents } from '../../../api/events.ts'
import type { Conversation, TranscriptItem } from '../../../api/gateway-api.ts'
import { type List, useCall, useList } from '../../../api/queries.ts'
import { useFormat } from '../../../language/format.ts'
import { useTexts } from '../../../language/texts.ts'
import { Badge } from '../../../parts/badge.tsx'
import { Button, ButtonLink } from '../../../parts/button.tsx'
import { Icon } from '../../../parts/icon.tsx'
import { PlatformMark, PlatformName } from '../../../parts/platform.tsx'
import { Empty, Loaded } from '../../../parts/states.tsx'
import { ListBody } from '../../../parts/table.tsx'
import { useWindowTitle } from '../../../parts/window-title.ts'

const PAGE = 50

/** A conversation, live, with a field to write to the person. */
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
      <Loaded of={found} lines={8}>
        {({ conversation }) => <Open id={id} conversation={conversation} />}
      </Loaded>
    </div>
  )
}

/** An existing conversation. */
function Open({ id, conversation }: { readonly id: string; readonly conversation: Conversation }): ReactNode {
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
  const said = buildTimeline(list.items, (ms) => format.day(ms))
  const focusHere = (): void => scroller.current?.focus()
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrollable by keyboard
    <div className={style['scroller']} ref={scroller} role="region" aria-label={texts.transcript} tabIndex={0}>
      <div className={style['content']}>
        {!list.isLoading && <Earlier list={list} root={scroller} />}
        <ListBody list={{ ...list, hasMore: false }} empty={<Empty icon="conversations" title={texts.nothingSaid} />}>
          {() => (
            <ol className={style['said']}>
              {said.map((one) => (
                <TimelineRow key={one.id} said={one} conversation={conversation} onDealtWith={focusHere} />
              ))}
            </ol>
          )}
        </ListBody>
        <Heard conversation={conversation} />
      </div>
    </div>
  )
}

/** Loads earlier messages on scrolling to the top, or by a button. */
function Earlier({
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
function Heard({ conversation }: { readonly conversation: Conversation }): ReactNode {
  const texts = useTexts(conversationTexts)
  const [heard, setHeard] = useState('')
  useEvents((event) => {
    if (event.type !== 'message' || event.message.conversation_id !== conversation.id) return
    const { from, text, files } = event.message
    setHeard(texts.heard(nameOrId(from.name, from.user_id), text || texts.file(files[0]?.name ?? '')))
  })
  return (
    <div className="visually-hidden" role="status">
      {heard}
    </div>
  )
}
