import type { EmailAddress } from '@gatepost/auth/client'
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { AddressRow } from './address-row.tsx'
import { emailTexts } from './texts.ts'
import style from '../account.module.css'
import { ask, InputRefused } from '../account-problem.ts'
import { keepRead, useRead } from '../account-reads.ts'
import { useAct } from '../act.ts'
import { ActForm } from '../act-form.tsx'
import { fieldError } from '../problem.tsx'
import { accountClient } from '../../../api/account-client.ts'
import { useTexts } from '../../../language/texts.ts'
import { Button } from '../../../parts/button.tsx'
import { TextField } from '../../../parts/field.tsx'
import { Card } from '../../../parts/layout.tsx'
import { Loaded } from '../../../parts/states.tsx'

/** One's e-mail addresses. */
export function Emails(): ReactNode {
  const texts = useTexts(emailTexts)
  const emails = useRead('emails')
  const isByCode = useRead('config').data?.account.email_verification_by_code_enabled === true
  /** The address to which a mail went last: its code is typed, or its link is opened. */
  const [mailed, setMailed] = useState<string | null>(null)
  return (
    <>
      <Card title={texts.title}>
        <p className={style['soft']}>{texts.lead}</p>
        <Loaded of={emails}>
          {(found) => <Addresses found={found ?? []} isByCode={isByCode} mailed={mailed} onMailed={setMailed} />}
        </Loaded>
      </Card>
      <Card title={texts.add}>
        <AddAddress onAdded={setMailed} />
      </Card>
    </>
  )
}

function Addresses({
  found,
  isByCode,
  mailed,
  onMailed,
}: {
  readonly found: readonly EmailAddress[]
  readonly isByCode: boolean
  readonly mailed: string | null
  onMailed(email: string | null): void
}): ReactNode {
  const texts = useTexts(emailTexts)
  if (found.length === 0) return <p>{texts.none}</p>
  const isAnyVerified = found.some(({ verified }) => verified)
  return (
    <ul className={style['list']}>
      {found.map((address) => (
        <AddressRow
          key={address.email}
          address={address}
          isByCode={isByCode}
          mayBePrimary={!address.primary && (address.verified || !isAnyVerified)}
          isMailed={mailed === address.email && !address.verified}
          onMailed={(isMailed) => onMailed(isMailed ? address.email : null)}
        />
      ))}
    </ul>
  )
}

/** @throws {ApiError} `unauthorized`: who is signed out could be in the middle of a sign-up, and is answered so */
async function add(email: string) {
  const answer = await ask(() => accountClient.addEmail({ email }), [409])
  if (answer.status === 200) return answer
  await ask(() => accountClient.getSession())
  throw new InputRefused([{ code: 'step_over', message: '' }])
}

function AddAddress({ onAdded }: { onAdded(email: string): void }): ReactNode {
  const texts = useTexts(emailTexts)
  const client = useQueryClient()
  const [email, setEmail] = useState('')
  const { run, isBusy, problem } = useAct(async () => {
    const { data } = await add(email)
    keepRead(client, 'emails', data)
    setEmail('')
    // as the service spells it
    onAdded(data.find((one) => one.email.toLowerCase() === email.trim().toLowerCase())?.email ?? email)
  })
  return (
    <ActForm problem={problem} fields={['email']} onSubmit={() => run()}>
      <TextField
        label={texts.email}
        type="email"
        autoComplete="email"
        value={email}
        onChange={setEmail}
        error={fieldError(problem, 'email')}
      />
      <div>
        <Button kind="primary" type="submit" busy={isBusy}>
          {texts.addIt}
        </Button>
      </div>
    </ActForm>
  )
}
