import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { passwordTexts } from './texts.ts'
import style from '../account.module.css'
import { callAccountApi } from '../account-problem.ts'
import { refreshAccountQueries, useAccountQuery } from '../account-reads.ts'
import { useConfirmedAction } from '../act.ts'
import { ActionForm } from '../act-form.tsx'
import { fieldError } from '../problem.tsx'
import { accountClient } from '../../../api/account-client.ts'
import { useSession } from '../../../api/session.ts'
import { useTexts } from '../../../language/texts.ts'
import { Button } from '../../../parts/button.tsx'
import { Checkbox, TextField } from '../../../parts/field.tsx'
import { Card } from '../../../parts/layout.tsx'
import { Loaded } from '../../../parts/states.tsx'
import { notify } from '../../../parts/toast.tsx'

/** The section to change or set the password. */
export function Password(): ReactNode {
  const texts = useTexts(passwordTexts)
  const session = useAccountQuery('session')
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
  const { run, isBusy, problem } = useConfirmedAction(async () => {
    await callAccountApi(() =>
      accountClient.changePassword({ ...(hasOne && { current_password: current }), new_password: next }),
    )
    setCurrent('')
    setNext('')
    setShown(false)
    notify(hasOne ? texts.changed : texts.isSet)
    await refreshAccountQueries(client, 'session', 'sessions')
  })
  const type = isShown ? 'text' : 'password'
  return (
    <ActionForm problem={problem} fields={['current_password', 'new_password']} onSubmit={() => run()}>
      {/* tells password managers which account it is */}
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
      <Checkbox label={texts.show} checked={isShown} onChange={setShown} />
      <div>
        <Button kind="primary" type="submit" busy={isBusy}>
          {texts.save}
        </Button>
      </div>
    </ActionForm>
  )
}
