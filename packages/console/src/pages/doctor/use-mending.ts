import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { countStatuses, withChecks } from './report.ts'
import { doctorTexts } from './texts.ts'
import { useStableState } from './use-settled.ts'
import type { DoctorReport } from '../../api/gateway-api.ts'
import { queryKey, useChange } from '../../api/queries.ts'
import { useViewedAccount } from '../../api/viewed-account.ts'
import { useTexts } from '../../language/texts.ts'
import { type Platform, platformTexts } from '../../parts/platform.tsx'
import { notify, useNotifyError } from '../../parts/toast.tsx'

/** Fixes that the page can carry out itself. */
export type RepairAction = 'enable' | 'restart'

/** What is being done to a platform; `null` if nothing. */
export type RepairStep = 'mending' | 'checking' | null

/** Fixes and rechecks one platform, and updates the report. */
export function useRepair(platform: Platform): {
  readonly step: RepairStep
  examine(): void
  mend(act: RepairAction): void
} {
  const [step, setStep] = useState<RepairStep>(null)
  const texts = useTexts(doctorTexts)
  const name = useTexts(platformTexts)[platform]
  const tellError = useNotifyError()
  const client = useQueryClient()
  const account = useViewedAccount()
  const settled = useStableState()
  const { mutateAsync: enable } = useChange('saveChannel', 'listChannels', 'getChannel')
  const { mutateAsync: disable } = useChange('disableChannel', 'listChannels', 'getChannel')
  const { mutateAsync: diagnose } = useChange('diagnoseChannel')
  const params = { platform }

  const examined = async (): Promise<void> => {
    setStep('checking')
    const { checks } = await diagnose({ params })
    client.setQueryData<DoctorReport>(queryKey('diagnose', {}, account), (report) =>
      report === undefined ? report : withChecks(report, platform, checks),
    )
    const { fail, warn } = countStatuses(checks)
    notify(fail + warn === 0 ? texts.mended(name) : texts.notMended(name, fail + warn))
  }
  const mended = async (act: RepairAction): Promise<void> => {
    setStep('mending')
    const isSettled = settled(platform)
    if (act === 'restart') await disable({ params })
    await enable({ params, body: { enabled: true } })
    await isSettled
    await examined()
  }
  const done = (work: Promise<void>): void => void work.catch(tellError).finally(() => setStep(null))
  return { step, examine: () => done(examined()), mend: (act) => done(mended(act)) }
}
