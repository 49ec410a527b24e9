import type { Account } from './account.ts'
import type { Visit } from '../kernel/visit.ts'
import type { Log } from '../kernel/io.ts'
import { bound } from '../kernel/hooks.ts'
import type { User } from '../kernel/users/user.ts'
import type { AccountAdapter, AccountAdapterInput, AccountAdapterOverrides, MailContext } from './adapter.ts'
import { codeHooks } from './code-hooks.ts'
import { emailHooks } from './email/hooks.ts'
import { ERROR_MESSAGES } from './error-messages.ts'
import { loginHooks } from './login/hooks.ts'
import { mailHooks } from './mail-hooks.ts'
import { passwordHooks } from './password/hooks.ts'
import { phoneHooks } from './phone/hooks.ts'
import { redirectHooks } from './redirect-hooks.ts'
import { signupHooks } from './signup/hooks.ts'

/**
 * The hooks of a host over the defaults. Defaults call each other through `core().adapter`, and so the host's.
 * @param core Asked at each call: the adapter is part of it.
 * @param log  Told at once of hooks in an old form.
 */
export function createAccountAdapter(
  account: Account,
  input: AccountAdapterInput | undefined,
  log: Pick<Log, 'warn'>,
): AccountAdapter {
  const defaults = defaultAdapter(account)
  const overrides = typeof input === 'function' ? input(defaults) : (input ?? {})
  const current = bound(overrides, [...Object.keys(defaults), ...Object.keys(OLD_FORMS)])
  const errorMessages = { ...defaults.errorMessages, ...overrides.errorMessages }
  return { ...defaults, ...oldForms(current, log), ...current, errorMessages }
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
    validationError: (code, options = {}) => ({
      code,
      message: account.adapter.errorMessages[code] ?? "This value isn't valid.",
      ...options,
    }),
  }
}

/** Hooks in the words of the contract, and what they stand for. */
const OLD_FORMS = {
  getEmailConfirmationRedirectUrl: 'getEmailVerificationRedirectUrl',
  sendMailToUsers: 'sendMail',
} as const

/** Hooks in the words of the contract, where the present ones are not given. */
function oldForms(given: AccountAdapterOverrides, log: Pick<Log, 'warn'>): Partial<AccountAdapter> {
  const { getEmailConfirmationRedirectUrl: redirectUrl, sendMailToUsers } = given
  for (const [old, present] of Object.entries(OLD_FORMS)) {
    if (old in given) log.warn(`The adapter has ${old}, an old form of ${present}`)
  }
  const redirects: Partial<AccountAdapter> | undefined = redirectUrl && {
    getEmailVerificationRedirectUrl: async (request) => redirectUrl(request),
  }
  const mails: Partial<AccountAdapter> | undefined = sendMailToUsers && {
    async sendMail(request, templatePrefix, email, context) {
      const users = await usersOf(request, email, context)
      await sendMailToUsers(templatePrefix, { ...context, request, email }, users)
    },
  }
  return { ...redirects, ...mails }
}

/** Whom a mail is for: whom it speaks of, else everybody who has the address. */
async function usersOf(request: Visit, email: string, { user }: MailContext): Promise<readonly User[]> {
  if (typeof user === 'object' && user !== null) return [user as User] // hooks of ours put nothing else there
  return request.kernel.users.byEmail(request.db, email, { preferVerified: true, activeOnly: false })
}
