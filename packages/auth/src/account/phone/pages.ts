import type { Core } from '../../core.ts'
import type { BoundForm, FormDefinition } from '../../kernel/forms/form.ts'
import type { PageAnswer } from '../../kernel/http/answer.ts'
import type { PageRoute } from '../../kernel/http/route.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { User } from '../../kernel/users/user.ts'
import { confirmFirst } from '../email/confirm-first.ts'
import { CODE_FIELD, textOf } from '../email/forms.ts'
import { settingUrl } from '../email/setting-url.ts'
import { outcomeAnswer } from '../login/outcome-answer.ts'
import { entranceContext, here, nextContext } from '../page-context.ts'
import { sayWhenLimited, tell } from '../refusals.ts'
import { signedIn } from '../signed-in.ts'
import { canChangePhone, changePhone, changePhoneAtStage, cleanNewPhone, verifyPresentPhone } from './change.ts'
import {
  canResendPhoneCode,
  type PendingPhoneCode,
  pendingPhoneCode,
  type PhoneCodeTried,
  resendPhoneCode,
  tryPhoneCode,
} from './code-verification.ts'
import { PHONE_STAGE_PAGE } from './stage.ts'

const verifyPhoneForm = (core: Core, pending: PendingPhoneCode): FormDefinition<PhoneCodeTried> => ({
  id: 'verify_phone',
  fields: () => [CODE_FIELD],
  clean: async (_request, values) => values,
  save: (request, values) => tryPhoneCode(core, request, pending, textOf(values, 'code')),
})

/** @param change What the number is wanted for. */
const changePhoneForm = <R>(core: Core, change: (request: Visit, typed: string) => Promise<R>): FormDefinition<R> => ({
  id: 'change_phone',
  fields: () => [core.adapter.phoneFormField()],
  clean: async (_request, values) => values,
  save: (request, values) => change(request, textOf(values, 'phone')),
})

const atStage = (core: Core, pending: PendingPhoneCode): FormDefinition<boolean> =>
  changePhoneForm(core, (request, typed) => changePhoneAtStage(core, request, pending, typed))

const ownForm = (core: Core, user: User): FormDefinition<void> =>
  changePhoneForm(core, async (request, typed) =>
    changePhone(core, request, user, await cleanNewPhone(core, request, user, typed)),
  )

/** Pages of the user's phone number, where accounts have one. */
export function phonePages(core: Core): readonly PageRoute[] {
  const { signupFields } = core.settings.account
  if (core.settings.socialaccount.only || !signupFields.some(({ name }) => name === 'phone')) return []
  return [
    {
      name: PHONE_STAGE_PAGE,
      path: 'phone/verify/',
      GET: async (request) => {
        const pending = await pendingPhoneCode(core, request)
        return pending === null ? nothingPending(core, request) : codePage(core, request, pending)
      },
      POST: (request) => takeCode(core, request),
      access: 'anon',
    },
    {
      name: 'account_change_phone',
      path: 'phone/change/',
      GET: (request) => phonePage(core, request, signedIn(request)),
      POST: (request) => takePhone(core, request, signedIn(request)),
      access: 'auth',
      limit: { action: 'change_phone', per: 'user' },
    },
  ]
}

/** A login that waits stays as it is: another request may be about to finish it. */
function nothingPending(core: Core, request: Visit): PageAnswer {
  const to = request.user === null ? settingUrl(core, core.settings.loginUrl) : core.url('account_change_phone')
  return { kind: 'redirect', to }
}

async function takeCode(core: Core, request: Visit): Promise<PageAnswer> {
  const pending = await pendingPhoneCode(core, request)
  if (pending === null) return nothingPending(core, request)
  const action = request.form.get('action')
  if (action === 'resend') {
    await sayWhenLimited(core, request, () => resendPhoneCode(core, request, pending))
    return { kind: 'redirect', to: here(request) }
  }
  if (action === 'change') {
    const changed = await sayWhenLimited(core, request, () => core.forms.submit(atStage(core, pending), request))
    if (changed?.ok === false) return codePage(core, request, pending, { change: changed.form })
    return { kind: 'redirect', to: here(request) }
  }
  const submitted = await core.forms.submit(verifyPhoneForm(core, pending), request)
  if (!submitted.ok) return codePage(core, request, pending, { verify: submitted.form })
  if (submitted.result.kind === 'ended') {
    tell(core, request, 'too_many_login_attempts')
    return nothingPending(core, request)
  }
  if (pending.login !== null) return outcomeAnswer(await core.login.resume(request, pending.login))
  return { kind: 'redirect', to: request.next ?? core.url('account_change_phone') }
}

async function takePhone(core: Core, request: Visit, user: User): Promise<PageAnswer> {
  const elsewhere = await confirmFirst(core, request)
  if (elsewhere !== null) return elsewhere
  if (request.form.get('action') === 'verify') {
    const sent = await verifyPresentPhone(core, request, user)
    return { kind: 'redirect', to: core.url(sent ? PHONE_STAGE_PAGE : 'account_change_phone') }
  }
  const submitted = await core.forms.submit(ownForm(core, user), request)
  if (!submitted.ok) return phonePage(core, request, user, submitted.form)
  return { kind: 'redirect', to: core.url(PHONE_STAGE_PAGE) }
}

async function phonePage(core: Core, request: Visit, user: User, submitted?: BoundForm): Promise<PageAnswer> {
  const present = await core.adapter.getPhone(request, user)
  const form = submitted ?? core.forms.show(ownForm(core, user), request)
  return {
    kind: 'page',
    template: 'account/phone_change',
    form,
    context: { form, phone: present?.phone ?? null, phone_verified: present?.verified ?? false },
  }
}

async function codePage(
  core: Core,
  request: Visit,
  pending: PendingPhoneCode,
  shown: { readonly verify?: BoundForm; readonly change?: BoundForm } = {},
): Promise<PageAnswer> {
  const verifyForm = shown.verify ?? core.forms.show(verifyPhoneForm(core, pending), request)
  const changeForm = shown.change ?? core.forms.show(atStage(core, pending), request)
  return {
    kind: 'page',
    template: 'account/confirm_phone_verification_code',
    form: shown.change ?? verifyForm,
    context: {
      ...(await entranceContext(core, request)),
      ...nextContext(request),
      form: shown.change ?? verifyForm,
      verify_form: verifyForm,
      change_form: changeForm,
      can_change: canChangePhone(core, pending),
      can_resend: canResendPhoneCode(core, pending),
      phone: pending.phone,
      action: shown.change === undefined ? 'verify' : 'change',
      cancel_url: pending.login === null ? core.url('account_change_phone') : null,
    },
  }
}
