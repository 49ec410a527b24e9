import { Link } from '@tanstack/react-router'
import { type ReactNode, useId, useState } from 'react'
import { useCall } from '../../api/queries.ts'
import { useSession } from '../../api/session.ts'
import { useTexts } from '../../language/language.ts'
import { Badge } from '../../parts/badge.tsx'
import { Button, ButtonLink } from '../../parts/button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Page as Sheet } from '../../parts/layout.tsx'
import { type Platform, PlatformMark, platformTexts } from '../../parts/platform.tsx'
import { Loaded, Waiting } from '../../parts/states.tsx'
import { RelativeTime } from '../../parts/time.tsx'
import { DemoLink, PlatformChoice } from '../channels/first-channel.tsx'
import { SetupFlow } from '../channels/setup/setup-flow.tsx'
import { AssistantStep, AssistantSummary } from './assistant-step.tsx'
import { type Progress, type StepName, STEPS, useProgress } from './progress.ts'
import { welcomeTexts } from './texts.ts'
import style from './welcome.module.css'

/** The page of the first run. */
export function Page(): ReactNode {
  const texts = useTexts(welcomeTexts)
  const progress = useProgress()
  const count = 1 + STEPS.filter((name) => progress.data?.done[name] === true).length
  const isAll = count === STEPS.length + 1
  return (
    <Sheet
      title={isAll ? texts.allDone : texts.title}
      lead={isAll ? texts.allDoneLead : texts.lead}
      actions={
        progress.data && <Badge tone={isAll ? 'good' : 'accent'}>{texts.progress(count, STEPS.length + 1)}</Badge>
      }
    >
      <Loaded query={progress} lines={8}>
        {(data) => <Steps progress={data} />}
      </Loaded>
      <div>
        <ButtonLink kind={isAll ? 'primary' : 'secondary'} to="/channels">
          {isAll ? texts.finish : texts.finishEarly}
        </ButtonLink>
      </div>
      {progress.data?.done.channel === false && <DemoLink />}
    </Sheet>
  )
}

function Steps({ progress: { done, connected } }: { readonly progress: Progress }): ReactNode {
  const texts = useTexts(welcomeTexts)
  const names = useTexts(platformTexts)
  const { me } = useSession()
  const [skipped, setSkipped] = useState<readonly StepName[]>([])
  /** The step held open until it is left, even once done. */
  const [held, setHeld] = useState<StepName | null>(null)
  const current = held ?? STEPS.find((name) => !done[name] && !skipped.includes(name)) ?? null
  const stepState = (name: StepName): StepState => (done[name] ? 'done' : skipped.includes(name) ? 'skipped' : 'open')
  const leave = (): void => setHeld(null)
  const skip = (name: StepName): void => {
    setSkipped((before) => [...before, name])
    leave()
  }
  const of = (name: StepName): Omit<React.ComponentProps<typeof Step>, 'summary' | 'children'> => ({
    number: STEPS.indexOf(name) + 2,
    title: texts[name],
    state: stepState(name),
    isOpen: current === name,
    openLabel: done[name] ? texts.change : texts.open,
    onOpen: () => setHeld(name),
    onSkip: done[name] ? undefined : () => skip(name),
  })
  return (
    <ol className={style['steps']}>
      <Step number={1} title={texts.account} state="done" summary={texts.accountDone(me.user?.email ?? me.account)} />
      <Step
        {...of('channel')}
        {...(done.channel && { openLabel: texts.connectAnother })}
        summary={done.channel && texts.channelDone(connected.map((platform) => names[platform]).join(texts.and))}
      >
        <ChannelStep onBegin={() => setHeld('channel')} onDone={leave} />
      </Step>
      <Step {...of('assistant')} summary={<AssistantSummary />}>
        <AssistantStep onDone={leave} />
      </Step>
      <Step
        number={4}
        title={texts.message}
        state={stepState('message')}
        isOpen={done.message || current === 'message'}
        openLabel={texts.open}
        onOpen={() => setHeld('message')}
        onSkip={done.message ? undefined : () => skip('message')}
      >
        <MessageStep isConnected={connected.length > 0} />
      </Step>
    </ol>
  )
}

/** The step to choose and set up a platform. */
export function ChannelStep({ onBegin, onDone }: { onBegin(): void; onDone(): void }): ReactNode {
  const texts = useTexts(welcomeTexts)
  const names = useTexts(platformTexts)
  const [platform, setPlatform] = useState<Platform | null>(null)
  if (platform === null) {
    return (
      <>
        <p>{texts.channelLead}</p>
        <PlatformChoice
          onChoose={(chosen) => {
            onBegin()
            setPlatform(chosen)
          }}
        />
      </>
    )
  }
  return (
    <>
      <div>
        <Button kind="quiet" small onClick={() => setPlatform(null)}>
          <Icon name="back" size={16} /> {texts.chooseOther}
        </Button>
      </div>
      <h3>{names[platform]}</h3>
      <SetupFlow
        platform={platform}
        next={
          <div>
            <Button kind="primary" onClick={onDone}>
              {texts.next}
            </Button>
          </div>
        }
      />
    </>
  )
}

/** The step that waits for the first message. */
export function MessageStep({ isConnected }: { readonly isConnected: boolean }): ReactNode {
  const texts = useTexts(welcomeTexts)
  const { data } = useCall('listConversations', { query: { limit: 1 } })
  const [newest] = data?.items ?? []
  if (newest === undefined)
    return isConnected ? (
      <Waiting>{texts.messageLead}</Waiting>
    ) : (
      <p className={style['summary']}>{texts.messageWait}</p>
    )
  return (
    <div className={style['message']}>
      <div className={style['who']}>
        <PlatformMark platform={newest.platform} small />
        <strong>{newest.chat.title ?? newest.people[0]?.name ?? texts.person}</strong>
        {newest.last && (
          <span className="soft">
            <RelativeTime at={newest.last.at} />
          </span>
        )}
      </div>
      {newest.last && (
        <p role="status" className={style['bubble']} data-by={newest.last.by}>
          <span className="soft">{newest.last.by === 'bot' ? texts.bot : (newest.last.name ?? texts.person)}</span>
          {newest.last.text}
        </p>
      )}
      <Link to="/conversations/$id" params={{ id: newest.id }}>
        {texts.toConversation} <Icon name="next" size={14} />
      </Link>
    </div>
  )
}

/** State of a step. */
export type StepState = 'done' | 'open' | 'skipped'

interface StepProps {
  readonly number: number
  readonly title: string
  readonly state: StepState
  readonly isOpen?: boolean
  /** Shown while the step is closed. */
  readonly summary?: ReactNode
  /** Label of the button that opens it. */
  readonly openLabel?: string
  readonly onOpen?: () => void
  readonly onSkip?: (() => void) | undefined
  readonly children?: ReactNode
}

/** A step of the first run. */
export function Step(props: StepProps): ReactNode {
  const { number, title, state, isOpen = false, summary, openLabel, onOpen, onSkip, children } = props
  const texts = useTexts(welcomeTexts)
  const id = useId()
  return (
    <li className={style['step']} data-state={state} aria-labelledby={id} aria-current={isOpen ? 'step' : undefined}>
      <span className={style['number']} aria-hidden="true">
        {state === 'done' ? <Icon name="check" size={18} /> : number}
      </span>
      <div className={style['body']}>
        <div className={style['head']}>
          <h2 id={id}>{title}</h2>
          {state === 'done' && <Badge tone="good">{texts.done}</Badge>}
          {state === 'skipped' && <Badge>{texts.skipped}</Badge>}
          {!isOpen && onOpen && (
            <Button small onClick={onOpen}>
              {openLabel}
            </Button>
          )}
        </div>
        {!isOpen && summary !== undefined && <div className={style['summary']}>{summary}</div>}
        {isOpen && children}
        {isOpen && onSkip && (
          <div>
            <Button kind="quiet" small onClick={onSkip}>
              {texts.skip}
            </Button>
          </div>
        )}
      </div>
    </li>
  )
}
