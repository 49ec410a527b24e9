import { type KeyboardEvent, type ReactNode, useState } from 'react'
import style from './pane.module.css'
import { chatTexts } from './texts.ts'
import { type Demo, type DemoMessage, useSendAs, type Visitor } from './use-demo.ts'
import { useLiveDemo } from './use-live.ts'
import { useTexts } from '../../language/texts.ts'
import { Icon } from '../../parts/icon.tsx'
import type { Platform } from '../../parts/platform.tsx'

/** Longest message, in UTF-16 units. */
const LONGEST = 4_000

/** The message field. Enter sends. */
export function Composer({
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
