import { currentPath, settingUrl } from '../../kernel/http/redirects.ts'
import type { Account } from '../account.ts'
import type { BoundForm, FormDefinition } from '../../kernel/forms/form.ts'
import type { PageAnswer, PageRoute } from '../../kernel/http/route.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { User } from '../../kernel/users/user.ts'
import { confirmFirst } from '../email/management-page.ts'
import { CODE_FIELD, readTextField } from '../email/forms.ts'
import { outcomeAnswer } from '../login/page-guards.ts'
import { entranceContext, nextContext } from '../page-context.ts'
import { showRateLimitError, addErrorMessage, requireSignedIn } from '../refusals.ts'
import { canChangePhone, changePhone, changePhoneAtStage, cleanNewPhone, verifyCurrentPhone } from './change.ts'
import {
  canResendPhoneCode,
  type PendingPhoneCode,
  pendingPhoneCode,
  type PhoneCodeResult,
  resendPhoneCode,
  tryPhoneCode,
} from './code-verification.ts'
import { PHONE_STAGE_PAGE } from './stage.ts'

const verifyPhoneForm = (account: Account, pending: PendingPhoneCode): FormDefinition<PhoneCodeResult> => ({
  id: 'verify_phone',
  fields: () => [CODE_FIELD],
  clean: async (_request, values) => values,
  save: (request, values) => tryPhoneCode(account, request, pending, readTextField(values, 'code')),
})

/** Form `change_phone`. @param change Handles the typed number. */
const changePhoneForm = <R>(
  account: Account,
  change: (request: Visit, typed: string) => Promise<R>,
): FormDefinition<R> => ({
  id: 'change_phone',
  fields: () => [account.adapter.phoneFormField()],
  clean: async (_request, values) => values,
  save: (request, values) => change(request, readTextField(values, 'phone')),
})

const stagePhoneForm = (account: Account, pending: PendingPhoneCode): FormDefinition<boolean> =>
  changePhoneForm(account, (request, typed) => changePhoneAtStage(account, request, pending, typed))

const accountPhoneForm = (account: Account, user: User): FormDefinition<void> =>
  changePhoneForm(account, async (request, typed) =>
    changePhone(account, request, user, await cleanNewPhone(account, request, user, typed)),
  )

/** Pages for the user's phone number; none if accounts have no phones. */
export function phonePages(account: Account): readonly PageRoute[] {
  const { signupFields } = account.kernel.settings.account
  if (account.kernel.settings.socialaccount.only || !signupFields.some(({ name }) => name === 'phone')) return []
  return [
    {
      name: PHONE_STAGE_PAGE,
      path: 'phone/verify/',
      GET: async (request) => {
        const pending = await pendingPhoneCode(account, request)
        return pending === null ? redirectWithoutPendingPhone(request) : codePage(account, request, pending)
      },
      POST: (request) => submitPhoneCode(account, request),
      access: 'anon',
    },
    {
      name: 'account_change_phone',
      path: 'phone/change/',
      GET: (request) => phonePage(account, request, requireSignedIn(request)),
      POST: (request) => submitPhone(account, request, requireSignedIn(request)),
      access: 'auth',
      limit: { action: 'change_phone', per: 'user' },
    },
  ]
}

/** Leaves a pending login as it is, because another request may be about to finish it. */
function redirectWithoutPendingPhone(request: Visit): PageAnswer {
  const to =
    request.user === null
      ? settingUrl(request.kernel, request.kernel.settings.loginUrl)
      : request.kernel.url('account_change_phone')
  return { kind: 'redirect', to }
}

async function submitPhoneCode(account: Account, request: Visit): Promise<PageAnswer> {
  const pending = await pendingPhoneCode(account, request)
  if (pending === null) return redirectWithoutPendingPhone(request)
  const action = request.form.get('action')
  if (action === 'resend') {
    await showRateLimitError(account, request, () => resendPhoneCode(account, request, pending))
    return { kind: 'redirect', to: currentPath(request) }
  }
  if (action === 'change') {
    const changed = await showRateLimitError(account, request, () =>
      account.kernel.forms.submit(stagePhoneForm(account, pending), request),
    )
    if (changed?.ok === false) return codePage(account, request, pending, { change: changed.form })
    return { kind: 'redirect', to: currentPath(request) }
  }
  const submitted = await account.kernel.forms.submit(verifyPhoneForm(account, pending), request)
  if (!submitted.ok) return codePage(account, request, pending, { verify: submitted.form })
  if (submitted.result.kind === 'ended') {
    addErrorMessage(account, request, 'too_many_login_attempts')
    return redirectWithoutPendingPhone(request)
  }
  if (pending.login !== null) return outcomeAnswer(await account.login.resume(request, pending.login))
  return { kind: 'redirect', to: request.next ?? account.kernel.url('account_change_phone') }
}

async function submitPhone(account: Account, request: Visit, user: User): Promise<PageAnswer> {
  const elsewhere = await confirmFirst(account, request)
  if (elsewhere !== null) return elsewhere
  if (request.form.get('action') === 'verify') {
    const sent = await verifyCurrentPhone(account, request, user)
    return { kind: 'redirect', to: account.kernel.url(sent ? PHONE_STAGE_PAGE : 'account_change_phone') }
  }
  const submitted = await account.kernel.forms.submit(accountPhoneForm(account, user), request)
  if (!submitted.ok) return phonePage(account, request, user, submitted.form)
  return { kind: 'redirect', to: account.kernel.url(PHONE_STAGE_PAGE) }
}

async function phonePage(account: Account, request: Visit, user: User, submitted?: BoundForm): Promise<PageAnswer> {
  const present = await account.adapter.getPhone(request, user)
  const form = submitted ?? account.kernel.forms.show(accountPhoneForm(account, user), request)
  return {
    kind: 'page',
    template: 'account/phone_change',
    form,
    context: { form, phone: present?.phone ?? null, phone_verified: present?.verified ?? false },
  }
}

async function codePage(
  account: Account,
  request: Visit,
  pending: PendingPhoneCode,
  shown: { readonly verify?: BoundForm; readonly change?: BoundForm } = {},
): Promise<PageAnswer> {
  const verifyForm = shown.verify ?? account.kernel.forms.show(verifyPhoneForm(account, pending), request)
  const changeForm = shown.change ?? account.kernel.forms.show(stagePhoneForm(account, pending), request)
  return {
    kind: 'page',
    template: 'account/confirm_phone_verification_code',
    form: shown.change ?? verifyForm,
    context: {
      ...(await entranceContext(account, request)),
      ...nextContext(request),
      form: shown.change ?? verifyForm,
      verify_form: verifyForm,
      change_form: changeForm,
      can_change: canChangePhone(account.kernel, pending),
      can_resend: canResendPhoneCode(account.kernel, pending),
      phone: pending.phone,
      action: shown.change === undefined ? 'verify' : 'change',
      cancel_url: pending.login === null ? account.kernel.url('account_change_phone') : null,
    },
  }
}
