import type { EmailAddress } from '@gatepost/auth/client'
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { accountClient } from '../../api/client.ts'
import { defineTexts, useTexts } from '../../language/language.ts'
import { Badge, Notice } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { ConfirmButton } from '../../parts/dialog.tsx'
import { TextField } from '../../parts/field.tsx'
import { Card, Row } from '../../parts/layout.tsx'
import { Loaded } from '../../parts/states.tsx'
import { notify } from '../../parts/toast.tsx'
import { ActionForm, fieldError } from './account-action.tsx'
import {
  callAccountApi,
  InputRejected,
  refreshAccountQueries,
  setAccountQuery,
  useAccountQuery,
} from './account-api.ts'
import style from './account.module.css'
import { useConfirmedAction, useNotifiedAction } from './reauthentication.tsx'
import { accountTexts } from './texts.ts'

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
        <Loaded query={emails}>
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
  const answer = await callAccountApi(() => accountClient().addEmail({ email }), [409])
  if (answer.status === 200) return answer
  await callAccountApi(() => accountClient().getSession())
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

interface EmailRowProps {
  readonly address: EmailAddress
  readonly isByCode: boolean
  readonly mayBePrimary: boolean
  readonly isMailed: boolean
  onMailed(isMailed: boolean): void
}

/** An email address with its actions. */
function EmailRow({ address, isByCode, mayBePrimary, isMailed, onMailed }: EmailRowProps): ReactNode {
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
          aria-label={isByCode ? texts.enterCodeLabel(email) : texts.sendLinkLabel(email)}
          busy={acts.send.isBusy}
          onClick={() => acts.send.run(() => onMailed(true))}
        >
          {isByCode ? texts.enterCode : texts.sendLink}
        </Button>
      )}
      {mayBePrimary && (
        <Button
          small
          aria-label={texts.makePrimaryLabel(email)}
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
          label={texts.removeLabel(email)}
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
    const { data } = await callAccountApi(() => accountClient().makeEmailPrimary({ email, primary: true }))
    setAccountQuery(client, 'emails', data)
    await client.invalidateQueries({ queryKey: ['whoAmI'] })
    notify(texts.isPrimary(email))
  })
  const remove = useNotifiedAction(async () => {
    const { data } = await callAccountApi(() => accountClient().removeEmail({ email }))
    setAccountQuery(client, 'emails', data)
    notify(texts.removed(email))
  })
  const send = useNotifiedAction<() => void>(async (sent) => {
    const { status } = await callAccountApi(() => accountClient().sendEmailVerification({ email }), [403])
    // a code sent earlier still works
    if (status === 403 && !isByCode) throw new InputRejected([{ code: 'mail_not_sent', message: '' }])
    sent()
  })
  return { prefer, remove, send }
}

/** A form for the code sent to an address. */
function CodeForm({ email, onClose }: { readonly email: string; onClose(): void }): ReactNode {
  const texts = useTexts(emailTexts)
  const common = useTexts(accountTexts)
  const client = useQueryClient()
  const [code, setCode] = useState('')
  const { run, isBusy, problem } = useConfirmedAction(async () => {
    await callAccountApi(() => accountClient().verifyEmail({ key: code }))
    await refreshAccountQueries(client, 'emails')
    notify(texts.isVerified(email))
    onClose()
  })
  const again = useNotifiedAction(async () => {
    const { status } = await callAccountApi(() => accountClient().resendEmailVerification(), [409])
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

/** Texts of email addresses. */
const emailTexts = defineTexts({
  en: {
    title: 'Email addresses',
    lead: 'You can sign in with any verified address. Emails from Gatepost go to your primary address.',
    none: 'No email addresses yet.',
    primary: 'Primary',
    verified: 'Verified',
    unverified: 'Not verified',
    makePrimary: 'Make primary',
    makePrimaryLabel: (email: string) => `Make ${email} primary`,
    sendLink: 'Resend link',
    sendLinkLabel: (email: string) => `Resend the link to ${email}`,
    enterCode: 'Verify with code',
    enterCodeLabel: (email: string) => `Verify ${email} with a code`,
    remove: 'Remove',
    removeLabel: (email: string) => `Remove ${email}`,
    removeTitle: 'Remove this email address?',
    removeLead: (email: string) => `You'll no longer be able to sign in with ${email} or receive emails there.`,
    removed: (email: string) => `${email} removed.`,
    isPrimary: (email: string) => `${email} is now your primary address.`,
    add: 'Add an email address',
    email: 'Email address',
    addIt: 'Add',
    linkSent: (email: string) => `We sent a verification link to ${email}. Open it, then come back to this page.`,
    code: (email: string) => `Code sent to ${email}`,
    codeHint: 'The email can take a minute to arrive. Check your spam folder too.',
    verify: 'Verify',
    sendCode: 'Resend code',
    codeSent: 'We sent a new code. The previous one no longer works.',
    isVerified: (email: string) => `${email} verified.`,
  },
  zh: {
    title: '邮箱',
    lead: '已验证的邮箱均可用于登录。Gatepost 的邮件会发送到主邮箱。',
    none: '暂无邮箱。',
    primary: '主邮箱',
    verified: '已验证',
    unverified: '未验证',
    makePrimary: '设为主邮箱',
    makePrimaryLabel: (email) => `将 ${email} 设为主邮箱`,
    sendLink: '重新发送验证链接',
    sendLinkLabel: (email) => `向 ${email} 重新发送验证链接`,
    enterCode: '用验证码验证',
    enterCodeLabel: (email) => `用验证码验证 ${email}`,
    remove: '移除',
    removeLabel: (email) => `移除 ${email}`,
    removeTitle: '移除此邮箱？',
    removeLead: (email) => `移除后将无法使用 ${email} 登录，也不会再收到邮件。`,
    removed: (email) => `已移除 ${email}。`,
    isPrimary: (email) => `${email} 已设为主邮箱。`,
    add: '添加邮箱',
    email: '邮箱地址',
    addIt: '添加',
    linkSent: (email) => `验证链接已发送至 ${email}，请打开链接后返回此页面。`,
    code: (email) => `发送至 ${email} 的验证码`,
    codeHint: '邮件可能需要一分钟送达，也请检查垃圾邮件。',
    verify: '验证',
    sendCode: '重新发送验证码',
    codeSent: '新的验证码已发送，之前的验证码已失效。',
    isVerified: (email) => `${email} 已验证。`,
  },
})
