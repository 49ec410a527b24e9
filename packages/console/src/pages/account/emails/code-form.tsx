import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { emailTexts } from './texts.ts'
import style from '../account.module.css'
import { callAccountApi, InputRejected } from '../account-problem.ts'
import { refreshAccountQueries } from '../account-reads.ts'
import { useConfirmedAction, useNotifiedAction } from '../act.ts'
import { ActionForm } from '../act-form.tsx'
import { fieldError } from '../problem.tsx'
import { accountTexts } from '../texts.ts'
import { accountClient } from '../../../api/account-client.ts'
import { useTexts } from '../../../language/texts.ts'
import { Button } from '../../../parts/button.tsx'
import { TextField } from '../../../parts/field.tsx'
import { Row } from '../../../parts/layout.tsx'
import { notify } from '../../../parts/toast.tsx'

/** A form for the code sent to an address. */
export function CodeForm({ email, onClose }: { readonly email: string; onClose(): void }): ReactNode {
  const texts = useTexts(emailTexts)
  const common = useTexts(accountTexts)
  const client = useQueryClient()
  const [code, setCode] = useState('')
  const { run, isBusy, problem } = useConfirmedAction(async () => {
    await callAccountApi(() => accountClient.verifyEmail({ key: code }))
    await refreshAccountQueries(client, 'emails')
    notify(texts.isVerified(email))
    onClose()
  })
  const again = useNotifiedAction(async () => {
    const { status } = await callAccountApi(() => accountClient.resendEmailVerification(), [409])
    if (status === 409) throw new InputRejected([{ code: 'no_more_codes', message: '' }])
    notify(texts.codeSent)
  })
  return (
    <div className={style['panel']}>
      <ActionForm problem={problem} fields={['key']} onSubmit={() => run()}>
        <TextField
          label={texts.code(email)}
          hint={texts.codeHint}
          autoComplete="one-time-code"
          mono
          value={code}
          onChange={setCode}
          error={fieldError(problem, 'key')}
        />
        <Row>
          <Button kind="primary" type="submit" busy={isBusy}>
            {texts.verify}
          </Button>
          <Button busy={again.isBusy} onClick={() => again.run()}>
            {texts.sendCode}
          </Button>
          <Button kind="quiet" onClick={onClose}>
            {common.cancel}
          </Button>
        </Row>
      </ActionForm>
    </div>
  )
}
