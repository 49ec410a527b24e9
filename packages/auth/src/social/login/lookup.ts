import type { Social } from '../social-accounts.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { User } from '../../kernel/users/user.ts'
import { storeTokens } from '../signup/save-user.ts'
import type { SocialLogin } from '../social-login.ts'

/**
 * Finds the user of a login: by linked account, whose data is updated, or, for `login`, by an address that the
 * provider has verified. Emits signals after the commit.
 */
export async function lookUp(social: Social, request: Visit, sociallogin: SocialLogin): Promise<void> {
  const isLinked = await request.transaction(() => lookUpLink(social, request, sociallogin))
  if (!isLinked && sociallogin.state.process === 'login') await lookUpAddress(social, request, sociallogin)
}

async function lookUpLink(social: Social, request: Visit, sociallogin: SocialLogin): Promise<boolean> {
  const { account } = sociallogin
  const link = await social.accounts.find(request.db, account.provider, account.uid)
  if (link === null || link.id === null || link.userId === null) return false
  const user = await social.kernel.users.byId(request.db, link.userId)
  if (user === null) return false
  const changes = { extraData: account.extraData, lastLoginMs: request.nowMs }
  await social.accounts.update(request.db, link.id, changes)
  sociallogin.account = { ...link, ...changes }
  sociallogin.authenticatedByEmail = null
  assignUser(sociallogin, user)
  await storeTokens(social, request, sociallogin)
  await request.afterCommit(async () => {
    await social.signals.emit('social_account_updated', 'SocialLogin', { request, sociallogin })
    await social.signals.emit('pre_update', 'SocialAccount', { request, sociallogin })
  })
  return true
}

async function lookUpAddress(social: Social, request: Visit, sociallogin: SocialLogin): Promise<void> {
  for (const { email, verified } of sociallogin.emailAddresses) {
    if (!verified || !social.adapter.canAuthenticateByEmail(sociallogin, email)) continue
    const options = { preferVerified: true, activeOnly: false }
    const [user] = await social.kernel.users.byEmail(request.db, email, options)
    if (user === undefined || !(await canMatchByEmail(social, request, user, email))) continue
    assignUser(sociallogin, user)
    sociallogin.authenticatedByEmail = email
    return
  }
}

/**
 * Returns whether an account may be matched by email. If the address was never verified here, another person may have
 * created the account. Its password and sessions end with such a login; but a link or a verified address would let
 * that person in again, so the account isn't matched.
 */
async function canMatchByEmail(social: Social, request: Visit, user: User, email: string): Promise<boolean> {
  if ((await social.account.emails.find(request.db, user.id, email))?.verified === true) return true
  const addresses = await social.account.emails.ofUser(request.db, user.id)
  if (addresses.some(({ verified }) => verified)) return false
  return (await social.accounts.ofUser(request.db, user.id)).length === 0
}

function assignUser(sociallogin: SocialLogin, user: User): void {
  sociallogin.existingUser = user
  sociallogin.user = user
}

/** Returns the stored user of a login: found, or set by a hook. */
export function findExistingUser({ existingUser, user }: SocialLogin): User | null {
  if (existingUser !== null) return existingUser
  return 'id' in user ? user : null
}
