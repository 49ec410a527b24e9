import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { passwordTexts } from './texts.ts'
import style from '../account.module.css'
import { ask } from '../account-problem.ts'
import { readAgain, useRead } from '../account-reads.ts'
import { useAct } from '../act.ts'
import { ActForm } from '../act-form.tsx'
import { fieldError } from '../problem.tsx'
import { accountClient } from '../../../api/account-client.ts'
import { useSession } from '../../../api/session.ts'
import { useTexts } from '../../../language/texts.ts'
import { Button } from '../../../parts/button.tsx'
import { CheckField, TextField } from '../../../parts/field.tsx'
import { Card } from '../../../parts/layout.tsx'
import { Loaded } from '../../../parts/states.tsx'
import { tell } from '../../../parts/toast.tsx'

/** One's password: another one, or the first. */
export function Password(): ReactNode {
  const texts = useTexts(passwordTexts)
  const session = useRead('session')
  const hasOne = session.data?.user.has_usable_password !== false
  return (
    <Card title={hasOne ? texts.change : texts.set}>
      <Loaded of={session}>
        {() => (
          <>
            <p className={style['soft']}>{hasOne ? texts.changeLead : texts.setLead}</p>
            <PasswordForm hasOne={hasOne} />
          </>
        )}
      </Loaded>
    </Card>
  )
}

function PasswordForm({ hasOne }: { readonly hasOne: boolean }): ReactNode {
  const texts = useTexts(passwordTexts)
  const { me } = useSession()
  const client = useQueryClient()
  const [current, setCurrent] = useState('')
  const [next, setNext] = useState('')
  const [isShown, setShown] = useState(false)
  const { run, isBusy, problem } = useAct(async () => {
    await ask(() => accountClient.changePassword({ ...(hasOne && { current_password: current }), new_password: next }))
    setCurrent('')
    setNext('')
    setShown(false)
    tell(hasOne ? texts.changed : texts.isSet)
    await readAgain(client, 'session', 'sessions')
  })
  const type = isShown ? 'text' : 'password'
  return (
    <ActForm problem={problem} fields={['current_password', 'new_password']} onSubmit={() => run()}>
      {/* whose password it is, for the browser's list of passwords */}
      <input type="text" autoComplete="username" value={me.user?.email ?? ''} readOnly hidden />
      {hasOne && (
        <TextField
          label={texts.current}
          type={type}
          autoComplete="current-password"
          value={current}
          onChange={setCurrent}
          error={fieldError(problem, 'current_password')}
        />
      )}
      <TextField
        label={texts.next}
        hint={texts.hint}
        type={type}
        autoComplete="new-password"
        value={next}
        onChange={setNext}
        error={fieldError(problem, 'new_password')}
      />
      <CheckField label={texts.show} checked={isShown} onChange={setShown} />
      <div>
        <Button kind="primary" type="submit" busy={isBusy}>
          {texts.save}
        </Button>
      </div>
    </ActForm>
  )
}
