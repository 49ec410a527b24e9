import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { accountClient } from '../../api/client.ts'
import { useSession } from '../../api/session.ts'
import { defineTexts, useTexts } from '../../language/language.ts'
import { Button } from '../../parts/button.tsx'
import { Checkbox, TextField } from '../../parts/field.tsx'
import { Card } from '../../parts/layout.tsx'
import { Loaded } from '../../parts/states.tsx'
import { notify } from '../../parts/toast.tsx'
import { ActionForm, fieldError } from './account-action.tsx'
import { callAccountApi, refreshAccountQueries, useAccountQuery } from './account-api.ts'
import style from './account.module.css'
import { useConfirmedAction } from './reauthentication.tsx'

/** The section to change or set the password. */
export function Password(): ReactNode {
  const texts = useTexts(passwordTexts)
  const session = useAccountQuery('session')
  const hasOne = session.data?.user.has_usable_password !== false
  return (
    <Card title={hasOne ? texts.change : texts.set}>
      <Loaded query={session}>
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
      accountClient().changePassword({ ...(hasOne && { current_password: current }), new_password: next }),
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

/** Texts of the password section. */
const passwordTexts = defineTexts({
  en: {
    change: 'Change password',
    set: 'Set a password',
    changeLead: 'Changing your password signs you out on all other devices.',
    setLead: 'You sign in with a passkey or a connected account. You can also set a password.',
    current: 'Current password',
    next: 'New password',
    hint: 'Use several unrelated words. Common passwords and passwords based on your personal details are rejected.',
    show: 'Show password',
    save: 'Save password',
    changed: "Password changed. You've been signed out on all other devices.",
    isSet: 'Password set.',
  },
  zh: {
    change: '修改密码',
    set: '设置密码',
    changeLead: '修改密码后，其他设备将退出登录。',
    setLead: '您目前使用通行密钥或关联账号登录，也可以设置密码。',
    current: '当前密码',
    next: '新密码',
    hint: '建议使用几个互不相关的词组合。常见密码或包含个人信息的密码会被拒绝。',
    show: '显示密码',
    save: '保存密码',
    changed: '密码已修改，其他设备已退出登录。',
    isSet: '密码已设置。',
  },
})
