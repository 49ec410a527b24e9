import { getPasskey } from '@gatepost/auth/client'
import { type ReactNode, type RefObject, useState } from 'react'
import { reauthenticationTexts } from './texts.ts'
import type { ReauthenticationMethod } from './ways.ts'
import { callAccountApi, ReauthenticationRequired, InputRejected } from '../account-problem.ts'
import { ActionForm } from '../act-form.tsx'
import { requestPasskey } from '../passkey-refusal.ts'
import { fieldError } from '../problem.tsx'
import { useAccountAction } from '../work.ts'
import { accountClient } from '../../../api/account-client.ts'
import { useTexts } from '../../../language/texts.ts'
import { Button } from '../../../parts/button.tsx'
import { DialogActions } from '../../../parts/dialog.tsx'
import { TextField } from '../../../parts/field.tsx'

/** Reauthenticates with one method. @throws {InputRejected} @throws {ApiError} */
async function reauthenticateBy(way: ReauthenticationMethod, typed: string): Promise<void> {
  try {
    if (way === 'password') await callAccountApi(() => accountClient.reauthenticate({ password: typed }))
    else if (way === 'code') await callAccountApi(() => accountClient.reauthenticateByCode({ code: typed }))
    else {
      const { data } = await callAccountApi(() => accountClient.getWebauthnReauthentication())
      const credential = await requestPasskey(() => getPasskey(data.request_options))
      await callAccountApi(() => accountClient.reauthenticateByWebauthn({ credential }))
    }
  } catch (error) {
    // the service may ask for another method instead: for this one it's a failure
    if (error instanceof ReauthenticationRequired) throw new InputRejected([{ code: 'incorrect_code', message: '' }])
    throw error
  }
}

/** The form of one reauthentication method. */
export function MethodForm({
  way,
  first,
  onConfirmed,
}: {
  readonly way: ReauthenticationMethod
  readonly first: RefObject<HTMLInputElement | null>
  onConfirmed(): void
}): ReactNode {
  const texts = useTexts(reauthenticationTexts)
  const [typed, setTyped] = useState('')
  const { run, isBusy, problem } = useAccountAction(async () => {
    await reauthenticateBy(way, typed)
    onConfirmed()
  })
  return (
    <ActionForm problem={problem} fields={way === 'passkey' ? [] : [way]} onSubmit={() => run()}>
      {way === 'passkey' ? (
        <p>{texts.passkeyLead}</p>
      ) : (
        <TextField
          key={way}
          ref={first}
          label={texts[way]}
          type={way === 'password' ? 'password' : 'text'}
          autoComplete={way === 'password' ? 'current-password' : 'one-time-code'}
          inputMode={way === 'code' ? 'numeric' : 'text'}
          value={typed}
          onChange={setTyped}
          error={fieldError(problem, way)}
        />
      )}
      <DialogActions>
        <Button kind="primary" type="submit" busy={isBusy}>
          {way === 'passkey' ? texts.usePasskey : texts.confirm}
        </Button>
      </DialogActions>
    </ActionForm>
  )
}
