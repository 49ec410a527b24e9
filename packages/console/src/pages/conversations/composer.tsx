import { type KeyboardEvent, type ReactNode, type SubmitEvent, useId, useRef, useState } from 'react'
import type { ApiError } from '../../api/client.ts'
import type { Conversation } from '../../api/gateway-api.ts'
import { useCall, useChange } from '../../api/queries.ts'
import { useLanguage, useTexts } from '../../language/language.ts'
import { Notice } from '../../parts/badge.tsx'
import { Button, ButtonLink } from '../../parts/button.tsx'
import { TextArea } from '../../parts/field.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Loading } from '../../parts/states.tsx'
import { notify } from '../../parts/toast.tsx'
import { conversationName, nameOrId } from './names.ts'
import { explainUnreachable, formatReason, sendFailureMessage } from './reasons.ts'
import { useDraft } from './draft.ts'
import { composerTexts, outcomeTexts } from './texts.ts'
import style from './transcript.module.css'

interface ComposerProps {
  readonly conversation: Conversation
  onSent(): void
}

/** The message field of a direct conversation, or a notice about why it isn't available. */
export function Composer({ conversation, onSent }: ComposerProps): ReactNode {
  const texts = useTexts(composerTexts)
  const { language } = useLanguage()
  const { platform, chat, people } = conversation
  const isDirect = chat.kind === 'direct'
  const channels = useCall('listChannels', {}, { when: isDirect })
  const known = useCall('listUsers', { params: { platform } }, { when: isDirect })
  const userId = people[0]?.user_id
  if (!isDirect) {
    return (
      <ComposerNotice>
        {texts.group}
        {people.map(({ user_id, name }) => (
          <ButtonLink key={user_id} small to="/send" search={{ platform, user: user_id }}>
            {texts.writeTo(nameOrId(name, user_id))}
          </ButtonLink>
        ))}
      </ComposerNotice>
    )
  }
  if (channels.data?.channels.some((one) => one.platform === platform && !one.running) === true) {
    return (
      <ComposerNotice>
        {texts.notRunning}{' '}
        <ButtonLink small to="/channels/$platform" params={{ platform }}>
          {texts.toChannel}
        </ButtonLink>
      </ComposerNotice>
    )
  }
  if (userId === undefined) return <ComposerNotice>{texts.unknownPerson}</ComposerNotice>
  if (known.data === undefined && known.error === null) {
    return (
      <div className={style['composer']}>
        <Loading lines={1} />
      </div>
    )
  }
  const person = known.data?.users.find((one) => one.user_id === userId)
  if (person?.reachable === false) {
    return (
      <ComposerNotice>
        {formatReason(explainUnreachable(person.reason_code, person.reason, language), language)}
      </ComposerNotice>
    )
  }
  return (
    <MessageField conversation={conversation} userId={userId} sendsLeft={person?.sends_left ?? null} onSent={onSent} />
  )
}

const ComposerNotice = ({ children }: { readonly children: ReactNode }): ReactNode => (
  <div className={style['composer']}>
    <Notice>
      <p className={style['closed']}>{children}</p>
    </Notice>
  </div>
)

function MessageField({
  conversation,
  userId,
  sendsLeft,
  onSent,
}: ComposerProps & { readonly userId: string; readonly sendsLeft: number | null }): ReactNode {
  const texts = useTexts(composerTexts)
  const [draft, setDraft] = useDraft(`conversation ${conversation.id}`)
  const { failure, send, isPending } = useSend(conversation.platform, userId)
  const hintId = useId()
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault()
    if (draft.trim() === '') return
    send(draft, () => {
      setDraft('')
      onSent()
    })
  }
  return (
    <form className={style['composer']} onSubmit={submit}>
      {failure !== null && (
        <Notice tone="bad" alert>
          <p>{failure}</p>
        </Notice>
      )}
      <div className={style['write']}>
        <TextArea
          label={texts.message(conversationName(conversation))}
          hideLabel
          placeholder={texts.placeholder}
          rows={1}
          dir="auto"
          value={draft}
          onChange={setDraft}
          readOnly={isPending}
          onKeyDown={sendByEnter}
          aria-describedby={hintId}
        />
        <Button kind="primary" type="submit" busy={isPending} disabled={draft.trim() === ''}>
          <Icon name="send" /> <span className={style['sendWord']}>{texts.send}</span>
        </Button>
      </div>
      <p className={style['hint']} id={hintId}>
        {texts.hint} {sendsLeft !== null && texts.left(sendsLeft)}
      </p>
    </form>
  )
}

function sendByEnter(event: KeyboardEvent<HTMLTextAreaElement>): void {
  // Enter confirms the composition of an input method
  if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
  event.preventDefault()
  event.currentTarget.form?.requestSubmit()
}

/** Codes after which the message is stored and appears in the conversation. */
const STORED: ReadonlySet<string> = new Set(['delivery_pending', 'delivery_unknown'])

/** Returns a function that sends messages to one person, one at a time. */
function useSend(platform: string, userId: string) {
  const outcomes = useTexts(outcomeTexts)
  const { language } = useLanguage()
  const [error, setError] = useState<ApiError | null>(null)
  const isSending = useRef(false)
  const { mutateAsync, isPending } = useChange(
    'sendMessage',
    'getConversation',
    'listConversations',
    'listAllDeliveries',
  )
  return {
    isPending,
    /** Why the last message wasn't delivered, in the page's language. */
    failure: error === null ? null : sendFailureMessage(error, language),
    /** @param onAccepted Called when the draft can be cleared. */
    send(message: string, onAccepted: () => void) {
      if (isSending.current) return
      isSending.current = true
      setError(null)
      // also after leaving the page, so that a sent message doesn't stay as a draft
      void mutateAsync({ params: { platform }, body: { message, user_id: userId } })
        .then(onAccepted, (cause: ApiError) => {
          if (cause.code === 'delivery_pending') notify(outcomes.pending)
          else setError(cause)
          if (STORED.has(cause.code)) onAccepted()
        })
        .finally(() => (isSending.current = false))
    },
  }
}
