import { mailedLink } from './mailed-link.ts'
import { generateCode } from '../kernel/crypto/random.ts'
import { bindHooks } from '../kernel/hooks.ts'
import { xhrForm } from '../kernel/http/form-body.ts'
import { jsonResponse } from '../kernel/http/responses.ts'
import { settingUrl } from '../kernel/http/redirects.ts'
import { isSafeUrl } from '../kernel/http/visitor-url.ts'
import type { Log } from '../kernel/io.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { MailMessage } from '../kernel/mail/mail.ts'
import type { User } from '../kernel/users/user.ts'
import type { Visit } from '../kernel/visit.ts'
import type { Account } from './account.ts'
import type {
  AccountAdapter,
  AccountAdapterInput,
  AccountAdapterOverrides,
  MailContext,
  CodeHooks,
  RedirectHooks,
  Confirmation,
  MailHooks,
} from './adapter.ts'
import { emailHooks } from './email/hooks.ts'
import { ERROR_MESSAGES } from '../kernel/forms/error-messages.ts'
import { loginHooks } from './login/hooks.ts'
import { passwordHooks } from './password/hooks.ts'
import { phoneHooks } from './phone/hooks.ts'
import { signupHooks } from './signup/hooks.ts'

/**
 * Returns the host's hooks, with defaults for those it doesn't override. Defaults call each other through
 * `account.adapter`, so they call the host's hooks.
 * @param log Receives warnings about hooks in a legacy form.
 */
export function createAccountAdapter(
  account: Account,
  input: AccountAdapterInput | undefined,
  log: Pick<Log, 'warn'>,
): AccountAdapter {
  const defaults = defaultAdapter(account)
  const overrides = typeof input === 'function' ? input(defaults) : (input ?? {})
  const current = bindHooks(overrides, [...Object.keys(defaults), ...Object.keys(LEGACY_FORMS)])
  const errorMessages = { ...defaults.errorMessages, ...overrides.errorMessages }
  return { ...defaults, ...legacyFormHooks(current, log), ...current, errorMessages }
}

function defaultAdapter(account: Account): AccountAdapter {
  return {
    ...emailHooks(account),
    ...mailHooks(account),
    ...redirectHooks(account),
    ...signupHooks(account),
    ...passwordHooks(account),
    ...loginHooks(account),
    ...codeHooks(account.kernel),
    ...phoneHooks(account),
    errorMessages: ERROR_MESSAGES,
    validationError(code, options = {}) {
      const text = account.adapter.errorMessages[code] ?? "This value isn't valid."
      return { code, message: typeof text === 'string' ? text : text({ code, ...options }), ...options }
    },
  }
}

/** Current names of the hooks in a legacy form, by legacy name. */
const LEGACY_FORMS = {
  getEmailConfirmationRedirectUrl: 'getEmailVerificationRedirectUrl',
  sendMailToUsers: 'sendMail',
} as const

/** Returns current hooks that call the legacy ones the host provides. */
function legacyFormHooks(given: AccountAdapterOverrides, log: Pick<Log, 'warn'>): Partial<AccountAdapter> {
  const { getEmailConfirmationRedirectUrl: redirectUrl, sendMailToUsers } = given
  for (const [old, present] of Object.entries(LEGACY_FORMS)) {
    if (old in given) log.warn(`The adapter has ${old}, an old form of ${present}`)
  }
  const redirects: Partial<AccountAdapter> | undefined = redirectUrl && {
    getEmailVerificationRedirectUrl: async (request) => redirectUrl(request),
  }
  const mails: Partial<AccountAdapter> | undefined = sendMailToUsers && {
    async sendMail(request, templatePrefix, email, context) {
      const users = await findMailRecipients(request, email, context)
      await sendMailToUsers(templatePrefix, { ...context, request, email }, users)
    },
  }
  return { ...redirects, ...mails }
}

/** Returns the recipients of a mail: the user in its context, or else the users found by the address. */
async function findMailRecipients(request: Visit, email: string, { user }: MailContext): Promise<readonly User[]> {
  if (typeof user === 'object' && user !== null) return [user as User] // our hooks put nothing else there
  return request.kernel.users.byEmail(request.db, email, { preferVerified: true, activeOnly: false })
}

/** Hooks that generate one-time codes, each in the format its setting configures. */
const codeHooks = (kernel: Kernel): CodeHooks => ({
  generateLoginCode: () => generateCode(kernel.settings.account.loginByCodeFormat, kernel.random),
  generatePasswordResetCode: () => generateCode(kernel.settings.account.passwordResetByCodeFormat, kernel.random),
  generateEmailVerificationCode: () =>
    generateCode(kernel.settings.account.emailVerificationByCodeFormat, kernel.random),
  generatePhoneVerificationCode: () => generateCode(kernel.settings.account.phoneVerificationCodeFormat, kernel.random),
})

/** Redirect hooks other than those for passwords. */
const redirectHooks = (
  account: Account,
): Omit<RedirectHooks, 'getPasswordChangeRedirectUrl' | 'getResetPasswordFromKeyUrl'> => ({
  getSignupRedirectUrl: () => settingUrl(account.kernel, account.kernel.settings.account.signupRedirectUrl),
  getLoginRedirectUrl: () => settingUrl(account.kernel, account.kernel.settings.loginRedirectUrl),
  getLogoutRedirectUrl: () => settingUrl(account.kernel, account.kernel.settings.account.logoutRedirectUrl),
  isSafeUrl: (request, url) => isSafeUrl(url, request.url, account.kernel.settings),
  respondUserInactive: () => account.kernel.url('account_inactive'),
  respondEmailVerificationSent: () => account.kernel.url('account_email_verification_sent'),
  addMessage: (request, level, template, context = {}) => addMessage(account, request, { level, template, context }),
  isAjax: (request) =>
    request.headers.get('x-requested-with') === 'XMLHttpRequest' ||
    /^application\/json\s*(;|$)/i.test(request.headers.get('content-type') ?? '') ||
    request.headers.get('accept') === 'application/json',
  ajaxResponse: (request, { status, redirectTo, form, html, data }) =>
    jsonResponse(
      {
        location: redirectTo,
        form: form === undefined ? undefined : account.adapter.ajaxResponseForm(request, form),
        html,
        data,
      },
      status,
    ),
  ajaxResponseForm: (request, form) => xhrForm(form, request.t),
})

interface PageMessage {
  readonly level: Parameters<Visit['addMessage']>[0]
  readonly template: string
  readonly context: Readonly<Record<string, unknown>>
}

/** Adds a message to the next page, unless its text is blank or missing. The JSON API has no pages. */
async function addMessage(account: Account, request: Visit, { level, template, context }: PageMessage): Promise<void> {
  if (request.client === 'browser' || request.client === 'app') return
  const text = await account.kernel.templates.text(
    template,
    { ...textContext(account, request), ...context },
    request.t,
  )
  const line = (text ?? '').replaceAll(/\s+/g, ' ').trim()
  if (line !== '') request.addMessage(level, line)
}

/** Account mails other than the password mails. All are queued in the transaction of the change they report. */
const mailHooks = (account: Account): Omit<MailHooks, 'sendPasswordResetMail'> => ({
  formatEmailSubject(request, subject) {
    const prefix = account.kernel.settings.account.emailSubjectPrefix
    return `${prefix ?? `[${request.site.name}] `}${subject}`
  },
  getFromEmail: () => account.kernel.settings.defaultFromEmail,
  renderMail: (request, templatePrefix, email, context) =>
    renderMail(account, request, { templatePrefix, email, context }),
  async sendMail(request, templatePrefix, email, context) {
    const message = await account.adapter.renderMail(request, templatePrefix, email, context)
    await account.kernel.mail.enqueue(request.db, message)
    await request.afterCommit(() => account.kernel.mail.wake())
  },
  sendConfirmationMail: (request, confirmation, signup) => sendConfirmation(account, request, confirmation, signup),
  async sendAccountAlreadyExistsMail(request, email) {
    const context = {
      signup_url: mailedLink(account, request, 'account_signup'),
      password_reset_url: mailedLink(account, request, 'account_reset_password'),
    }
    await account.adapter.sendMail(request, 'account/email/account_already_exists', email, context)
  },
  sendNotificationMail: (request, templatePrefix, user, options = {}) =>
    notify(account, request, { ...options, templatePrefix, user }),
})

interface Mail {
  readonly templatePrefix: string
  readonly email: string
  readonly context: MailContext
}

/** Renders a mail. @throws {Error} if its templates have no subject or no body */
async function renderMail(account: Account, request: Visit, mail: Mail): Promise<MailMessage> {
  const { templatePrefix, email } = mail
  const context = { ...textContext(account, request), ...mail.context, email }
  const { templates } = account.kernel
  const { adapter } = account
  const subject = await templates.text(`${templatePrefix}_subject`, context, request.t)
  const text = await templates.text(`${templatePrefix}_message`, context, request.t)
  const html = await templates.optionalPage(`${templatePrefix}_message`, context, request.t)
  if (subject === null) throw new Error(`the mail ${templatePrefix} has no subject`)
  if (text === null && html === null) throw new Error(`the mail ${templatePrefix} has no body`)
  return {
    from: adapter.getFromEmail(request),
    to: email,
    subject: adapter.formatEmailSubject(request, collapseWhitespace(subject)),
    text: text ?? '',
    html,
    // Keeps autoresponders and ticket systems from replying (RFC 3834 section 5).
    headers: { 'Auto-Submitted': 'auto-generated' },
  }
}

const collapseWhitespace = (text: string): string => text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim()

async function sendConfirmation(
  account: Account,
  request: Visit,
  confirmation: Confirmation,
  signup: boolean,
): Promise<void> {
  const { user, email, key, code } = confirmation
  const welcomes = signup || user.lastLoginMs === null
  const prefix = `account/email/email_confirmation${welcomes ? '_signup' : ''}`
  const link = { key, activate_url: account.adapter.getEmailConfirmationUrl(request, confirmation) }
  await account.adapter.sendMail(request, prefix, email, code === null ? { user, ...link } : { user, code })
}

interface Notification {
  readonly templatePrefix: string
  readonly user: User
  readonly context?: MailContext
  readonly email?: string
}

async function notify(account: Account, request: Visit, notification: Notification): Promise<void> {
  if (!account.kernel.settings.account.emailNotifications) return
  const { templatePrefix, user, context = {} } = notification
  const email = notification.email ?? (await primaryAddress(account, request, user))
  if (email === null) return
  await account.adapter.sendMail(request, templatePrefix, email, {
    user,
    ...context,
    timestamp: `${new Date(request.nowMs).toISOString().slice(0, 16).replace('T', ' ')} UTC`,
    ip: request.clientIp ?? request.t('Unknown'),
    user_agent: collapseWhitespace(request.userAgent),
  })
}

async function primaryAddress(account: Account, request: Visit, user: User): Promise<string | null> {
  const rows = await account.emails.ofUser(request.db, user.id)
  const primary = rows.find((row) => row.primary)?.email ?? user.email
  return primary === '' ? null : primary
}

/** Returns whether the user has a verified address. */
export async function hasVerifiedEmail(account: Account, request: Visit, user: User): Promise<boolean> {
  const addresses = await account.emails.ofUser(request.db, user.id)
  return addresses.some(({ verified }) => verified)
}

/** Returns the shared context of mail and text message templates: site, language and tag functions. */
function textContext(account: Account, request: Visit): Readonly<Record<string, unknown>> {
  return {
    request: { path: request.url.pathname, method: request.method, language: request.language },
    current_site: request.site,
    site: request.site,
    has: (name: string) => account.kernel.has(name),
    /** Absolute, because these texts are read outside the site. */
    url: (name: string, params?: Readonly<Record<string, string>>) =>
      request.absolute(account.kernel.url(name, params)),
    asset: (name: string) => request.absolute(`${account.kernel.settings.pathPrefix}assets/${name}`),
    user_display: (user: User | null | undefined) => (user ? account.adapter.userDisplay(user) : ''),
    user_verified: (user: User | null | undefined) => (user ? hasVerifiedEmail(account, request, user) : false),
  }
}
