import type { Core } from '../../core.ts'
import { randomText } from '../../kernel/crypto/random-text.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { EmailHooks } from '../adapter.ts'
import type { EmailAddress } from '../email-address.ts'
import { mailedLink } from '../mailed-link.ts'
import { markVerified } from './mark-verified.ts'
import { sameText } from './same-text.ts'
import { settingUrl } from './setting-url.ts'

const STASH = 'account_verified_email'
const KEY_LENGTH = 64
const KEY_ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789'

/** The address that was stashed as verified in this session, without using it up. */
export function stashedEmail(request: Visit): string | null {
  const stashed = request.session.get(STASH)
  return typeof stashed === 'string' ? stashed : null
}

/** What the hooks about addresses do unless the host gives others. */
export function emailHooks(core: () => Core): EmailHooks {
  return {
    stashVerifiedEmail: (request, email) => request.session.set(STASH, sameText(email)),
    unstashVerifiedEmail(request) {
      const email = stashedEmail(request)
      if (email !== null) request.session.delete(STASH)
      return email
    },
    isEmailVerified: (request, email) => stashedEmail(request) === sameText(email),
    canDeleteEmail: (request, address) => canDelete(core(), request, address),
    cleanEmail: async (_request, email) => email,
    validateUniqueEmail: async (_request, email) => email,
    confirmEmail: (request, address) => markVerified(core(), request, address),
    getEmailConfirmationUrl: (request, { key }) =>
      key === null ? '' : mailedLink(core(), request, 'account_confirm_email', key),
    async getEmailVerificationRedirectUrl(request) {
      const { account } = core().settings
      if (request.user === null) return settingUrl(core(), account.emailConfirmationAnonymousRedirectUrl)
      const signedIn = account.emailConfirmationAuthenticatedRedirectUrl
      return signedIn === null ? core().adapter.getLoginRedirectUrl(request) : settingUrl(core(), signedIn)
    },
    shouldSendConfirmationMail: async () => true,
    generateEmailConfirmationKey: () => randomText(core().random, KEY_ALPHABET, KEY_LENGTH),
  }
}

/** Not the primary one while there are others; not the last one where only addresses sign in. */
async function canDelete(core: Core, request: Visit, address: EmailAddress): Promise<boolean> {
  const rows = await core.emails.ofUser(request.db, address.userId)
  const hasOthers = rows.some(({ id }) => id !== address.id)
  if (hasOthers) return !address.primary
  return core.settings.account.loginMethods.some((method) => method !== 'email')
}
