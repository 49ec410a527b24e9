import { type KeyboardEvent, type ReactNode, type RefObject, useRef, useState } from 'react'
import type { DemoPlatform } from '../../api/gateway-api.ts'
import { useCall } from '../../api/queries.ts'
import { useTexts } from '../../language/language.ts'
import { Icon } from '../../parts/icon.tsx'
import { isPlatform, type Platform, PlatformMark, platformTexts } from '../../parts/platform.tsx'
import { ChatView } from './chat.tsx'
import { Connect } from './connect.tsx'
import { chatKey, useSendAs, useLiveDemo, type Demo, type DemoMessage, type Visitor } from './live-demo.ts'
import style from './phone.module.css'
import { chatTexts } from './texts.ts'
import { faultPanelTexts, FaultPanel, FaultStrip } from './faults.tsx'

/** A phone with the chat of one platform. */
export function ChatPane({ demo, platform }: { readonly demo: Demo; readonly platform: DemoPlatform }): ReactNode {
  const { platform: id } = platform
  return isPlatform(id) ? <Phone demo={demo} platform={platform} id={id} /> : null
}

interface PhoneProps {
  readonly demo: Demo
  readonly platform: DemoPlatform
  readonly id: Platform
}

function Phone({ demo, platform, id }: PhoneProps): ReactNode {
  const texts = useTexts(chatTexts)
  const name = useTexts(platformTexts)[id]
  const [chat, setChat] = useState(demo.people[0]?.id ?? '')
  const [isOpen, setOpen] = useState(false)
  const opener = useRef<HTMLButtonElement>(null)
  const close = (): void => {
    setOpen(false)
    opener.current?.focus()
  }
  const channel = useCall('getChannel', { params: { platform: id } })
  const isAbsent = channel.data !== undefined && (!channel.data.has_config || channel.data.state === 'rejected')
  return (
    <article className={style['phone']} data-platform={id} aria-label={texts.chatLabel(name)}>
      <div className={style['screen']}>
        <PhoneBar id={id} chat={chat} isOpen={isOpen} opener={opener} onTrouble={() => setOpen(!isOpen)} />
        {isOpen ? <FaultPanel platform={platform} id={id} onClose={close} /> : <FaultStrip platform={platform} />}
        {isAbsent ? (
          <Connect platform={platform} id={id} person={demo.people[0]?.id ?? ''} />
        ) : (
          <>
            {!isOpen && <ChatTabs demo={demo} platform={platform} chat={chat} onChoose={setChat} />}
            <ChatView demo={demo} id={id} chat={chat} channel={channel.data} />
            <Composer demo={demo} id={id} chat={chat} />
          </>
        )}
      </div>
    </article>
  )
}

/** Platform name, connection state and fault button. */
function PhoneBar({
  id,
  chat,
  isOpen,
  opener,
  onTrouble,
}: {
  readonly id: Platform
  readonly chat: string
  readonly isOpen: boolean
  readonly opener: RefObject<HTMLButtonElement | null>
  onTrouble(): void
}): ReactNode {
  const texts = useTexts(chatTexts)
  const words = useTexts(faultPanelTexts)
  const name = useTexts(platformTexts)[id]
  const pane = useLiveDemo((live) => live.panes[id])
  const typing = useLiveDemo((live) => live.chats[chatKey(id, chat)]?.typing === true)
  const isConnected = pane?.connected === true
  return (
    <header className={style['bar']}>
      <PlatformMark platform={id} />
      <div className={style['names']}>
        <h2>{name}</h2>
        <p className={style['status']} data-on={isConnected}>
          <span className={style['dot']} aria-hidden="true" />
          {typing && isConnected ? texts.typing : isConnected ? texts.connected : texts.notConnected}
        </p>
      </div>
      <button
        ref={opener}
        type="button"
        className={style['trouble']}
        aria-expanded={isOpen}
        aria-label={`${words.trouble}: ${name}`}
        onClick={onTrouble}
      >
        <Icon name={isOpen ? 'close' : 'cable'} />
        <span>{isOpen ? words.close : words.trouble}</span>
      </button>
    </header>
  )
}

/** Selects the person or the group to chat as. */
function ChatTabs({
  demo,
  platform,
  chat,
  onChoose,
}: {
  readonly demo: Demo
  readonly platform: DemoPlatform
  readonly chat: string
  onChoose(chat: string): void
}): ReactNode {
  const texts = useTexts(chatTexts)
  const chats = [...demo.people, ...(platform.groups ? [{ id: demo.group.id, name: texts.group }] : [])]
  return (
    <div className={style['who']} role="group" aria-label={texts.as}>
      {chats.map(({ id, name }) => (
        <button key={id} type="button" aria-pressed={id === chat} onClick={() => onChoose(id)}>
          <Icon name={id === demo.group.id ? 'people' : 'account'} size={15} />
          {name}
        </button>
      ))}
    </div>
  )
}

/** Longest message, in UTF-16 units. */
const LONGEST = 4_000

/** The message field. Enter sends. */
function Composer({
  demo,
  id,
  chat,
}: {
  readonly demo: Demo
  readonly id: Platform
  readonly chat: string
}): ReactNode {
  const texts = useTexts(chatTexts)
  const isGroup = chat === demo.group.id
  const from = demo.people.find((person) => person.id === chat) ?? demo.people[0]
  const bot = useLiveDemo((live) => live.panes[id]?.bot ?? '')
  const [mention, setMention] = useState(true)
  const { text, setText, send } = useDraft(id, from, isGroup ? { ...demo.group, mention } : null)
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    send()
  }
  return (
    <form
      className={style['composer']}
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      {isGroup && <Mention bot={bot} isOn={mention} onChange={setMention} />}
      <textarea
        className={style['input']}
        rows={1}
        maxLength={LONGEST}
        aria-label={texts.write(bot)}
        placeholder={isGroup && from ? texts.person(from.name) : texts.placeholder}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <button type="submit" className={style['send']} aria-label={texts.send}>
        <Icon name="send" size={19} />
      </button>
    </form>
  )
}

/** The draft, restored when sending fails. */
function useDraft(
  platform: Platform,
  from: Visitor | undefined,
  group: NonNullable<DemoMessage['group']> | null,
): { readonly text: string; setText(text: string): void; send(): void } {
  const [text, setText] = useState('')
  const say = useSendAs()
  const send = (): void => {
    const words = text.trim()
    if (words === '' || from === undefined) return
    setText('')
    const saying = { platform, from, text: words, ...(group !== null && { group }) }
    say.mutate(saying, { onError: () => setText(words) })
  }
  return { text, setText, send }
}

/** Toggles whether a group message mentions the bot. */
function Mention({
  bot,
  isOn,
  onChange,
}: {
  readonly bot: string
  readonly isOn: boolean
  onChange(isOn: boolean): void
}): ReactNode {
  const texts = useTexts(chatTexts)
  return (
    <button
      type="button"
      className={style['mention']}
      title={texts.mentionHint}
      aria-pressed={isOn}
      onClick={() => onChange(!isOn)}
    >
      {texts.mention(bot)}
    </button>
  )
}
