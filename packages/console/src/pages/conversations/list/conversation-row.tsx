import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import style from './list.module.css'
import { conversationName } from '../said/names.ts'
import { conversationTexts } from '../texts.ts'
import type { Conversation } from '../../../api/gateway-api.ts'
import { useTexts } from '../../../language/texts.ts'
import { Badge } from '../../../parts/badge.tsx'
import { Icon } from '../../../parts/icon.tsx'
import { PlatformMark, platformTexts } from '../../../parts/platform.tsx'
import { Clock } from '../../../parts/time.tsx'

/** A conversation in the list. */
export function ConversationRow({
  conversation,
  isSelected,
}: {
  readonly conversation: Conversation
  readonly isSelected: boolean
}): ReactNode {
  const texts = useTexts(conversationTexts)
  const platforms = useTexts(platformTexts)
  const { id, platform, chat, last, waiting, failed } = conversation
  return (
    <li>
      <Link
        to="/conversations/$id"
        params={{ id }}
        search={true}
        className={style['row']}
        aria-current={isSelected ? 'true' : undefined}
        ref={isSelected ? scrollIntoView : undefined}
      >
        <PlatformMark platform={platform} />
        <span className={style['who']}>
          <span className={style['name']}>
            <bdi>{conversationName(conversation)}</bdi>
          </span>
          {chat.kind === 'group' && <Icon name="people" size={15} />}
          <span className="visually-hidden">
            {platforms[platform]}
            {chat.kind === 'group' && `, ${texts.kindGroup}`}
          </span>
        </span>
        {last !== null && (
          <span className={style['when']}>
            <Clock at={last.at} />
          </span>
        )}
        <span className={style['last']}>
          <bdi>{last === null ? texts.nothingKept : <LastLine last={last} isGroup={chat.kind === 'group'} />}</bdi>
        </span>
        {(waiting > 0 || failed > 0) && (
          <span className={style['badges']}>
            {waiting > 0 && <Badge tone="warn">{texts.waiting(waiting)}</Badge>}
            {failed > 0 && <Badge tone="bad">{texts.failed(failed)}</Badge>}
          </span>
        )}
      </Link>
    </li>
  )
}

/** The last message, with its sender where that isn't obvious. */
function LastLine({
  last,
  isGroup,
}: {
  readonly last: NonNullable<Conversation['last']>
  readonly isGroup: boolean
}): ReactNode {
  const texts = useTexts(conversationTexts)
  const speaker = last.by === 'bot' ? texts.bot : isGroup ? last.name : null
  return speaker === null ? last.text : texts.heard(speaker, last.text)
}

/** Scrolls to the selected row when the list is rendered again. */
const scrollIntoView = (row: HTMLAnchorElement | null): void => row?.scrollIntoView({ block: 'nearest' })
