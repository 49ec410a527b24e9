import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import type { DoctorReport } from '../../api/gateway-api.ts'
import { queryKey, useChange } from '../../api/queries.ts'
import { useEvents } from '../../api/streams.ts'
import { useViewedAccount } from '../../api/viewed-account.ts'
import { useTexts } from '../../language/language.ts'
import { type Platform, platformTexts } from '../../parts/platform.tsx'
import { notify, useNotifyError } from '../../parts/toast.tsx'
import { countStatuses, withChecks } from './report.ts'
import { doctorTexts } from './texts.ts'

/** Fixes that the page can carry out itself. */
type RepairAction = 'enable' | 'restart'

/** The step in progress; `null` if idle. */
export type RepairStep = 'fixing' | 'checking' | null

/** Fixes and rechecks one platform, and updates the report. */
export function useRepair(platform: Platform): {
  readonly step: RepairStep
  recheck(): void
  fix(act: RepairAction): void
} {
  const [step, setStep] = useState<RepairStep>(null)
  const texts = useTexts(doctorTexts)
  const name = useTexts(platformTexts)[platform]
  const notifyError = useNotifyError()
  const client = useQueryClient()
  const account = useViewedAccount()
  const waitForStableState = useStableState()
  const { mutateAsync: enable } = useChange('saveChannel', 'listChannels', 'getChannel')
  const { mutateAsync: disable } = useChange('disableChannel', 'listChannels', 'getChannel')
  const { mutateAsync: diagnose } = useChange('diagnoseChannel')
  const params = { platform }

  const runChecks = async (): Promise<void> => {
    setStep('checking')
    const { checks } = await diagnose({ params })
    client.setQueryData<DoctorReport>(queryKey('diagnose', {}, account), (report) =>
      report === undefined ? report : withChecks(report, platform, checks),
    )
    const { fail, warn } = countStatuses(checks)
    notify(fail + warn === 0 ? texts.fixed(name) : texts.notFixed(name, fail + warn))
  }
  const fixAndRecheck = async (act: RepairAction): Promise<void> => {
    setStep('fixing')
    const stable = waitForStableState(platform)
    if (act === 'restart') await disable({ params })
    await enable({ params, body: { enabled: true } })
    await stable
    await runChecks()
  }
  const run = (work: Promise<void>): void => void work.catch(notifyError).finally(() => setStep(null))
  return { step, recheck: () => run(runChecks()), fix: (act) => run(fixAndRecheck(act)) }
}

const PATIENCE_MS = 8_000
/** Transient states. */
const TRANSIENT: ReadonlySet<string> = new Set(['stopped', 'connecting'])

/**
 * Returns a function that resolves once a started channel has reached a stable state, or after a timeout. Call it
 * before starting the channel, so that no event is missed.
 */
function useStableState(): (platform: string) => Promise<void> {
  const waiting = useRef(new Set<(platform: string) => void>())
  useEvents((event) => {
    if (event.type !== 'state' || TRANSIENT.has(event.state)) return
    for (const settle of waiting.current) settle(event.platform)
  })
  return (platform) =>
    new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer)
        waiting.current.delete(settle)
        resolve()
      }
      const settle = (of: string): void => {
        if (of === platform) end()
      }
      const timer = setTimeout(end, PATIENCE_MS)
      waiting.current.add(settle)
    })
}
