import type { EmailAddress } from '@gatepost/auth/client'
import { useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { CodeForm } from './code-form.tsx'
import { emailTexts } from './texts.ts'
import style from '../account.module.css'
import { ask, InputRefused } from '../account-problem.ts'
import { keepRead } from '../account-reads.ts'
import { useToldAct } from '../act.ts'
import { AskedButton } from '../asked-button.tsx'
import { accountClient } from '../../../api/account-client.ts'
import { useTexts } from '../../../language/texts.ts'
import { Badge, Notice } from '../../../parts/badge.tsx'
import { Button } from '../../../parts/button.tsx'
import { Row } from '../../../parts/layout.tsx'
import { tell } from '../../../parts/toast.tsx'

interface AddressRowProps {
  readonly address: EmailAddress
  readonly isByCode: boolean
  readonly mayBePrimary: boolean
  readonly isMailed: boolean
  onMailed(isMailed: boolean): void
}

/** One address, and what can be done with it. */
export function AddressRow({ address, isByCode, mayBePrimary, isMailed, onMailed }: AddressRowProps): ReactNode {
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
        <AddressButtons {...{ address, isByCode, mayBePrimary, isMailed, onMailed }} />
      </Row>
      {isMailed && isByCode && (
        <div className={style['full']}>
          <CodeForm email={email} onClose={() => onMailed(false)} />
        </div>
      )}
    </li>
  )
}

function AddressButtons({ address, isByCode, mayBePrimary, isMailed, onMailed }: AddressRowProps): ReactNode {
  const texts = useTexts(emailTexts)
  const { email, verified, primary } = address
  const acts = useAddressActs(address, isByCode)
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
        <AskedButton
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

function useAddressActs({ email }: EmailAddress, isByCode: boolean) {
  const texts = useTexts(emailTexts)
  const client = useQueryClient()
  const prefer = useToldAct(async () => {
    const { data } = await ask(() => accountClient.makeEmailPrimary({ email, primary: true }))
    keepRead(client, 'emails', data)
    await client.invalidateQueries({ queryKey: ['whoAmI'] })
    tell(texts.isPrimary(email))
  })
  const remove = useToldAct(async () => {
    const { data } = await ask(() => accountClient.removeEmail({ email }))
    keepRead(client, 'emails', data)
    tell(texts.removed(email))
  })
  const send = useToldAct<() => void>(async (sent) => {
    const { status } = await ask(() => accountClient.sendEmailVerification({ email }), [403])
    // a code that was mailed before can be typed all the same
    if (status === 403 && !isByCode) throw new InputRefused([{ code: 'mail_not_sent', message: '' }])
    sent()
  })
  return { prefer, remove, send }
}
