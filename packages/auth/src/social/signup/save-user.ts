import type { Social } from '../social-accounts.ts'
import type { Account } from '../../account/account.ts'
import { storeAddresses } from '../../account/signup/signup-flow.ts'
import { readTextField } from '../../account/email/forms.ts'
import type { FormValues } from '../../kernel/forms/form.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { NewUser, User } from '../../kernel/users/user.ts'
import type { SocialLogin } from '../social-login.ts'

/** Another request has linked this account since it was looked up. Nothing is stored. */
export class AccountTaken extends Error {
  override readonly name = 'AccountTaken'
}

/**
 * Stores a social sign-up: the user without a password, the link, the tokens, and the addresses. Runs in the
 * transaction of the sign-up.
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

/** Returns only the members of a new user, whatever a hook has added. */
function toNewUser({ user }: SocialLogin): NewUser {
  const { username = '', email = '', firstName = '', lastName = '', isActive = true, isStaff = false } = user
  return { username, email, firstName, lastName, isActive, isStaff, isSuperuser: user.isSuperuser ?? false }
}

const omitPassword = (values: FormValues): FormValues =>
  Object.fromEntries(Object.entries(values).filter(([name]) => name !== 'password1' && name !== 'password2'))

/**
 * Links the account to the user and stores its tokens. Call it in a transaction.
 * @throws {AccountTaken}
 */
export async function storeLink(social: Social, request: Visit, sociallogin: SocialLogin, user: User): Promise<void> {
  const account = await social.accounts.insert(request.db, { ...sociallogin.account, userId: user.id })
  if (account === null) throw new AccountTaken()
  sociallogin.account = account
  await storeTokens(social, request, sociallogin)
}

/** Stores the tokens of a linked account if the settings say so. Call it in a transaction. */
export async function storeTokens(
  social: Social,
  request: Visit,
  { account, app, tokens }: SocialLogin,
): Promise<void> {
  if (!social.kernel.settings.socialaccount.storeTokens || tokens === null || account.id === null) return
  await social.tokens.save(request.db, account.id, app.id, tokens)
}

/** Stores the provider's number if accounts have numbers and it's free. A number from the form is already stored. */
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
