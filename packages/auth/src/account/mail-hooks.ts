import type { Account } from './account.ts'
import type { MailMessage } from '../kernel/mail/mail.ts'
import type { Visit } from '../kernel/visit.ts'
import type { User } from '../kernel/users/user.ts'
import type { Confirmation, MailContext, MailHooks } from './adapter.ts'
import { mailedLink } from './mailed-link.ts'
import { textContext } from './text-context.ts'

/** The mails that are not about passwords; all are queued within the transaction of what they tell about. */
export const mailHooks = (account: Account): Omit<MailHooks, 'sendPasswordResetMail'> => ({
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

/** @throws {Error} when a mail has no subject or no body: the operator's fault */
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
    subject: adapter.formatEmailSubject(request, oneLine(subject)),
    text: text ?? '',
    html,
    // No vacation notice or ticket system answers it (RFC 3834 section 5).
    headers: { 'Auto-Submitted': 'auto-generated' },
  }
}

const oneLine = (text: string): string => text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim()

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
    user_agent: oneLine(request.userAgent),
  })
}

async function primaryAddress(account: Account, request: Visit, user: User): Promise<string | null> {
  const rows = await account.emails.ofUser(request.db, user.id)
  const primary = rows.find((row) => row.primary)?.email ?? user.email
  return primary === '' ? null : primary
}
