import { here, settingUrl } from '../../kernel/http/next.ts'
import type { Account } from '../account.ts'
import type { BoundForm } from '../../kernel/forms/form.ts'
import type { PageAnswer } from '../../kernel/http/answer.ts'
import type { PageHandler } from '../../kernel/http/route.ts'
import type { Visit } from '../../kernel/visit.ts'
import { outcomeAnswer } from '../login/outcome-answer.ts'
import { entranceContext, nextContext } from '../page-context.ts'
import { sayWhenLimited, tell } from '../refusals.ts'
import { canChangeEmail } from './change-at-stage.ts'
import {
  canResendEmailCode,
  type EmailCodeTried,
  type PendingEmailCode,
  pendingEmailCode,
  resendEmailCode,
} from './code-verification.ts'
import { changeEmailForm, emailCodeForm } from './forms.ts'

/** Shows the page of the code; without a code that is waited for, the page where to begin. */
export function showEmailCode(account: Account): PageHandler {
  return async (request) => {
    const pending = await pendingEmailCode(account, request)
    return pending === null ? nothingPending(request) : codePage(account, request, pending)
  }
}

/** Takes the code, sends another one, or takes another address. */
export function takeEmailCode(account: Account): PageHandler {
  return async (request) => {
    const pending = await pendingEmailCode(account, request)
    if (pending === null) return nothingPending(request)
    const action = request.form.get('action')
    if (action === 'resend') return resend(account, request, pending)
    if (action === 'change') return change(account, request, pending)
    const submitted = await account.kernel.forms.submit(emailCodeForm(account, pending), request)
    if (!submitted.ok) return codePage(account, request, pending, { verify: submitted.form })
    return afterTry(account, request, pending, submitted.result)
  }
}

/** A login that waits stays as it is: another request may be about to finish it. */
function nothingPending(request: Visit): PageAnswer {
  const to =
    request.user === null
      ? settingUrl(request.kernel, request.kernel.settings.loginUrl)
      : request.kernel.url('account_email')
  return { kind: 'redirect', to }
}

async function afterTry(
  account: Account,
  request: Visit,
  { login }: PendingEmailCode,
  tried: EmailCodeTried,
): Promise<PageAnswer> {
  if (tried.kind === 'ended') {
    tell(account, request, 'too_many_login_attempts')
    return nothingPending(request)
  }
  if (login !== null) return outcomeAnswer(await account.login.resume(request, login))
  const to = request.next ?? (await account.adapter.getEmailVerificationRedirectUrl(request, tried.address))
  return { kind: 'redirect', to }
}

async function resend(account: Account, request: Visit, pending: PendingEmailCode): Promise<PageAnswer> {
  await sayWhenLimited(account, request, () => resendEmailCode(account, request, pending))
  return { kind: 'redirect', to: here(request) }
}

async function change(account: Account, request: Visit, pending: PendingEmailCode): Promise<PageAnswer> {
  const submitted = await sayWhenLimited(account, request, () =>
    account.kernel.forms.submit(changeEmailForm(account, pending), request),
  )
  if (submitted?.ok === false) return codePage(account, request, pending, { change: submitted.form })
  return { kind: 'redirect', to: here(request) }
}

async function codePage(
  account: Account,
  request: Visit,
  pending: PendingEmailCode,
  shown: { readonly verify?: BoundForm; readonly change?: BoundForm } = {},
): Promise<PageAnswer> {
  const verifyForm = shown.verify ?? account.kernel.forms.show(emailCodeForm(account, pending), request)
  const changeForm = shown.change ?? account.kernel.forms.show(changeEmailForm(account, pending), request)
  return {
    kind: 'page',
    template: 'account/confirm_email_verification_code',
    form: shown.change ?? verifyForm,
    context: {
      ...(await entranceContext(account, request)),
      ...nextContext(request),
      form: shown.change ?? verifyForm,
      verify_form: verifyForm,
      change_form: changeForm,
      can_change: canChangeEmail(account.kernel, pending),
      can_resend: canResendEmailCode(account.kernel, pending),
      email: pending.email,
      cancel_url: pending.login === null ? account.kernel.url('account_email') : null,
    },
  }
}
