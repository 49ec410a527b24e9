import { settingUrl } from '../../kernel/http/redirects.ts'
import type { Account } from '../account.ts'
import { randomText } from '../../kernel/crypto/random.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { EmailHooks } from '../adapter.ts'
import type { EmailAddress } from '../email-address.ts'
import { mailedLink } from '../mailed-link.ts'
import { markVerified } from './mirror.ts'
import { foldText } from './clean-address.ts'

const STASH = 'account_verified_email'
const KEY_LENGTH = 64
const KEY_ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789'

/** Returns the address stashed as verified in this session, without removing it. */
export function stashedEmail(request: Visit): string | null {
  const stashed = request.session.get(STASH)
  return typeof stashed === 'string' ? stashed : null
}

/** Returns the default email hooks. */
export function emailHooks(account: Account): EmailHooks {
  return {
    stashVerifiedEmail: (request, email) => request.session.set(STASH, foldText(email)),
    unstashVerifiedEmail(request) {
      const email = stashedEmail(request)
      if (email !== null) request.session.delete(STASH)
      return email
    },
    isEmailVerified: (request, email) => stashedEmail(request) === foldText(email),
    canDeleteEmail: (request, address) => canDelete(account, request, address),
    cleanEmail: async (_request, email) => email,
    validateUniqueEmail: async (_request, email) => email,
    confirmEmail: (request, address) => markVerified(account, request, address),
    getEmailConfirmationUrl: (request, { key }) =>
      key === null ? '' : mailedLink(account, request, 'account_confirm_email', key),
    async getEmailVerificationRedirectUrl(request) {
      const settings = account.kernel.settings.account
      if (request.user === null) return settingUrl(account.kernel, settings.emailConfirmationAnonymousRedirectUrl)
      const signedIn = settings.emailConfirmationAuthenticatedRedirectUrl
      return signedIn === null ? account.adapter.getLoginRedirectUrl(request) : settingUrl(account.kernel, signedIn)
    },
    shouldSendConfirmationMail: async () => true,
    generateEmailConfirmationKey: () => randomText(account.kernel.random, KEY_ALPHABET, KEY_LENGTH),
  }
}

/** Refuses the primary address while there are others, and the last one if users can sign in only by email. */
async function canDelete(account: Account, request: Visit, address: EmailAddress): Promise<boolean> {
  const rows = await account.emails.ofUser(request.db, address.userId)
  const hasOthers = rows.some(({ id }) => id !== address.id)
  if (hasOthers) return !address.primary
  return account.kernel.settings.account.loginMethods.some((method) => method !== 'email')
}
