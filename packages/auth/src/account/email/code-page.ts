import type { Core } from '../../core.ts'
import type { BoundForm } from '../../kernel/forms/form.ts'
import type { PageAnswer } from '../../kernel/http/answer.ts'
import type { PageHandler } from '../../kernel/http/route.ts'
import type { Visit } from '../../kernel/visit.ts'
import { outcomeAnswer } from '../login/outcome-answer.ts'
import { entranceContext, here, nextContext } from '../page-context.ts'
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
import { settingUrl } from './setting-url.ts'

/** Shows the page of the code; without a code that is waited for, the page where to begin. */
export function showEmailCode(core: Core): PageHandler {
  return async (request) => {
    const pending = await pendingEmailCode(core, request)
    return pending === null ? nothingPending(core, request) : codePage(core, request, pending)
  }
}

/** Takes the code, sends another one, or takes another address. */
export function takeEmailCode(core: Core): PageHandler {
  return async (request) => {
    const pending = await pendingEmailCode(core, request)
    if (pending === null) return nothingPending(core, request)
    const action = request.form.get('action')
    if (action === 'resend') return resend(core, request, pending)
    if (action === 'change') return change(core, request, pending)
    const submitted = await core.forms.submit(emailCodeForm(core, pending), request)
    if (!submitted.ok) return codePage(core, request, pending, { verify: submitted.form })
    return afterTry(core, request, pending, submitted.result)
  }
}

/** A login that waits stays as it is: another request may be about to finish it. */
function nothingPending(core: Core, request: Visit): PageAnswer {
  const to = request.user === null ? settingUrl(core, core.settings.loginUrl) : core.url('account_email')
  return { kind: 'redirect', to }
}

async function afterTry(
  core: Core,
  request: Visit,
  { login }: PendingEmailCode,
  tried: EmailCodeTried,
): Promise<PageAnswer> {
  if (tried.kind === 'ended') {
    tell(core, request, 'too_many_login_attempts')
    return nothingPending(core, request)
  }
  if (login !== null) return outcomeAnswer(await core.login.resume(request, login))
  const to = request.next ?? (await core.adapter.getEmailVerificationRedirectUrl(request, tried.address))
  return { kind: 'redirect', to }
}

async function resend(core: Core, request: Visit, pending: PendingEmailCode): Promise<PageAnswer> {
  await sayWhenLimited(core, request, () => resendEmailCode(core, request, pending))
  return { kind: 'redirect', to: here(request) }
}

async function change(core: Core, request: Visit, pending: PendingEmailCode): Promise<PageAnswer> {
  const submitted = await sayWhenLimited(core, request, () =>
    core.forms.submit(changeEmailForm(core, pending), request),
  )
  if (submitted?.ok === false) return codePage(core, request, pending, { change: submitted.form })
  return { kind: 'redirect', to: here(request) }
}

async function codePage(
  core: Core,
  request: Visit,
  pending: PendingEmailCode,
  shown: { readonly verify?: BoundForm; readonly change?: BoundForm } = {},
): Promise<PageAnswer> {
  const verifyForm = shown.verify ?? core.forms.show(emailCodeForm(core, pending), request)
  const changeForm = shown.change ?? core.forms.show(changeEmailForm(core, pending), request)
  return {
    kind: 'page',
    template: 'account/confirm_email_verification_code',
    form: shown.change ?? verifyForm,
    context: {
      ...(await entranceContext(core, request)),
      ...nextContext(request),
      form: shown.change ?? verifyForm,
      verify_form: verifyForm,
      change_form: changeForm,
      can_change: canChangeEmail(core, pending),
      can_resend: canResendEmailCode(core, pending),
      email: pending.email,
      cancel_url: pending.login === null ? core.url('account_email') : null,
    },
  }
}
