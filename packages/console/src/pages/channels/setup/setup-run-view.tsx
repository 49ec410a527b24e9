import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { CredentialsForm } from './credentials-form.tsx'
import { useSetup } from './follow-setup.ts'
import { NumberForm } from './number-form.tsx'
import { ScanCode } from './setup-code.tsx'
import { SetupEnd } from './setup-end.tsx'
import { SetupFailed } from './setup-failed.tsx'
import { SetupInvite } from './setup-invite.tsx'
import type { SetupProgress, SetupMethod } from './setup-run.ts'
import style from './setup.module.css'
import { SetupSteps } from './setup-steps.tsx'
import { setupTexts } from './texts.ts'
import { refresh } from '../../../api/queries.ts'
import { useTexts } from '../../../language/texts.ts'
import type { Platform } from '../../../parts/platform.tsx'
import { Loading } from '../../../parts/states.tsx'

interface RunProps {
  readonly platform: Platform
  readonly way: SetupMethod
  readonly next?: ReactNode
  /** Starts over. */
  onAgain(): void
}

/** One setup from start to end: the instructions next to the current step. */
export function SetupRun({ platform, way, next, onAgain }: RunProps): ReactNode {
  const followed = useSetup(platform, way.kind)
  const client = useQueryClient()
  /** When it was saved without the setup, with a self-hosted server. */
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
      <SetupSteps platform={platform} way={way} />
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
