import { getPasskey } from '@gatepost/auth/client'
import { type ReactNode, type RefObject, useState } from 'react'
import { confirmTexts } from './texts.ts'
import type { Way } from './ways.ts'
import { ask, ConfirmationNeeded, InputRefused } from '../account-problem.ts'
import { ActForm } from '../act-form.tsx'
import { withPasskey } from '../passkey-refusal.ts'
import { fieldError } from '../problem.tsx'
import { useWork } from '../work.ts'
import { accountClient } from '../../../api/account-client.ts'
import { useTexts } from '../../../language/texts.ts'
import { Button } from '../../../parts/button.tsx'
import { DialogActions } from '../../../parts/dialog.tsx'
import { TextField } from '../../../parts/field.tsx'

/** Confirms in one way. @throws {InputRefused} @throws {ApiError} */
async function confirmBy(way: Way, typed: string): Promise<void> {
  try {
    if (way === 'password') await ask(() => accountClient.reauthenticate({ password: typed }))
    else if (way === 'code') await ask(() => accountClient.reauthenticateByCode({ code: typed }))
    else {
      const { data } = await ask(() => accountClient.getWebauthnReauthentication())
      const credential = await withPasskey(() => getPasskey(data.request_options))
      await ask(() => accountClient.reauthenticateByWebauthn({ credential }))
    }
  } catch (error) {
    // a proof that does not count is no proof, whatever the service would rather have
    if (error instanceof ConfirmationNeeded) throw new InputRefused([{ code: 'incorrect_code', message: '' }])
    throw error
  }
}

/** What is typed or done to confirm who one is, in one way. */
export function WayForm({
  way,
  first,
  onConfirmed,
}: {
  readonly way: Way
  readonly first: RefObject<HTMLInputElement | null>
  onConfirmed(): void
}): ReactNode {
  const texts = useTexts(confirmTexts)
  const [typed, setTyped] = useState('')
  const { run, isBusy, problem } = useWork(async () => {
    await confirmBy(way, typed)
    onConfirmed()
  })
  return (
    <ActForm problem={problem} fields={way === 'passkey' ? [] : [way]} onSubmit={() => run()}>
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
    </ActForm>
  )
}
