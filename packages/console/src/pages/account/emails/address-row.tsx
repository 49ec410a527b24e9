import type { EmailAddress } from '@gatepost/auth/client'
import { useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { CodeForm } from './code-form.tsx'
import { emailTexts } from './texts.ts'
import style from '../account.module.css'
import { callAccountApi, InputRejected } from '../account-problem.ts'
import { setAccountQuery } from '../account-reads.ts'
import { useNotifiedAction } from '../act.ts'
import { ConfirmButton } from '../asked-button.tsx'
import { accountClient } from '../../../api/account-client.ts'
import { useTexts } from '../../../language/texts.ts'
import { Badge, Notice } from '../../../parts/badge.tsx'
import { Button } from '../../../parts/button.tsx'
import { Row } from '../../../parts/layout.tsx'
import { notify } from '../../../parts/toast.tsx'

interface EmailRowProps {
  readonly address: EmailAddress
  readonly isByCode: boolean
  readonly mayBePrimary: boolean
  readonly isMailed: boolean
  onMailed(isMailed: boolean): void
}

/** An email address with its actions. */
export function EmailRow({ address, isByCode, mayBePrimary, isMailed, onMailed }: EmailRowProps): ReactNode {
  const texts = useTexts(emailTexts)
  const { email, verified, primary } = address
  return (
    <li className={style['item']}>
      <div className={style['what']}>
        <span className={style['name']}>{email}</span>
        <Row>
          {primary && <Badge tone="accent">{texts.primary}</Badge>}
          {verified ? <Badge tone="good">{texts.verified}</Badge> : <Badge tone="warn">{texts.unverified}</Badge>}
        </Row>
        <div role="status">{isMailed && !isByCode && <Notice tone="accent">{texts.linkSent(email)}</Notice>}</div>
      </div>
      <Row>
        <EmailButtons {...{ address, isByCode, mayBePrimary, isMailed, onMailed }} />
      </Row>
      {isMailed && isByCode && (
        <div className={style['full']}>
          <CodeForm email={email} onClose={() => onMailed(false)} />
        </div>
      )}
    </li>
  )
}

function EmailButtons({ address, isByCode, mayBePrimary, isMailed, onMailed }: EmailRowProps): ReactNode {
  const texts = useTexts(emailTexts)
  const { email, verified, primary } = address
  const acts = useEmailActions(address, isByCode)
  return (
    <>
      {!verified && !(isMailed && isByCode) && (
        <Button
          small
          aria-label={isByCode ? texts.enterCodeOf(email) : texts.sendLinkTo(email)}
          busy={acts.send.isBusy}
          onClick={() => acts.send.run(() => onMailed(true))}
        >
          {isByCode ? texts.enterCode : texts.sendLink}
        </Button>
      )}
      {mayBePrimary && (
        <Button
          small
          aria-label={texts.makePrimaryOf(email)}
          busy={acts.prefer.isBusy}
          onClick={() => acts.prefer.run()}
        >
          {texts.makePrimary}
        </Button>
      )}
      {!primary && (
        <ConfirmButton
          small
          act={texts.remove}
          label={texts.removeOf(email)}
          title={texts.removeTitle}
          lead={texts.removeLead(email)}
          busy={acts.remove.isBusy}
          onConfirm={() => acts.remove.run()}
        />
      )}
    </>
  )
}

function useEmailActions({ email }: EmailAddress, isByCode: boolean) {
  const texts = useTexts(emailTexts)
  const client = useQueryClient()
  const prefer = useNotifiedAction(async () => {
    const { data } = await callAccountApi(() => accountClient.makeEmailPrimary({ email, primary: true }))
    setAccountQuery(client, 'emails', data)
    await client.invalidateQueries({ queryKey: ['whoAmI'] })
    notify(texts.isPrimary(email))
  })
  const remove = useNotifiedAction(async () => {
    const { data } = await callAccountApi(() => accountClient.removeEmail({ email }))
    setAccountQuery(client, 'emails', data)
    notify(texts.removed(email))
  })
  const send = useNotifiedAction<() => void>(async (sent) => {
    const { status } = await callAccountApi(() => accountClient.sendEmailVerification({ email }), [403])
    // a code sent earlier still works
    if (status === 403 && !isByCode) throw new InputRejected([{ code: 'mail_not_sent', message: '' }])
    sent()
  })
  return { prefer, remove, send }
}
