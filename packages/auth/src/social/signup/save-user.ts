import type { Social } from '../social-accounts.ts'
import type { Account } from '../../account/account.ts'
import { storeAddresses } from '../../account/signup/signup-flow.ts'
import { readTextField } from '../../account/email/forms.ts'
import type { FormValues } from '../../kernel/forms/form.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { NewUser, User } from '../../kernel/users/user.ts'
import type { SocialLogin } from '../social-login.ts'

/** Somebody else has linked this account since it was looked for: nothing of the sign-up is kept. */
export class AccountTaken extends Error {
  override readonly name = 'AccountTaken'
}

/**
 * Stores what a sign-up after a provider's login makes: the user without a password, the link, the tokens and the
 * addresses. Runs in the transaction of the sign-up.
 * @throws {InvalidInput} `email_taken`, `username_taken`, `phone_taken`; {AccountTaken}
 */
export async function saveSocialUser(
  social: Social,
  request: Visit,
  sociallogin: SocialLogin,
  values: FormValues | null,
): Promise<User> {
  const stored = await social.account.adapter.saveUser(request, toNewUser(sociallogin), omitPassword(values ?? {}))
  await storeLink(social, request, sociallogin, stored)
  const user = await storeAddresses(social.account, request, stored, sociallogin.emailAddresses)
  await storePhone(social.account, request, sociallogin, user, values)
  return user
}

/** Members of a new user alone, whatever a hook has put there. */
function toNewUser({ user }: SocialLogin): NewUser {
  const { username = '', email = '', firstName = '', lastName = '', isActive = true, isStaff = false } = user
  return { username, email, firstName, lastName, isActive, isStaff, isSuperuser: user.isSuperuser ?? false }
}

const omitPassword = (values: FormValues): FormValues =>
  Object.fromEntries(Object.entries(values).filter(([name]) => name !== 'password1' && name !== 'password2'))

/**
 * Links the account to the user, with its tokens. In a transaction.
 * @throws {AccountTaken}
 */
export async function storeLink(social: Social, request: Visit, sociallogin: SocialLogin, user: User): Promise<void> {
  const account = await social.accounts.insert(request.db, { ...sociallogin.account, userId: user.id })
  if (account === null) throw new AccountTaken()
  sociallogin.account = account
  await storeTokens(social, request, sociallogin)
}

/** Keeps the tokens of a linked account, where the site keeps tokens. In a transaction. */
export async function storeTokens(
  social: Social,
  request: Visit,
  { account, app, tokens }: SocialLogin,
): Promise<void> {
  if (!social.kernel.settings.socialaccount.storeTokens || tokens === null || account.id === null) return
  await social.tokens.save(request.db, account.id, app.id, tokens)
}

/** A number of the form is stored already; one of the provider only where people have numbers, and when it is free. */
async function storePhone(
  account: Account,
  request: Visit,
  { phone }: SocialLogin,
  user: User,
  values: FormValues | null,
): Promise<void> {
  if (phone === null || !account.kernel.settings.account.signupFields.some(({ name }) => name === 'phone')) return
  const typed = values === null ? '' : readTextField(values, 'phone')
  if (typed !== '' && typed !== phone.phone) return
  if (typed === '' && (await account.adapter.getUserByPhone(request, phone.phone)) !== null) return
  if (typed === '' || phone.verified) await account.adapter.setPhone(request, user, phone.phone, phone.verified)
}
