import { useSearch } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useDraft } from './send/draft.ts'
import { personKey, usePeople } from './send/people.ts'
import { Results } from './send/results.tsx'
import { SendForm } from './send/send-form.tsx'
import { sendTexts } from './send/texts.ts'
import { useBroadcast } from './send/use-broadcast.ts'
import { useViewedAccount } from '../../api/viewed-account.ts'
import { useTexts } from '../../language/texts.ts'
import { ButtonLink } from '../../parts/button.tsx'
import { Page as Sheet } from '../../parts/layout.tsx'
import { LeaveGuard } from '../../parts/leave-guard.tsx'
import { Empty, Failure, Loading } from '../../parts/states.tsx'

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
  const { run, isRunning, forget } = broadcast
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
      forget()
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
