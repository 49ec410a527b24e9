import type { Authenticator } from '@gatepost/auth/client'
import { type ReactNode, useState } from 'react'
import { SetUpApp, type AppSecret } from './set-up-app.tsx'
import { securityTexts } from './texts.ts'
import { UsageTimes } from './used-at.tsx'
import { useRefreshFactors } from './use-factors-changed.ts'
import style from '../account.module.css'
import { callAccountApi } from '../account-problem.ts'
import { useConfirmedAction, useNotifiedAction } from '../act.ts'
import { ConfirmButton } from '../asked-button.tsx'
import { ProblemNotice } from '../problem.tsx'
import { usePanel } from '../use-panel.ts'
import { accountClient } from '../../../api/account-client.ts'
import { useTexts } from '../../../language/texts.ts'
import { Badge } from '../../../parts/badge.tsx'
import { Button } from '../../../parts/button.tsx'
import { Card } from '../../../parts/layout.tsx'
import { notify } from '../../../parts/toast.tsx'

type App = Extract<Authenticator, { readonly type: 'totp' }>

/** The card of the authenticator app. @param onAdded Called with whether recovery codes were generated. */
export function AuthenticatorApp({
  app,
  onAdded,
}: {
  readonly app: App | null
  onAdded(hasNewCodes: boolean): void
}): ReactNode {
  const texts = useTexts(securityTexts)
  return (
    <Card title={texts.app} actions={<Badge tone={app ? 'good' : 'neutral'}>{app ? texts.on : texts.off}</Badge>}>
      <p className={style['soft']}>{texts.appLead}</p>
      {app === null ? <NoApp onAdded={onAdded} /> : <ActiveApp app={app} />}
    </Card>
  )
}

function NoApp({ onAdded }: { onAdded(hasNewCodes: boolean): void }): ReactNode {
  const texts = useTexts(securityTexts)
  const changed = useRefreshFactors()
  /** A secret: exists only while this component is shown. */
  const [offer, setOffer] = useState<AppSecret | null>(null)
  const { opener, open, close } = usePanel()
  const { run, isBusy, problem } = useConfirmedAction(async () => {
    const answer = await callAccountApi(() => accountClient.getTotp(), [404])
    if (answer.status === 404) {
      setOffer({ secret: answer.meta.secret, url: answer.meta.totp_url })
      open()
    } else await changed() // set up in another tab meanwhile
  })
  const forget = (): void => {
    setOffer(null)
    close()
  }
  if (offer !== null) return <SetUpApp offer={offer} onAdded={onAdded} onClose={forget} />
  return (
    <>
      <ProblemNotice problem={problem} />
      <div>
        <Button ref={opener} busy={isBusy} onClick={() => run()}>
          {texts.setUpApp}
        </Button>
      </div>
    </>
  )
}

function ActiveApp({ app }: { readonly app: App }): ReactNode {
  const texts = useTexts(securityTexts)
  const changed = useRefreshFactors()
  const { run, isBusy } = useNotifiedAction(async () => {
    await callAccountApi(() => accountClient.deactivateTotp())
    await changed()
    notify(texts.appOff)
  })
  return (
    <>
      <UsageTimes of={app} />
      <div>
        <ConfirmButton
          act={texts.turnOff}
          title={texts.turnOffApp}
          lead={texts.turnOffLead}
          busy={isBusy}
          onConfirm={() => run()}
        />
      </div>
    </>
  )
}
