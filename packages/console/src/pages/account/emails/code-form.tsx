import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { emailTexts } from './texts.ts'
import style from '../account.module.css'
import { ask, InputRefused } from '../account-problem.ts'
import { readAgain } from '../account-reads.ts'
import { useAct, useToldAct } from '../act.ts'
import { ActForm } from '../act-form.tsx'
import { fieldError } from '../problem.tsx'
import { accountTexts } from '../texts.ts'
import { accountClient } from '../../../api/account-client.ts'
import { useTexts } from '../../../language/texts.ts'
import { Button } from '../../../parts/button.tsx'
import { TextField } from '../../../parts/field.tsx'
import { Row } from '../../../parts/layout.tsx'
import { tell } from '../../../parts/toast.tsx'

/** Takes the code that was mailed to an address. */
export function CodeForm({ email, onClose }: { readonly email: string; onClose(): void }): ReactNode {
  const texts = useTexts(emailTexts)
  const common = useTexts(accountTexts)
  const client = useQueryClient()
  const [code, setCode] = useState('')
  const { run, isBusy, problem } = useAct(async () => {
    await ask(() => accountClient.verifyEmail({ key: code }))
    await readAgain(client, 'emails')
    tell(texts.isVerified(email))
    onClose()
  })
  const again = useToldAct(async () => {
    const { status } = await ask(() => accountClient.resendEmailVerification(), [409])
    if (status === 409) throw new InputRefused([{ code: 'no_more_codes', message: '' }])
    tell(texts.codeSent)
  })
  return (
    <div className={style['panel']}>
      <ActForm problem={problem} fields={['key']} onSubmit={() => run()}>
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
      </ActForm>
    </div>
  )
}
