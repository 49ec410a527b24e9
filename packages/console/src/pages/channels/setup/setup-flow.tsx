import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { refresh, useCall } from '../../../api/queries.ts'
import { useLanguage, useTexts } from '../../../language/language.ts'
import type { Platform } from '../../../parts/platform.tsx'
import { RadioCards } from '../../../parts/radio-group.tsx'
import { Loaded, Loading } from '../../../parts/states.tsx'
import { CredentialsForm } from './credentials-form.tsx'
import { useSetup, type SetupKind, type SetupMethod, type SetupProgress } from './setup-run.ts'
import { NumberForm, ScanCode } from './scan-step.tsx'
import { SetupEnd, SetupFailed, SetupInvite } from './setup-end.tsx'
import { SetupSteps } from './setup-steps.tsx'
import style from './setup.module.css'
import { setupTexts } from './texts.ts'
import { INSTRUCTIONS } from './instructions.ts'

interface FlowProps {
  readonly platform: Platform
  /** The method to start with; by default the easiest. */
  readonly wanted?: string | null
  /** Shown after a successful setup. */
  readonly next?: ReactNode
}

/** The setup of a platform, with a choice of methods. */
export function SetupFlow({ platform, wanted = null, next }: FlowProps): ReactNode {
  const ways = useCall('listSetupWays', { params: { platform } })
  const [chosen, setChosen] = useState<SetupKind | null>(null)
  const [attempt, setAttempt] = useState(0)
  return (
    <Loaded query={ways} lines={6}>
      {({ ways: all }) => {
        const easy = all.filter(({ kind }) => kind !== 'invite' || kind === wanted)
        const method =
          easy.find(({ kind }) => kind === chosen) ?? easy.find(({ kind }) => kind === wanted) ?? easy[0] ?? all[0]
        if (method === undefined) return null
        return (
          <div className={style['flow']} data-platform={platform}>
            {easy.length > 1 && wanted !== 'invite' && (
              <MethodChoice platform={platform} ways={easy} chosen={method.kind} onChoose={setChosen} />
            )}
            <SetupRun
              key={`${method.kind} ${attempt}`}
              platform={platform}
              method={method}
              next={next}
              onAgain={() => setAttempt((before) => before + 1)}
            />
          </div>
        )
      }}
    </Loaded>
  )
}

interface ChoiceProps {
  readonly platform: Platform
  readonly ways: readonly SetupMethod[]
  readonly chosen: SetupKind
  onChoose(kind: SetupKind): void
}

function MethodChoice({ platform, ways, chosen, onChoose }: ChoiceProps): ReactNode {
  const texts = useTexts(setupTexts)
  const { language } = useLanguage()
  return (
    <RadioCards
      label={texts.ways}
      hideLabel
      value={chosen}
      options={ways.map(({ kind, title }) => {
        const words = INSTRUCTIONS[`${platform}.${kind}`]
        return { value: kind, title: words?.title[language] ?? title, ...(words && { hint: words.hint[language] }) }
      })}
      onChange={onChoose}
    />
  )
}

interface RunProps {
  readonly platform: Platform
  readonly method: SetupMethod
  readonly next?: ReactNode
  /** Starts over. */
  onAgain(): void
}

/** One setup from start to end: the instructions next to the current step. */
function SetupRun({ platform, method, next, onAgain }: RunProps): ReactNode {
  const followed = useSetup(platform, method.kind)
  const client = useQueryClient()
  /** When the credentials were saved directly, bypassing the setup. */
  const [savedAt, setSavedAt] = useState<number | null>(null)
  const { run } = followed
  const setup = run.stage === 'going' ? run.setup : null
  const isSaved = setup?.saved === true || savedAt !== null
  useEffect(() => {
    if (isSaved) void refresh(client, 'listChannels', 'getChannel', 'listUsers', 'listSetupWays')
  }, [client, isSaved])
  if (setup?.state === 'done' || savedAt !== null) {
    return (
      <SetupEnd
        platform={platform}
        sinceMs={setup?.started_at ?? savedAt ?? 0}
        firstUser={setup?.first_user ?? null}
        facts={setup?.facts ?? {}}
        next={next}
      />
    )
  }
  if (run.stage === 'going' && run.setup.state === 'watching') {
    return <SetupInvite setup={run.setup} next={next} />
  }
  return (
    <div className={style['columns']}>
      <div className={style['panel']}>
        <Panel platform={platform} run={run} followed={followed} onAgain={onAgain} onSaved={setSavedAt} />
      </div>
      <SetupSteps platform={platform} method={method} />
    </div>
  )
}

interface PanelProps {
  readonly platform: Platform
  readonly run: SetupProgress
  readonly followed: ReturnType<typeof useSetup>
  onAgain(): void
  onSaved(atMs: number): void
}

/** The current step. */
function Panel({ platform, run, followed, onAgain, onSaved }: PanelProps): ReactNode {
  const texts = useTexts(setupTexts)
  if (run.stage === 'broken') return <SetupFailed error={run.error} onAgain={onAgain} />
  if (run.stage === 'starting' || run.setup.state === 'starting') {
    return (
      <>
        <p role="status">{texts.starting}</p>
        <Loading lines={4} />
      </>
    )
  }
  const { setup, asked, asks } = run
  if (setup.state === 'failed') return <SetupFailed setup={setup} onAgain={onAgain} />
  const asksNumber = asked.some(({ name }) => name === 'verify_code')
  const isForm = setup.state === 'input_needed' || (setup.state === 'working' && asked.length > 0)
  if (isForm && asksNumber) return <NumberForm followed={followed} isWrong={asks > 1} setup={setup} />
  if (isForm) {
    return (
      <CredentialsForm
        platform={platform}
        fields={asked}
        setup={setup}
        refusal={asks > 1 && setup.state === 'input_needed' ? setup.message : null}
        followed={followed}
        onSaved={onSaved}
      />
    )
  }
  return <ScanCode setup={setup} wasAsked={asks > 0} />
}
