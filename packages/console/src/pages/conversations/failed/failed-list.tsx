import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import style from './failed.module.css'
import { failedTexts } from './texts.ts'
import { type BulkAction, useBulkActions } from './use-acts-on-many.ts'
import { FailedMessageActions } from '../said/dead-acts.tsx'
import { nameOrId } from '../said/names.ts'
import { DeliveryOutcome } from '../said/outcome.tsx'
import { conversationTexts, outcomeTexts } from '../texts.ts'
import type { AddressedDelivery } from '../../../api/gateway-api.ts'
import { useTexts } from '../../../language/texts.ts'
import { Button } from '../../../parts/button.tsx'
import { Confirm } from '../../../parts/dialog.tsx'
import { Checkbox } from '../../../parts/field.tsx'
import { Card, Row } from '../../../parts/layout.tsx'
import { PlatformMark, PlatformName } from '../../../parts/platform.tsx'
import { Clock } from '../../../parts/time.tsx'

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
      <Button small kind="primary" busy={isBusy} onClick={() => setAsked('again')}>
        {texts.again(count)}
      </Button>
      <Button small disabled={isBusy} onClick={() => setAsked('dismiss')}>
        {texts.dismiss(count)}
      </Button>
      <Confirm
        open={asked === 'again'}
        title={texts.againTitle(count)}
        act={outcomes.again}
        danger={false}
        onConfirm={confirm('again')}
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
