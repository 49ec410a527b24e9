import { type ReactNode, useEffect, useRef, useState } from 'react'
import style from './security.module.css'
import { securityTexts } from './texts.ts'
import { useRefreshFactors } from './use-factors-changed.ts'
import frame from '../account.module.css'
import { callAccountApi } from '../account-problem.ts'
import { useConfirmedAction } from '../act.ts'
import { ActionForm } from '../act-form.tsx'
import { fieldError } from '../problem.tsx'
import { accountTexts } from '../texts.ts'
import { accountClient } from '../../../api/account-client.ts'
import { useTexts } from '../../../language/texts.ts'
import { Button } from '../../../parts/button.tsx'
import { CopyButton } from '../../../parts/copy.tsx'
import { TextField } from '../../../parts/field.tsx'
import { Row } from '../../../parts/layout.tsx'
import { QrImage } from '../../../parts/qr.tsx'
import { notify } from '../../../parts/toast.tsx'

/** The secret for an authenticator app. */
export interface AppSecret {
  /** Base32. */
  readonly secret: string
  /** `otpauth:` */
  readonly url: string
}

/** Sets up an authenticator app. @param onAdded Called with whether recovery codes were generated. */
export function SetUpApp({
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
    const { meta } = await callAccountApi(() => accountClient.activateTotp({ code: code.replaceAll(/\s/g, '') }))
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

/** The QR code is drawn in the browser, so the secret isn't sent anywhere. */
function SecretQr({ url }: { readonly url: string }): ReactNode {
  const texts = useTexts(securityTexts)
  const [svg, setSvg] = useState<string | null>(null)
  useEffect(() => {
    let isWanted = true
    void import('./qr-picture.ts').then(
      ({ drawQr: qrPicture }) => isWanted && setSvg(qrPicture(url)),
      () => undefined, // a new build was deployed: the secret can still be typed
    )
    return () => {
      isWanted = false
    }
  }, [url])
  return <div className={style['qr']}>{svg !== null && <QrImage svg={svg} label={texts.qr} size={200} />}</div>
}
