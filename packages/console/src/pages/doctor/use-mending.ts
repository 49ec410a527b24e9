import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { tallyOf, withChecks } from './report.ts'
import { doctorTexts } from './texts.ts'
import { useSettled } from './use-settled.ts'
import type { DoctorReport } from '../../api/gateway-api.ts'
import { queryKey, useChange } from '../../api/queries.ts'
import { useViewedAccount } from '../../api/viewed-account.ts'
import { useTexts } from '../../language/texts.ts'
import { type Platform, platformTexts } from '../../parts/platform.tsx'
import { tell, useTellError } from '../../parts/toast.tsx'

/** What the page can do itself; the other remedies are pages. */
export type Act = 'enable' | 'restart'

/** What is being done to a platform, if anything. */
export type Step = 'mending' | 'checking' | null

/** Mends and examines one platform; what is found takes its place in the report. */
export function useMending(platform: Platform): { readonly step: Step; examine(): void; mend(act: Act): void } {
  const [step, setStep] = useState<Step>(null)
  const texts = useTexts(doctorTexts)
  const name = useTexts(platformTexts)[platform]
  const tellError = useTellError()
  const client = useQueryClient()
  const account = useViewedAccount()
  const settled = useSettled()
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
    const { fail, warn } = tallyOf(checks)
    tell(fail + warn === 0 ? texts.mended(name) : texts.notMended(name, fail + warn))
  }
  const mended = async (act: Act): Promise<void> => {
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
