import { createPasskey } from '@gatepost/auth/client'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { securityTexts } from './texts.ts'
import { useFactorsChanged } from './use-factors-changed.ts'
import style from '../account.module.css'
import { ask } from '../account-problem.ts'
import { useRead } from '../account-reads.ts'
import { useAct } from '../act.ts'
import { ActForm } from '../act-form.tsx'
import { withPasskey } from '../passkey-refusal.ts'
import { fieldError } from '../problem.tsx'
import { accountTexts } from '../texts.ts'
import { accountClient } from '../../../api/account-client.ts'
import { useTexts } from '../../../language/texts.ts'
import { Button } from '../../../parts/button.tsx'
import { CheckField, TextField } from '../../../parts/field.tsx'
import { Row } from '../../../parts/layout.tsx'
import { tell } from '../../../parts/toast.tsx'

/** Adds a passkey or security key. @param onAdded Told whether recovery codes were made with it. */
export function AddKey({ onAdded, onClose }: { onAdded(hasNewCodes: boolean): void; onClose(): void }): ReactNode {
  const texts = useTexts(securityTexts)
  const common = useTexts(accountTexts)
  const changed = useFactorsChanged()
  const mayBeAlone = useRead('config').data?.mfa?.passkey_login_enabled === true
  const [name, setName] = useState('')
  const [isAlone, setAlone] = useState(true)
  const first = useRef<HTMLInputElement>(null)
  useEffect(() => first.current?.focus(), [])
  const { run, isBusy, problem } = useAct(async () => {
    const options = await ask(() => accountClient.getWebauthnCreation({ passwordless: mayBeAlone && isAlone }))
    const credential = await withPasskey(() => createPasskey(options.data.creation_options))
    const { data, meta } = await ask(() =>
      accountClient.addWebauthn({ ...(name.trim() !== '' && { name: name.trim() }), credential }),
    )
    await changed()
    tell(texts.keyAdded(data.name))
    onAdded(meta.recovery_codes_generated)
    onClose()
  })
  return (
    <div className={style['panel']}>
      <ActForm problem={problem} fields={['name']} onSubmit={() => run()}>
        <TextField
          ref={first}
          label={texts.keyName}
          hint={texts.keyNameHint}
          maxLength={100}
          value={name}
          onChange={setName}
          error={fieldError(problem, 'name')}
        />
        {mayBeAlone && (
          <CheckField label={texts.passwordless} hint={texts.passwordlessHint} checked={isAlone} onChange={setAlone} />
        )}
        <Row>
          <Button kind="primary" type="submit" busy={isBusy}>
            {texts.createKey}
          </Button>
          <Button onClick={onClose}>{common.cancel}</Button>
        </Row>
      </ActForm>
    </div>
  )
}
