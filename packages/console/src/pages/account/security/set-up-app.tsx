import { type ReactNode, useEffect, useRef, useState } from 'react'
import style from './security.module.css'
import { securityTexts } from './texts.ts'
import { useFactorsChanged } from './use-factors-changed.ts'
import frame from '../account.module.css'
import { ask } from '../account-problem.ts'
import { useAct } from '../act.ts'
import { ActForm } from '../act-form.tsx'
import { fieldError } from '../problem.tsx'
import { accountTexts } from '../texts.ts'
import { accountClient } from '../../../api/account-client.ts'
import { useTexts } from '../../../language/texts.ts'
import { Button } from '../../../parts/button.tsx'
import { Copy } from '../../../parts/copy.tsx'
import { TextField } from '../../../parts/field.tsx'
import { Row } from '../../../parts/layout.tsx'
import { Qr } from '../../../parts/qr.tsx'
import { tell } from '../../../parts/toast.tsx'

/** What an authenticator app is given: a secret. */
export interface AppOffer {
  /** Base32. */
  readonly secret: string
  /** `otpauth:` */
  readonly url: string
}

/** Gives an app its secret, and takes the first code of it. @param onAdded Told whether recovery codes were made. */
export function SetUpApp({
  offer,
  onAdded,
  onClose,
}: {
  readonly offer: AppOffer
  onAdded(hasNewCodes: boolean): void
  onClose(): void
}): ReactNode {
  const texts = useTexts(securityTexts)
  const common = useTexts(accountTexts)
  const changed = useFactorsChanged()
  const [code, setCode] = useState('')
  const head = useRef<HTMLHeadingElement>(null)
  useEffect(() => head.current?.focus(), [])
  const { run, isBusy, problem } = useAct(async () => {
    const { meta } = await ask(() => accountClient.activateTotp({ code: code.replaceAll(/\s/g, '') }))
    await changed()
    tell(texts.appOn)
    onAdded(meta.recovery_codes_generated)
    onClose()
  })
  return (
    <div className={frame['panel']}>
      <h3 ref={head} tabIndex={-1}>
        {texts.scan}
      </h3>
      <p className={frame['soft']}>{texts.scanLead}</p>
      <Offer {...offer} />
      <ActForm problem={problem} fields={['code']} onSubmit={() => run()}>
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
      </ActForm>
    </div>
  )
}

function Offer({ secret, url }: AppOffer): ReactNode {
  const texts = useTexts(securityTexts)
  return (
    <div className={style['offer']}>
      <OfferQr url={url} />
      <div className={style['secret']}>
        <p>{texts.secret}</p>
        <code>{secret.replaceAll(/(.{4})(?=.)/g, '$1 ')}</code>
        <Copy text={secret} label={texts.copySecret} />
      </div>
    </div>
  )
}

/** The picture is drawn here: the secret goes nowhere. Without it the secret below can be typed. */
function OfferQr({ url }: { readonly url: string }): ReactNode {
  const texts = useTexts(securityTexts)
  const [svg, setSvg] = useState<string | null>(null)
  useEffect(() => {
    let isWanted = true
    void import('./qr-picture.ts').then(
      ({ qrPicture }) => isWanted && setSvg(qrPicture(url)),
      () => undefined, // a new build took its place: the secret is there to be typed
    )
    return () => {
      isWanted = false
    }
  }, [url])
  return <div className={style['qr']}>{svg !== null && <Qr svg={svg} label={texts.qr} size={200} />}</div>
}
