import type { Authenticator } from '@gatepost/auth/client'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { accountClient } from '../../../api/client.ts'
import { useTexts } from '../../../language/language.ts'
import { Badge } from '../../../parts/badge.tsx'
import { Button, CopyButton } from '../../../parts/button.tsx'
import { ConfirmButton } from '../../../parts/dialog.tsx'
import { TextField } from '../../../parts/field.tsx'
import { QrImage } from '../../../parts/icon.tsx'
import { Card, Row } from '../../../parts/layout.tsx'
import { notify } from '../../../parts/toast.tsx'
import { ActionForm, fieldError, ProblemNotice } from '../account-action.tsx'
import { callAccountApi } from '../account-api.ts'
import frame from '../account.module.css'
import { usePanel } from '../panel.tsx'
import { useConfirmedAction, useNotifiedAction } from '../reauthentication.tsx'
import { accountTexts } from '../texts.ts'
import style from './security.module.css'
import { securityTexts } from './texts.ts'
import { useRefreshFactors, UsageTimes } from './factors.tsx'

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
      <p className={frame['soft']}>{texts.appLead}</p>
      {app === null ? <NoApp onAdded={onAdded} /> : <ActiveApp app={app} />}
    </Card>
  )
}

function NoApp({ onAdded }: { onAdded(hasNewCodes: boolean): void }): ReactNode {
  const texts = useTexts(securityTexts)
  const changed = useRefreshFactors()
  /** Contains the secret, which is kept only while this component is mounted. */
  const [offer, setOffer] = useState<AppSecret | null>(null)
  const { opener, open, close } = usePanel()
  const { run, isBusy, problem } = useConfirmedAction(async () => {
    const answer = await callAccountApi(() => accountClient().getTotp(), [404])
    if (answer.status === 404) {
      setOffer({ secret: answer.meta.secret, url: answer.meta.totp_url })
      open()
    } else await changed() // set up in another tab meanwhile
  })
  const reset = (): void => {
    setOffer(null)
    close()
  }
  if (offer !== null) return <SetUpApp offer={offer} onAdded={onAdded} onClose={reset} />
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
    await callAccountApi(() => accountClient().deactivateTotp())
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

/** The secret for an authenticator app. */
interface AppSecret {
  /** Base32. */
  readonly secret: string
  /** `otpauth:` */
  readonly url: string
}

/** Sets up an authenticator app. @param onAdded Called with whether recovery codes were generated. */
function SetUpApp({
  offer,
  onAdded,
  onClose,
}: {
  readonly offer: AppSecret
  onAdded(hasNewCodes: boolean): void
  onClose(): void
}): ReactNode {
  const texts = useTexts(securityTexts)
  const common = useTexts(accountTexts)
  const changed = useRefreshFactors()
  const [code, setCode] = useState('')
  const head = useRef<HTMLHeadingElement>(null)
  useEffect(() => head.current?.focus(), [])
  const { run, isBusy, problem } = useConfirmedAction(async () => {
    const { meta } = await callAccountApi(() => accountClient().activateTotp({ code: code.replaceAll(/\s/g, '') }))
    await changed()
    notify(texts.appOn)
    onAdded(meta.recovery_codes_generated)
    onClose()
  })
  return (
    <div className={frame['panel']}>
      <h3 ref={head} tabIndex={-1}>
        {texts.scan}
      </h3>
      <p className={frame['soft']}>{texts.scanLead}</p>
      <AppSecretView {...offer} />
      <ActionForm problem={problem} fields={['code']} onSubmit={() => run()}>
        <TextField
          label={texts.appCode}
          inputMode="numeric"
          autoComplete="one-time-code"
          mono
          value={code}
          onChange={setCode}
          error={fieldError(problem, 'code')}
        />
        <Row>
          <Button kind="primary" type="submit" busy={isBusy}>
            {texts.activate}
          </Button>
          <Button onClick={onClose}>{common.cancel}</Button>
        </Row>
      </ActionForm>
    </div>
  )
}

function AppSecretView({ secret, url }: AppSecret): ReactNode {
  const texts = useTexts(securityTexts)
  return (
    <div className={style['offer']}>
      <SecretQr url={url} />
      <div className={style['secret']}>
        <p>{texts.secret}</p>
        <code>{secret.replaceAll(/(.{4})(?=.)/g, '$1 ')}</code>
        <CopyButton text={secret} label={texts.copySecret} />
      </div>
    </div>
  )
}

/** Draws the QR code in the browser, so that the secret isn't sent anywhere. */
function SecretQr({ url }: { readonly url: string }): ReactNode {
  const texts = useTexts(securityTexts)
  const [svg, setSvg] = useState<string | null>(null)
  useEffect(() => {
    let isMounted = true
    void import('./draw-qr.ts').then(
      ({ drawQr }) => isMounted && setSvg(drawQr(url)),
      () => undefined, // a new build was deployed: the secret can still be typed
    )
    return () => {
      isMounted = false
    }
  }, [url])
  return <div className={style['qr']}>{svg !== null && <QrImage svg={svg} label={texts.qr} size={200} />}</div>
}
