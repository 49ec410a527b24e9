import { type ReactNode, useState } from 'react'
import { AssistantStep, AssistantSummary } from './assistant-step.tsx'
import { ChannelStep } from './channel-step.tsx'
import { MessageStep } from './message-step.tsx'
import { type Progress, type StepName, STEPS, useProgress } from './progress.ts'
import { Step, type StepState } from './step.tsx'
import { welcomeTexts } from './texts.ts'
import style from './welcome.module.css'
import { DemoLink } from '../channels/first-channel.tsx'
import { useSession } from '../../api/session.ts'
import { useTexts } from '../../language/texts.ts'
import { Badge } from '../../parts/badge.tsx'
import { ButtonLink } from '../../parts/button.tsx'
import { Page as Sheet } from '../../parts/layout.tsx'
import { platformTexts } from '../../parts/platform.tsx'
import { Loaded } from '../../parts/states.tsx'

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
      <Loaded of={progress} lines={8}>
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
  const stateOf = (name: StepName): StepState => (done[name] ? 'done' : skipped.includes(name) ? 'skipped' : 'open')
  const leave = (): void => setHeld(null)
  const skip = (name: StepName): void => {
    setSkipped((before) => [...before, name])
    leave()
  }
  const of = (name: StepName): Omit<React.ComponentProps<typeof Step>, 'summary' | 'children'> => ({
    number: STEPS.indexOf(name) + 2,
    title: texts[name],
    state: stateOf(name),
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
        state={stateOf('message')}
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
