import { AuthError } from '../../errors.ts'
import type { BoundForm } from '../../kernel/forms/form.ts'
import type { PageAnswer, PageHandler, PageRoute } from '../../kernel/http/route.ts'
import { currentPath, settingUrl } from '../../kernel/http/redirects.ts'
import type { User } from '../../kernel/users/user.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { Account } from '../account.ts'
import type { EmailAddress } from '../email-address.ts'
import { outcomeAnswer } from '../login/page-guards.ts'
import { entranceContext, nextContext } from '../page-context.ts'
import { showRateLimitError, addErrorMessage } from '../refusals.ts'
import { canChangeEmail, EMAIL_STAGE_PAGE } from './stage.ts'
import {
  canResendEmailCode,
  type EmailCodeTried,
  pendingEmailCode,
  type PendingEmailCode,
  resendEmailCode,
} from './code-verification.ts'
import { findAddressByKey } from './verification.ts'
import { confirmByLink } from './confirm-by-link.ts'
import { changeEmailForm, emailCodeForm } from './forms.ts'
import { VERIFY_EMAIL_PATH } from './guard.ts'
import { changeAddresses, renderAddresses } from './management-page.ts'

/** Paths of the page where a visitor waits for a verification. */
const VERIFICATION_PATHS = { path: 'confirm-email/', aliases: [VERIFY_EMAIL_PATH] } as const

/** Pages for managing addresses and for verifying them by link or code. */
export function emailPages(account: Account): readonly PageRoute[] {
  if (account.kernel.settings.socialaccount.only) return []
  const addresses: PageRoute = {
    name: 'account_email',
    path: 'email/',
    GET: renderAddresses(account),
    POST: changeAddresses(account),
    access: 'auth',
    limit: { action: 'manage_email', per: 'user' },
  }
  return [
    addresses,
    ...(account.kernel.settings.account.emailVerificationByCodeEnabled
      ? codeVerificationRoutes(account)
      : linkVerificationRoutes(account)),
  ]
}

const codeVerificationRoutes = (account: Account): readonly PageRoute[] => [
  {
    name: EMAIL_STAGE_PAGE,
    ...VERIFICATION_PATHS,
    GET: showEmailCode(account),
    POST: submitEmailCode(account),
    access: 'anon',
  },
]

const linkVerificationRoutes = (account: Account): readonly PageRoute[] => [
  { name: EMAIL_STAGE_PAGE, ...VERIFICATION_PATHS, GET: showSent(account), access: 'anon' },
  {
    name: 'account_confirm_email',
    path: 'confirm-email/{key}/',
    GET: showConfirmation(account),
    POST: submitConfirmation(account),
    access: 'anon',
  },
]

const showSent =
  (account: Account): PageHandler =>
  async (request) => ({
    kind: 'page',
    template: 'account/verification_sent',
    context: await entranceContext(account, request),
  })

/** Shows the address that a mailed link verifies. With `confirmEmailOnGet`, verifies it right away. */
function showConfirmation(account: Account): PageHandler {
  return async (request, { key = '' }) => {
    const address = await findAddressByKey(account, request, key)
    if (address === null) return invalidPage(request)
    await signOutOthers(account, request, address)
    return account.kernel.settings.account.confirmEmailOnGet
      ? confirm(account, request, key, address)
      : confirmationPage(account, request, key, address)
  }
}

/** Verifies the address of a mailed link. @throws {AuthError} `not_found` for an invalid link */
function submitConfirmation(account: Account): PageHandler {
  return async (request, { key = '' }) => {
    const address = await findAddressByKey(account, request, key)
    if (address === null) throw new AuthError('not_found')
    await signOutOthers(account, request, address)
    return confirm(account, request, key, address)
  }
}

/** Signs out a visitor who is signed in as another user. */
async function signOutOthers(account: Account, request: Visit, address: EmailAddress): Promise<void> {
  if (request.user !== null && request.user.id !== address.userId) await account.login.logout(request)
}

async function confirm(account: Account, request: Visit, key: string, address: EmailAddress): Promise<PageAnswer> {
  const { confirmed, outcome } = await confirmByLink(account, request, address)
  if (outcome !== null) return outcomeAnswer(outcome)
  if (!confirmed) return confirmationPage(account, request, key, address)
  const to = request.next ?? (await account.adapter.getEmailVerificationRedirectUrl(request, address))
  return to === '' ? confirmationPage(account, request, key, { ...address, verified: true }) : { kind: 'redirect', to }
}

async function confirmationPage(
  account: Account,
  request: Visit,
  key: string,
  address: EmailAddress,
): Promise<PageAnswer> {
  const { email, verified } = address
  const user = await account.kernel.users.byId(request.db, address.userId)
  const taken =
    account.kernel.settings.account.uniqueEmail &&
    (await account.emails.isVerifiedElsewhere(request.db, email, address.id))
  const canConfirm = verified || !taken
  return {
    kind: 'page',
    template: 'account/email_confirm',
    context: {
      ...nextContext(request),
      confirmation: { key, email, email_address: { ...address, user } },
      can_confirm: canConfirm,
      email,
    },
    data: { can_confirm: canConfirm, email, ...buildUserContext(account, user) },
  }
}

const buildUserContext = (account: Account, user: User | null): Readonly<Record<string, unknown>> =>
  user === null ? {} : { user: { display: account.adapter.userDisplay(user) } }

const invalidPage = (request: Visit): PageAnswer => ({
  kind: 'page',
  template: 'account/email_confirm',
  context: { ...nextContext(request), confirmation: null, can_confirm: false, email: '' },
  data: { can_confirm: false },
  ...(request.client === 'xhr' ? { status: 400 } : {}),
})

/** Shows the code page, or redirects if no code is pending. */
function showEmailCode(account: Account): PageHandler {
  return async (request) => {
    const pending = await pendingEmailCode(account, request)
    return pending === null ? redirectWithoutPendingEmail(request) : codePage(account, request, pending)
  }
}

/** Checks the code, sends another one, or changes the address, depending on the button. */
function submitEmailCode(account: Account): PageHandler {
  return async (request) => {
    const pending = await pendingEmailCode(account, request)
    if (pending === null) return redirectWithoutPendingEmail(request)
    const action = request.form.get('action')
    if (action === 'resend') return resend(account, request, pending)
    if (action === 'change') return change(account, request, pending)
    const submitted = await account.kernel.forms.submit(emailCodeForm(account, pending), request)
    if (!submitted.ok) return codePage(account, request, pending, { verify: submitted.form })
    return respondToEmailCode(account, request, pending, submitted.result)
  }
}

/** Leaves a pending login as it is, because another request may be about to finish it. */
function redirectWithoutPendingEmail(request: Visit): PageAnswer {
  const to =
    request.user === null
      ? settingUrl(request.kernel, request.kernel.settings.loginUrl)
      : request.kernel.url('account_email')
  return { kind: 'redirect', to }
}

async function respondToEmailCode(
  account: Account,
  request: Visit,
  { login }: PendingEmailCode,
  tried: EmailCodeTried,
): Promise<PageAnswer> {
  if (tried.kind === 'ended') {
    addErrorMessage(account, request, 'too_many_login_attempts')
    return redirectWithoutPendingEmail(request)
  }
  if (login !== null) return outcomeAnswer(await account.login.resume(request, login))
  const to = request.next ?? (await account.adapter.getEmailVerificationRedirectUrl(request, tried.address))
  return { kind: 'redirect', to }
}

async function resend(account: Account, request: Visit, pending: PendingEmailCode): Promise<PageAnswer> {
  await showRateLimitError(account, request, () => resendEmailCode(account, request, pending))
  return { kind: 'redirect', to: currentPath(request) }
}

async function change(account: Account, request: Visit, pending: PendingEmailCode): Promise<PageAnswer> {
  const submitted = await showRateLimitError(account, request, () =>
    account.kernel.forms.submit(changeEmailForm(account, pending), request),
  )
  if (submitted?.ok === false) return codePage(account, request, pending, { change: submitted.form })
  return { kind: 'redirect', to: currentPath(request) }
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
