import type { Account } from '../../account/account.ts'
import type { Social, SocialOutcome } from '../social-accounts.ts'
import { lockClaim } from '../../account/contact-stores.sql.ts'
import { AuthError, InvalidInput } from '../../errors.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { User } from '../../kernel/users/user.ts'
import { findExistingUser } from '../login/lookup.ts'
import { AccountTaken, storeLink } from '../signup/save-user.ts'
import type { SocialAccount, SocialLogin } from '../social-login.ts'

type Connected = Extract<SocialOutcome, { kind: 'connected' }>

/** Returns the user who may change linked accounts. @throws {AuthError} `login_required`, `reauthentication_required` */
export async function requireConnectUser(account: Account, request: Visit): Promise<User> {
  if (request.user === null) throw new AuthError('login_required')
  if (account.kernel.settings.account.reauthenticationRequired && !(await account.login.isRecent(request))) {
    throw new AuthError('reauthentication_required')
  }
  return request.user
}

/** Links the provider account to the user and shows a message on the next page. */
export async function connect(
  social: Social,
  request: Visit,
  sociallogin: SocialLogin,
  user: User,
): Promise<Connected> {
  const action = await connectToUser(social, request, sociallogin, user)
  const { next, headless } = sociallogin.state
  if (headless === null) {
    const [level, name] = MESSAGES[action]
    await social.account.adapter.addMessage(request, level, `socialaccount/messages/${name}`, { sociallogin, action })
  }
  const isSafe = next !== null && social.account.adapter.isSafeUrl(request, next)
  const redirectTo = isSafe ? next : social.adapter.getConnectRedirectUrl(request, sociallogin.account)
  return { kind: 'connected', action, sociallogin, redirectTo }
}

const MESSAGES = {
  added: ['info', 'account_connected'],
  updated: ['info', 'account_connected_updated'],
  other: ['error', 'account_connected_other'],
} as const

async function connectToUser(
  social: Social,
  request: Visit,
  sociallogin: SocialLogin,
  user: User,
): Promise<Connected['action']> {
  const existing = findExistingUser(sociallogin)
  if (existing !== null && existing.id !== user.id) return 'other'
  if (sociallogin.account.id !== null) return 'updated'
  if (await linkUnlessTaken(social, request, sociallogin, user)) return 'added'
  const { provider, uid } = sociallogin.account
  const taken = await social.accounts.find(request.db, provider, uid)
  if (taken === null || taken.userId !== user.id) return 'other'
  sociallogin.account = taken
  return 'updated'
}

/**
 * Links an unlinked account to a user. Emits signals after the commit, and notifies the user by mail.
 * @throws {AccountTaken}
 */
export async function link(social: Social, request: Visit, sociallogin: SocialLogin, user: User): Promise<void> {
  await request.transaction(async () => {
    await storeLink(social, request, sociallogin, user)
    sociallogin.existingUser = user
    sociallogin.user = user
    await notify(social, request, 'account_connected', user, sociallogin.account)
    await request.afterCommit(() =>
      social.signals.emit('social_account_added', 'SocialAccount', { request, sociallogin }),
    )
  })
}

/** Does the same as `link`, but returns `false` if the account is already linked. */
export async function linkUnlessTaken(
  social: Social,
  request: Visit,
  sociallogin: SocialLogin,
  user: User,
): Promise<boolean> {
  try {
    await link(social, request, sociallogin, user)
    return true
  } catch (error) {
    if (error instanceof AccountTaken) return false
    throw error
  }
}

async function notify(
  social: Social,
  request: Visit,
  name: 'account_connected' | 'account_disconnected',
  user: User,
  account: SocialAccount,
): Promise<void> {
  const provider = { id: account.provider, name: await social.loadProviderName(request.db, account.provider) }
  const context = { account: { ...account, display: social.display(account) }, provider }
  await social.adapter.sendNotificationMail(request, `socialaccount/email/${name}`, user, { context })
}

/**
 * Removes a link, under a lock, so that two requests at once can't leave the user without a way to sign in.
 * @throws {InvalidInput} `account_not_found`, `no_password`, `no_verified_email`, `disconnect_last`, or the errors of
 *   the hook
 * @throws {AuthError} `reauthentication_required`
 */
export async function disconnect(social: Social, request: Visit, user: User, accountId: number): Promise<void> {
  const refuse = (code: string): InvalidInput => new InvalidInput([social.account.adapter.validationError(code)])
  const check = async (): Promise<SocialAccount> => {
    const accounts = await social.accounts.ofUser(request.db, user.id)
    const account = accounts.find(({ id }) => id === accountId)
    if (account === undefined) throw refuse('account_not_found')
    const code = accounts.length > 1 ? null : await checkLastAccount(social.account, request, user)
    if (code !== null) throw refuse(code)
    await social.adapter.validateDisconnect(request, account, accounts)
    return account
  }
  await check()
  await requireConnectUser(social.account, request)
  await request.transaction(async () => {
    await lockClaim(social.kernel, request.db, 'social_accounts_of', String(user.id))
    const account = await check()
    if (!(await social.accounts.remove(request.db, accountId))) throw refuse('account_not_found')
    await notify(social, request, 'account_disconnected', user, account)
    await request.afterCommit(async () => {
      await social.signals.emit('social_account_removed', 'SocialAccount', {
        request,
        user,
        socialaccount: account,
      })
      await social.account.adapter.addMessage(request, 'info', 'socialaccount/messages/account_disconnected')
    })
  })
}

/**
 * Removes the links of an account that someone else may have added them to, except one that this request's session
 * signed in with. Sends no mail.
 */
export async function evictLinks(social: Social, request: Visit, user: User): Promise<void> {
  await lockClaim(social.kernel, request.db, 'social_accounts_of', String(user.id))
  const used = social.account.login.records(request).filter(({ method }) => method === 'socialaccount')
  for (const socialaccount of await social.accounts.ofUser(request.db, user.id)) {
    const { id, provider, uid } = socialaccount
    if (id === null || used.some((record) => record['provider'] === provider && record['uid'] === uid)) continue
    await social.accounts.remove(request.db, id)
    const event = { request, user, socialaccount }
    await request.afterCommit(() => social.signals.emit('social_account_removed', 'SocialAccount', event))
  }
}

/** Returns why the last account can't be removed, or `null`: without it, the user might not be able to sign in. */
async function checkLastAccount(account: Account, request: Visit, { id }: User): Promise<string | null> {
  if (account.kernel.settings.socialaccount.only) return 'disconnect_last'
  const user = await account.kernel.users.byId(request.db, id)
  if (user?.hasUsablePassword !== true) return 'no_password'
  if (account.kernel.settings.account.emailVerification !== 'mandatory') return null
  const addresses = await account.emails.ofUser(request.db, id)
  return addresses.some(({ verified }) => verified) ? null : 'no_verified_email'
}
