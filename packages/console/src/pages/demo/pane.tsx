import { type ReactNode, type RefObject, useRef, useState } from 'react'
import style from './pane.module.css'
import { ChatView } from './chat.tsx'
import { Composer } from './composer.tsx'
import { Connect } from './connect.tsx'
import { chatKey } from './live-demo.ts'
import { chatTexts } from './texts.ts'
import { FaultPanel, FaultStrip } from './trouble.tsx'
import { faultPanelTexts } from './trouble-texts.ts'
import type { Demo } from './use-demo.ts'
import { useLiveDemo } from './use-live.ts'
import type { DemoPlatform } from '../../api/gateway-api.ts'
import { useCall } from '../../api/queries.ts'
import { useTexts } from '../../language/texts.ts'
import { Icon } from '../../parts/icon.tsx'
import { isPlatform, type Platform, PlatformMark, platformTexts } from '../../parts/platform.tsx'

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
    <article className={style['phone']} data-platform={id} aria-label={texts.chatOf(name)}>
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
  const chats = [...demo.people, ...(platform.groups ? [{ id: demo.group.id, name: demo.group.title }] : [])]
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
