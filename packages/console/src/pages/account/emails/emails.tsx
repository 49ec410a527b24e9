import type { EmailAddress } from '@gatepost/auth/client'
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { EmailRow } from './address-row.tsx'
import { emailTexts } from './texts.ts'
import style from '../account.module.css'
import { callAccountApi, InputRejected } from '../account-problem.ts'
import { setAccountQuery, useAccountQuery } from '../account-reads.ts'
import { useConfirmedAction } from '../act.ts'
import { ActionForm } from '../act-form.tsx'
import { fieldError } from '../problem.tsx'
import { accountClient } from '../../../api/account-client.ts'
import { useTexts } from '../../../language/texts.ts'
import { Button } from '../../../parts/button.tsx'
import { TextField } from '../../../parts/field.tsx'
import { Card } from '../../../parts/layout.tsx'
import { Loaded } from '../../../parts/states.tsx'

/** The section of email addresses. */
export function Emails(): ReactNode {
  const texts = useTexts(emailTexts)
  const emails = useAccountQuery('emails')
  const isByCode = useAccountQuery('config').data?.account.email_verification_by_code_enabled === true
  /** The address that got the latest verification email. */
  const [mailed, setMailed] = useState<string | null>(null)
  return (
    <>
      <Card title={texts.title}>
        <p className={style['soft']}>{texts.lead}</p>
        <Loaded of={emails}>
          {(found) => <EmailList found={found ?? []} isByCode={isByCode} mailed={mailed} onMailed={setMailed} />}
        </Loaded>
      </Card>
      <Card title={texts.add}>
        <AddEmail onAdded={setMailed} />
      </Card>
    </>
  )
}

function EmailList({
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
        <EmailRow
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

/** Adds an address. @throws {ApiError} `unauthorized` if signed out, which the API reports as an unfinished sign-up */
async function addEmail(email: string) {
  const answer = await callAccountApi(() => accountClient.addEmail({ email }), [409])
  if (answer.status === 200) return answer
  await callAccountApi(() => accountClient.getSession())
  throw new InputRejected([{ code: 'step_over', message: '' }])
}

function AddEmail({ onAdded }: { onAdded(email: string): void }): ReactNode {
  const texts = useTexts(emailTexts)
  const client = useQueryClient()
  const [email, setEmail] = useState('')
  const { run, isBusy, problem } = useConfirmedAction(async () => {
    const { data } = await addEmail(email)
    setAccountQuery(client, 'emails', data)
    setEmail('')
    // normalized by the service
    onAdded(data.find((one) => one.email.toLowerCase() === email.trim().toLowerCase())?.email ?? email)
  })
  return (
    <ActionForm problem={problem} fields={['email']} onSubmit={() => run()}>
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
    </ActionForm>
  )
}
