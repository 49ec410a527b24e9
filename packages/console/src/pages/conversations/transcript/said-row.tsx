import type { ReactNode } from 'react'
import type { TimelineItem } from './days.ts'
import style from './transcript.module.css'
import { FailedMessageActions } from '../said/dead-acts.tsx'
import { conversationName, nameOrId } from '../said/names.ts'
import { DeliveryOutcome, DeliveryKind, MessageOutcome } from '../said/outcome.tsx'
import { conversationTexts } from '../texts.ts'
import type { Conversation, Delivery, Message } from '../../../api/gateway-api.ts'
import { machineTime, useFormat } from '../../../language/format.ts'
import { useTexts } from '../../../language/texts.ts'
import { classNames } from '../../../parts/class-names.ts'
import { Icon } from '../../../parts/icon.tsx'

interface TimelineRowProps {
  readonly said: TimelineItem
  readonly conversation: Conversation
  onDealtWith(): void
}

/** A message, preceded by the date if it's the first of its day. */
export function TimelineRow({ said, conversation, onDealtWith }: TimelineRowProps): ReactNode {
  const format = useFormat()
  const { item, at, startsDay, follows } = said
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
          <DeliveryBubble delivery={item.delivery} conversation={conversation} onDealtWith={onDealtWith} />
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
  onDealtWith,
}: {
  readonly delivery: Delivery
  readonly conversation: Conversation
  onDealtWith(): void
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
        <FailedMessageActions platform={conversation.platform} delivery={delivery} name={name} onDone={onDealtWith} />
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
