import type { Core } from '../../core.ts'
import type { BoundForm } from '../../kernel/forms/form.ts'
import type { PageAnswer } from '../../kernel/http/answer.ts'
import type { PageRoute } from '../../kernel/http/route.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { User } from '../../kernel/users/user.ts'
import type { LoginOutcome } from '../login.ts'
import { outcomeAnswer } from '../login/outcome-answer.ts'
import { entranceContext, nextContext, withNext } from '../page-context.ts'
import { tell } from '../refusals.ts'
import { confirmResetCodeForm, newPasswordForm } from './forms.ts'
import { type PendingReset, pendingReset, resetByCode, userOfReset } from './reset-code.ts'
import { newPasswordPage, noticePage } from './reset-pages.ts'

const CONFIRM = 'account_confirm_password_reset_code'
const COMPLETE = 'account_complete_password_reset'
const COMPLETED = 'account_password_reset_completed'

/** Reset by a code from a mail. */
export const resetCodePages = (core: Core): readonly PageRoute[] => [
  {
    name: CONFIRM,
    path: 'password/reset/confirm/',
    access: 'anon',
    GET: (request) =>
      atCode(core, request, async (pending) =>
        confirmPage(core, request, pending, core.forms.show(confirmResetCodeForm(core, pending), request)),
      ),
    POST: (request) => atCode(core, request, (pending) => submitCode(core, request, pending)),
  },
  {
    name: COMPLETE,
    path: 'password/reset/complete/',
    access: 'anon',
    limit: { action: 'reset_password_from_key', per: 'ip' },
    GET: (request) =>
      atComplete(core, request, async (user, pending) =>
        completePage(core, request, core.forms.show(formOf(core, user, pending), request)),
      ),
    POST: (request) => atComplete(core, request, (user, pending) => submitPassword(core, request, user, pending)),
  },
  noticePage(core, {
    name: COMPLETED,
    path: 'password/reset/done/',
    template: 'account/password_reset_from_key_done',
  }),
]

const redirect = (core: Core, request: Visit, name: string): PageAnswer => ({
  kind: 'redirect',
  to: withNext(core.url(name), request.next),
})

/** Runs `work` while a code is waited for. */
async function atCode(
  core: Core,
  request: Visit,
  work: (pending: PendingReset) => Promise<PageAnswer>,
): Promise<PageAnswer> {
  const pending = pendingReset(core, request)
  if (pending === null) return redirect(core, request, 'account_reset_password')
  return pending.confirmed ? redirect(core, request, COMPLETE) : work(pending)
}

/** Runs `work` once the code was right. */
async function atComplete(
  core: Core,
  request: Visit,
  work: (user: User, pending: PendingReset) => Promise<PageAnswer>,
): Promise<PageAnswer> {
  const pending = pendingReset(core, request)
  if (pending?.confirmed === false) return redirect(core, request, CONFIRM)
  const user = pending === null ? null : await userOfReset(core, request, pending.process)
  if (pending === null || user === null) return redirect(core, request, 'account_reset_password')
  return work(user, pending)
}

async function submitCode(core: Core, request: Visit, pending: PendingReset): Promise<PageAnswer> {
  const submitted = await core.forms.submit(confirmResetCodeForm(core, pending), request)
  if (!submitted.ok) return confirmPage(core, request, pending, submitted.form)
  if (submitted.result === 'confirmed') return redirect(core, request, COMPLETE)
  tell(core, request, 'too_many_login_attempts')
  return redirect(core, request, 'account_login')
}

const formOf = (core: Core, user: User, pending: PendingReset) =>
  newPasswordForm<LoginOutcome | null>(core, user, (request, password) =>
    resetByCode(core, request, pending, { user, password, redirectUrl: request.next ?? core.url(COMPLETED) }),
  )

async function submitPassword(core: Core, request: Visit, user: User, pending: PendingReset): Promise<PageAnswer> {
  const submitted = await core.forms.submit(formOf(core, user, pending), request)
  if (!submitted.ok) return completePage(core, request, submitted.form)
  return submitted.result === null ? redirect(core, request, COMPLETED) : outcomeAnswer(submitted.result)
}

/** What was typed is shown, not what is stored: both are the same to see for an address that nobody has. */
const confirmPage = async (
  core: Core,
  request: Visit,
  { email }: PendingReset,
  form: BoundForm,
): Promise<PageAnswer> => ({
  kind: 'page',
  template: 'account/confirm_password_reset_code',
  context: { ...(await entranceContext(core, request)), ...nextContext(request), verify_form: form, email },
  form,
})

const completePage = (core: Core, request: Visit, form: BoundForm): Promise<PageAnswer> =>
  newPasswordPage(core, request, { form, actionUrl: core.url(COMPLETE) })
