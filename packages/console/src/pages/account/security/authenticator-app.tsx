import type { Authenticator } from '@gatepost/auth/client'
import { type ReactNode, useState } from 'react'
import { SetUpApp, type AppOffer } from './set-up-app.tsx'
import { securityTexts } from './texts.ts'
import { UsedAt } from './used-at.tsx'
import { useFactorsChanged } from './use-factors-changed.ts'
import style from '../account.module.css'
import { ask } from '../account-problem.ts'
import { useAct, useToldAct } from '../act.ts'
import { AskedButton } from '../asked-button.tsx'
import { ProblemNotice } from '../problem.tsx'
import { usePanel } from '../use-panel.ts'
import { accountClient } from '../../../api/account-client.ts'
import { useTexts } from '../../../language/texts.ts'
import { Badge } from '../../../parts/badge.tsx'
import { Button } from '../../../parts/button.tsx'
import { Card } from '../../../parts/layout.tsx'
import { tell } from '../../../parts/toast.tsx'

type App = Extract<Authenticator, { readonly type: 'totp' }>

/** The authenticator app. @param onAdded Told whether recovery codes were made with it. */
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
  const changed = useFactorsChanged()
  /** A secret: gone with this part of the page. */
  const [offer, setOffer] = useState<AppOffer | null>(null)
  const { opener, open, close } = usePanel()
  const { run, isBusy, problem } = useAct(async () => {
    const answer = await ask(() => accountClient.getTotp(), [404])
    if (answer.status === 404) {
      setOffer({ secret: answer.meta.secret, url: answer.meta.totp_url })
      open()
    } else await changed() // one was set up elsewhere meanwhile
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
  const changed = useFactorsChanged()
  const { run, isBusy } = useToldAct(async () => {
    await ask(() => accountClient.deactivateTotp())
    await changed()
    tell(texts.appOff)
  })
  return (
    <>
      <UsedAt of={app} />
      <div>
        <AskedButton
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
