import { createPasskey } from '@gatepost/auth/client'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { securityTexts } from './texts.ts'
import { useRefreshFactors } from './use-factors-changed.ts'
import style from '../account.module.css'
import { callAccountApi } from '../account-problem.ts'
import { useAccountQuery } from '../account-reads.ts'
import { useConfirmedAction } from '../act.ts'
import { ActionForm } from '../act-form.tsx'
import { requestPasskey } from '../passkey-refusal.ts'
import { fieldError } from '../problem.tsx'
import { accountTexts } from '../texts.ts'
import { accountClient } from '../../../api/account-client.ts'
import { useTexts } from '../../../language/texts.ts'
import { Button } from '../../../parts/button.tsx'
import { Checkbox, TextField } from '../../../parts/field.tsx'
import { Row } from '../../../parts/layout.tsx'
import { notify } from '../../../parts/toast.tsx'

/** A form that adds a passkey or security key. @param onAdded Called with whether recovery codes were generated. */
export function AddPasskey({ onAdded, onClose }: { onAdded(hasNewCodes: boolean): void; onClose(): void }): ReactNode {
  const texts = useTexts(securityTexts)
  const common = useTexts(accountTexts)
  const changed = useRefreshFactors()
  const mayBeAlone = useAccountQuery('config').data?.mfa?.passkey_login_enabled === true
  const [name, setName] = useState('')
  const [isAlone, setAlone] = useState(true)
  const first = useRef<HTMLInputElement>(null)
  useEffect(() => first.current?.focus(), [])
  const { run, isBusy, problem } = useConfirmedAction(async () => {
    const options = await callAccountApi(() =>
      accountClient.getWebauthnCreation({ passwordless: mayBeAlone && isAlone }),
    )
    const credential = await requestPasskey(() => createPasskey(options.data.creation_options))
    const { data, meta } = await callAccountApi(() =>
      accountClient.addWebauthn({ ...(name.trim() !== '' && { name: name.trim() }), credential }),
    )
    await changed()
    notify(texts.keyAdded(data.name))
    onAdded(meta.recovery_codes_generated)
    onClose()
  })
  return (
    <div className={style['panel']}>
      <ActionForm problem={problem} fields={['name']} onSubmit={() => run()}>
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
          <Checkbox label={texts.passwordless} hint={texts.passwordlessHint} checked={isAlone} onChange={setAlone} />
        )}
        <Row>
          <Button kind="primary" type="submit" busy={isBusy}>
            {texts.createKey}
          </Button>
          <Button onClick={onClose}>{common.cancel}</Button>
        </Row>
      </ActionForm>
    </div>
  )
}
