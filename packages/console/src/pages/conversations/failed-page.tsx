import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { call } from '../../api/client.ts'
import type { AddressedDelivery } from '../../api/gateway-api.ts'
import { refresh, useList } from '../../api/queries.ts'
import { defineTexts, pluralize, useTexts } from '../../language/language.ts'
import { Button, ButtonLink } from '../../parts/button.tsx'
import { Confirm } from '../../parts/dialog.tsx'
import { Checkbox } from '../../parts/field.tsx'
import { Card, Page as Sheet, Row } from '../../parts/layout.tsx'
import { PlatformMark, PlatformName } from '../../parts/platform.tsx'
import { Empty } from '../../parts/states.tsx'
import { ListBody } from '../../parts/table.tsx'
import { Clock } from '../../parts/time.tsx'
import { notify, notifyFailure } from '../../parts/toast.tsx'
import style from './failed.module.css'
import { FailedMessageActions, STALE_AFTER_RETRY, DeliveryOutcome } from './outcome.tsx'
import { nameOrId } from './names.ts'
import { type Result, sendToAll } from './send/broadcast.ts'
import { conversationTexts, outcomeTexts } from './texts.ts'

/** The page of failed messages. */
export function Page(): ReactNode {
  const texts = useTexts(failedTexts)
  const list = useList('listAllDeliveries', { query: { dead: 'true', limit: 30 } })
  const place = useRef<HTMLDivElement>(null)
  return (
    <Sheet title={texts.title} lead={texts.lead} back={{ to: '/conversations', label: texts.back }}>
      <div ref={place} className={style['place']} tabIndex={-1}>
        <ListBody
          list={list}
          empty={
            <Empty
              icon="check"
              title={texts.empty}
              actions={<ButtonLink to="/conversations">{texts.toConversations}</ButtonLink>}
            >
              {texts.emptyLead}
            </Empty>
          }
        >
          {(items) => <FailedList items={items} onDone={() => place.current?.focus()} />}
        </ListBody>
      </div>
    </Sheet>
  )
}

interface FailedListProps {
  readonly items: readonly AddressedDelivery[]
  /** Called before the focused element disappears. */
  onDone(): void
}

/** The list of failed messages, with actions on one or several. */
export function FailedList({ items, onDone }: FailedListProps): ReactNode {
  const texts = useTexts(failedTexts)
  const [marked, setMarked] = useState<ReadonlySet<string>>(new Set())
  const { progress, act } = useBulkActions()
  const chosen = items.filter(({ id }) => marked.has(id))
  const mark = (id: string, isMarked: boolean): void =>
    setMarked(isMarked ? marked.union(new Set([id])) : marked.difference(new Set([id])))
  return (
    <Card flush>
      <div className={style['tools']}>
        <Checkbox
          label={texts.chooseAll}
          checked={chosen.length === items.length}
          onChange={(isMarked) => setMarked(new Set(isMarked ? items.map(({ id }) => id) : []))}
        />
        {progress !== null && <span role="status">{texts.progress(progress.done, progress.all)}</span>}
        {chosen.length > 0 && (
          <BulkActions
            count={chosen.length}
            isBusy={progress !== null}
            onAct={(what) => {
              act(what, chosen)
              setMarked(new Set())
              onDone()
            }}
          />
        )}
      </div>
      <ul className={style['list']} aria-label={texts.list}>
        {items.map((one) => (
          <FailedRow key={one.id} delivery={one} isMarked={marked.has(one.id)} onMark={mark} onDone={onDone} />
        ))}
      </ul>
    </Card>
  )
}

function FailedRow({
  delivery,
  isMarked,
  onMark,
  onDone,
}: {
  readonly delivery: AddressedDelivery
  readonly isMarked: boolean
  onMark(id: string, isMarked: boolean): void
  onDone(): void
}): ReactNode {
  const texts = useTexts(failedTexts)
  const { file } = useTexts(conversationTexts)
  const { id, platform, to, text, conversation_id, updated_at } = delivery
  const name = to === null ? texts.group : nameOrId(to.name, to.user_id)
  return (
    <li className={style['item']}>
      <Checkbox
        label={<span className="visually-hidden">{texts.choose(name)}</span>}
        checked={isMarked}
        onChange={(next) => onMark(id, next)}
      />
      <div className={style['body']}>
        <div className={style['to']}>
          <PlatformMark platform={platform} small />
          <strong dir="auto">{name}</strong>
          <span className="soft">
            <PlatformName platform={platform} /> · <Clock at={updated_at} />
          </span>
          {conversation_id !== null && (
            <Link to="/conversations/$id" params={{ id: conversation_id }}>
              {texts.conversation}
            </Link>
          )}
        </div>
        <p className={style['text']} dir="auto">
          {text === '' && delivery.file !== null ? file(delivery.file) : text}
        </p>
        <p className={style['why']}>
          <DeliveryOutcome delivery={delivery} />
        </p>
        <FailedMessageActions platform={platform} delivery={delivery} name={name} onDone={onDone} />
      </div>
    </li>
  )
}

/** Actions on the selected messages, after confirmation. */
function BulkActions({
  count,
  isBusy,
  onAct,
}: {
  readonly count: number
  readonly isBusy: boolean
  onAct(what: BulkAction): void
}): ReactNode {
  const texts = useTexts(failedTexts)
  const outcomes = useTexts(outcomeTexts)
  const [asked, setAsked] = useState<BulkAction | null>(null)
  const close = (): void => setAsked(null)
  const confirm = (what: BulkAction) => () => {
    close()
    onAct(what)
  }
  return (
    <Row>
      <Button small kind="primary" busy={isBusy} onClick={() => setAsked('retry')}>
        {texts.again(count)}
      </Button>
      <Button small disabled={isBusy} onClick={() => setAsked('dismiss')}>
        {texts.dismiss(count)}
      </Button>
      <Confirm
        open={asked === 'retry'}
        title={texts.againTitle(count)}
        act={outcomes.again}
        danger={false}
        onConfirm={confirm('retry')}
        onClose={close}
      >
        {texts.againLead}
      </Confirm>
      <Confirm
        open={asked === 'dismiss'}
        title={texts.dismissTitle(count)}
        act={outcomes.dismiss}
        onConfirm={confirm('dismiss')}
        onClose={close}
      >
        {texts.dismissLead}
      </Confirm>
    </Row>
  )
}

/** Actions on several failed messages. */
export type BulkAction = 'retry' | 'dismiss'

const BULK_OPERATIONS = { retry: 'resendDelivery', dismiss: 'dismissDelivery' } as const

/**
 * Retries or dismisses several failed messages, four at a time, and notifies of the result. Stops when the page is
 * left.
 */
export function useBulkActions() {
  const client = useQueryClient()
  const texts = useTexts(failedTexts)
  const [progress, setProgress] = useState<{ readonly done: number; readonly all: number } | null>(null)
  const ending = useRef<AbortController>(null)
  useEffect(() => () => ending.current?.abort(), [])
  const act = async (what: BulkAction, deliveries: readonly AddressedDelivery[]): Promise<void> => {
    if (ending.current !== null) return
    ending.current = new AbortController()
    const counts: Record<Result['state'], number> = {
      waiting: 0,
      sending: 0,
      sent: 0,
      pending: 0,
      unknown: 0,
      failed: 0,
    }
    const all = deliveries.length
    setProgress({ done: 0, all })
    await sendToAll(
      deliveries.toReversed(), // in their original order
      async ({ platform, id }) => void (await call(BULK_OPERATIONS[what], { params: { platform, id } })),
      (_delivery, { state }) => {
        counts[state] += 1
        setProgress({ done: counts.sent + counts.pending + counts.unknown + counts.failed, all })
      },
      ending.current.signal,
    )
    ending.current = null
    setProgress(null)
    const failed = counts.failed + counts.unknown
    if (counts.sent > 0) notify(what === 'retry' ? texts.outcomeSent(counts.sent) : texts.outcomeLeft(counts.sent))
    if (counts.pending > 0) notify(texts.outcomePending(counts.pending))
    if (failed > 0) notifyFailure(what === 'retry' ? texts.outcomeFailed(failed) : texts.actFailed(failed))
    await refresh(client, ...STALE_AFTER_RETRY)
  }
  return { progress, act: (what: BulkAction, deliveries: readonly AddressedDelivery[]) => void act(what, deliveries) }
}

/** Texts of the page of failed messages. */
export const failedTexts = defineTexts({
  en: {
    title: 'Failed messages',
    back: 'Conversations',
    lead: "These messages weren't delivered and won't be retried automatically. Retry or dismiss them.",
    list: 'Failed messages, newest first',
    choose: (name: string) => `Select the message to ${name}`,
    chooseAll: 'Select all',
    group: 'Group',
    conversation: 'Open conversation',
    again: (count: number) => `Retry ${count}`,
    dismiss: (count: number) => `Dismiss ${count}`,
    againTitle: (count: number) => `Retry ${pluralize(count, 'message', 'messages')}?`,
    againLead: 'Recipients may see messages twice if the platform delivered them without confirming.',
    dismissTitle: (count: number) => `Dismiss ${pluralize(count, 'message', 'messages')}?`,
    dismissLead: 'The messages stay in their conversations, but you can no longer retry them.',
    progress: (done: number, all: number) => `${done} of ${all}`,
    outcomeSent: (count: number) => `${pluralize(count, 'message', 'messages')} delivered.`,
    outcomeLeft: (count: number) => `${pluralize(count, 'message', 'messages')} dismissed.`,
    outcomePending: (count: number) => `${pluralize(count, 'message', 'messages')} queued.`,
    outcomeFailed: (count: number) => `${pluralize(count, 'message', 'messages')} failed again.`,
    actFailed: (count: number) => `Couldn't dismiss ${pluralize(count, 'message', 'messages')}. Try again.`,
    empty: 'No failed messages',
    emptyLead: "Messages that a platform rejects or doesn't confirm appear here.",
    toConversations: 'Go to conversations',
  },
  zh: {
    title: '失败消息',
    back: '会话',
    lead: '以下消息未送达，且不会自动重试。您可以重试或忽略。',
    list: '失败消息，按时间倒序',
    choose: (name) => `选择发给${name}的消息`,
    chooseAll: '全选',
    group: '群聊',
    conversation: '打开会话',
    again: (count) => `重试 ${count} 条`,
    dismiss: (count) => `忽略 ${count} 条`,
    againTitle: (count) => `重试 ${count} 条消息？`,
    againLead: '如果平台已送达但未确认，对方可能会收到两次。',
    dismissTitle: (count) => `忽略 ${count} 条消息？`,
    dismissLead: '消息会保留在会话中，但不能再重试。',
    progress: (done, all) => `${done}/${all}`,
    outcomeSent: (count) => `${count} 条已送达。`,
    outcomeLeft: (count) => `${count} 条已忽略。`,
    outcomePending: (count) => `${count} 条已进入待发送队列。`,
    outcomeFailed: (count) => `${count} 条再次失败。`,
    actFailed: (count) => `${count} 条忽略失败，请重试。`,
    empty: '暂无失败消息',
    emptyLead: '被平台拒绝或未确认送达的消息会显示在这里。',
    toConversations: '前往会话',
  },
})
