import { useSearch } from '@tanstack/react-router'
import { type ReactNode, type Ref, type SubmitEvent, useRef, useState } from 'react'
import { useViewedAccount } from '../../../api/viewed-account.ts'
import { useTexts } from '../../../language/language.ts'
import { Button, ButtonLink } from '../../../parts/button.tsx'
import { Confirm, LeaveGuard } from '../../../parts/dialog.tsx'
import { TextArea } from '../../../parts/field.tsx'
import { Icon } from '../../../parts/icon.tsx'
import { Card, Page as Sheet } from '../../../parts/layout.tsx'
import { platformTexts } from '../../../parts/platform.tsx'
import { Empty, Failure, Loading } from '../../../parts/states.tsx'
import { useDraft } from '../draft.ts'
import { PeoplePicker, personKey, usePeople, type Person, type PlatformPeople } from './people-picker.tsx'
import { Preview } from './preview.tsx'
import { Results } from './results.tsx'
import style from './send.module.css'
import { sendTexts } from './texts.ts'
import { useBroadcast } from './use-broadcast.ts'

/** The page to message one or more people. `?platform=…&user=…` selects one. */
export function Page(): ReactNode {
  const texts = useTexts(sendTexts)
  const account = useViewedAccount()
  return (
    <Sheet title={texts.title} lead={texts.lead}>
      {/* people and messages being sent belong to one account */}
      <SendView key={account ?? ''} />
    </Sheet>
  )
}

function SendView(): ReactNode {
  const texts = useTexts(sendTexts)
  const people = usePeople()
  const [draft, setDraft] = useDraft('send')
  const broadcast = useBroadcast(() => setDraft(''))
  const { run, isRunning, reset } = broadcast
  const { platform, user } = useSearch({ strict: false }) as { platform?: unknown; user?: unknown } // a URL may hold anything
  const [chosen, setChosen] = useState<ReadonlySet<string>>(() => new Set([personKey(String(platform), String(user))]))
  if (people.of === null) {
    return people.error === null ? <Loading lines={6} /> : <Failure error={people.error} onRetry={people.retry} />
  }
  if (people.of.every((one) => !one.isLoading && one.error === null && one.people.length === 0)) {
    return (
      <Empty icon="people" title={texts.noPeople} actions={<ButtonLink to="/channels">{texts.toChannels}</ButtonLink>}>
        {texts.noPeopleLead}
      </Empty>
    )
  }
  if (run !== null) {
    const isLeft = (key: string): boolean => ['waiting', 'failed'].includes(run.results.get(key)?.state ?? 'waiting')
    const close = (isOver: boolean): void => {
      setChosen(isOver ? new Set() : new Set(run.people.map(({ key }) => key).filter(isLeft)))
      if (isOver) setDraft('')
      reset()
    }
    return (
      <>
        <Results broadcast={broadcast} run={run} onBack={() => close(false)} onAnother={() => close(true)} />
        <LeaveGuard when={isRunning} title={texts.leaveTitle} act={texts.leave}>
          {texts.leaveLead}
        </LeaveGuard>
      </>
    )
  }
  return (
    <SendForm
      of={people.of}
      chosen={chosen}
      onChosen={setChosen}
      text={draft}
      onText={setDraft}
      isBusy={isRunning}
      error={broadcast.error}
      onSend={broadcast.begin}
    />
  )
}

interface SendFormProps {
  readonly of: readonly PlatformPeople[]
  readonly chosen: ReadonlySet<string>
  onChosen(chosen: ReadonlySet<string>): void
  readonly text: string
  onText(text: string): void
  readonly isBusy: boolean
  /** Why sending couldn't start. */
  readonly error: unknown
  onSend(people: readonly Person[], text: string): void
}

/** The form for recipients and message, with a preview. */
export function SendForm({ of, chosen, onChosen, text, onText, isBusy, error, onSend }: SendFormProps): ReactNode {
  const texts = useTexts(sendTexts)
  const search = useRef<HTMLInputElement>(null)
  const area = useRef<HTMLTextAreaElement>(null)
  const [tried, setTried] = useState(false)
  const [isAsked, setAsked] = useState(false)
  const targets = of.flatMap(({ people }) => people.filter(({ key, reachable }) => reachable && chosen.has(key)))
  const platforms = of.map(({ platform }) => platform)
  const concerned = platforms.filter((one) => targets.some(({ platform }) => platform === one))
  const hasText = text.trim() !== ''
  const send = (): void => {
    setAsked(false)
    onSend(targets, text)
  }
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault()
    setTried(true)
    if (targets.length === 0 || !hasText) (targets.length === 0 ? search : area).current?.focus()
    else if (targets.length === 1) send()
    else setAsked(true)
  }
  return (
    <form className={style['form']} onSubmit={submit}>
      <div className={style['column']}>
        <PeoplePicker
          of={of}
          chosen={chosen}
          count={targets.length}
          error={tried && targets.length === 0 ? texts.needPeople : null}
          searchRef={search}
          clear={() => onChosen(new Set())}
          choose={(people, isChosen) => onChosen(updateSelection(chosen, people, isChosen))}
        />
      </div>
      <div className={style['column']}>
        <Message
          areaRef={area}
          text={text}
          onText={onText}
          problem={tried && !hasText ? texts.needText : null}
          error={error}
          isBusy={isBusy}
          targets={targets}
        />
        <Preview text={text} platforms={concerned.length > 0 ? concerned : platforms} />
      </div>
      <ConfirmBroadcast open={isAsked} targets={targets} onConfirm={send} onClose={() => setAsked(false)} />
    </form>
  )
}

/** The text field and the button. */
function Message({
  areaRef,
  text,
  onText,
  problem,
  error,
  isBusy,
  targets,
}: Pick<SendFormProps, 'text' | 'onText' | 'error' | 'isBusy'> & {
  readonly areaRef: Ref<HTMLTextAreaElement>
  readonly problem: string | null
  readonly targets: readonly Person[]
}): ReactNode {
  const texts = useTexts(sendTexts)
  return (
    <Card title={texts.message}>
      <TextArea
        ref={areaRef}
        label={texts.message}
        hideLabel
        hint={texts.messageHint}
        rows={7}
        dir="auto"
        value={text}
        onChange={onText}
        error={problem}
      />
      {error !== null && <Failure error={error} />}
      <div className={style['foot']}>
        <Button kind="primary" type="submit" busy={isBusy}>
          <Icon name="send" /> <SendLabel targets={targets} />
        </Button>
      </div>
    </Card>
  )
}

function SendLabel({ targets }: { readonly targets: readonly Person[] }): ReactNode {
  const texts = useTexts(sendTexts)
  const [first, second] = targets
  if (first === undefined) return texts.send
  return second === undefined ? texts.sendTo(first.name) : texts.sendToMany(targets.length)
}

function ConfirmBroadcast({
  open,
  targets,
  onConfirm,
  onClose,
}: {
  readonly open: boolean
  readonly targets: readonly Person[]
  onConfirm(): void
  onClose(): void
}): ReactNode {
  const texts = useTexts(sendTexts)
  const names = useTexts(platformTexts)
  const counts = Map.groupBy(targets, ({ platform }) => platform)
  return (
    <Confirm
      open={open}
      title={texts.confirmTitle(targets.length)}
      act={texts.send}
      danger={false}
      onConfirm={onConfirm}
      onClose={onClose}
    >
      <ul className={style['counts']}>
        {[...counts].map(([platform, people]) => (
          <li key={platform}>{texts.onPlatform(names[platform], people.length)}</li>
        ))}
      </ul>
      <p>{texts.confirmLead}</p>
    </Confirm>
  )
}

function updateSelection(
  chosen: ReadonlySet<string>,
  people: readonly Person[],
  isChosen: boolean,
): ReadonlySet<string> {
  const keys = new Set(people.map(({ key }) => key))
  return isChosen ? chosen.union(keys) : chosen.difference(keys)
}
