import type { Account } from '../account.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { isUniqueViolation } from '@gatepost/sql'
import { InvalidInput } from '../../errors.ts'
import type { FormValues } from '../../kernel/forms/form.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { NewUser, User } from '../../kernel/users/user.ts'
import type { SignupHooks } from '../adapter.ts'
import { readTextField } from '../email/forms.ts'
import { takePreparedHash } from '../password/new-password.ts'
import { cleanUsername, uniqueUsername } from './username.ts'

/** Maximum number of generated names to try if other sign-ups take them at the same time. */
const NAME_ATTEMPTS = 5

/** Returns the default sign-up hooks. */
export function signupHooks(account: Account): Omit<SignupHooks, 'setPassword' | 'cleanPassword'> {
  return {
    isOpenForSignup: () => true,
    newUser: () => ({}),
    saveUser: (request, user, values) => saveUser(account, request, user, values),
    async populateUsername(request, user) {
      if (account.kernel.settings.account.userModelUsernameField === null || (user.username ?? '') !== '') return user
      const { firstName = '', lastName = '', email = '' } = user
      const username = await account.adapter.generateUniqueUsername(request, [firstName, lastName, email, 'user'])
      return { ...user, username }
    },
    generateUniqueUsername: (request, texts) => uniqueUsername(account, request, texts),
    cleanUsername: (request, username, shallow = false) => cleanUsername(account, request, username, shallow),
    getUserSearchFields: () => searchFields(account.kernel),
    userDisplay(user) {
      const { userDisplay } = account.kernel.settings.account
      if (userDisplay !== null) return userDisplay(user)
      // A user who isn't stored yet, in a social sign-up, has only a username.
      return user.username || (user.id === '' ? '' : user.email || String(user.id))
    },
  }
}

function searchFields(kernel: Kernel): readonly string[] {
  const { userModelUsernameField, userModelEmailField } = kernel.settings.account
  return [userModelUsernameField, 'first_name', 'last_name', userModelEmailField].filter((field) => field !== null)
}

/** Stores a user with the sign-up fields, which override the values of `given`. */
async function saveUser(account: Account, request: Visit, given: NewUser, values: FormValues): Promise<User> {
  const user: NewUser = {
    ...given,
    username: readTextField(values, 'username') || (given.username ?? ''),
    email: readTextField(values, 'email') || (given.email ?? ''),
    firstName: readTextField(values, 'first_name') || (given.firstName ?? ''),
    lastName: readTextField(values, 'last_name') || (given.lastName ?? ''),
  }
  const stored = await insertUserWithRetry(
    account,
    request,
    user,
    await takePreparedHash(request, readTextField(values, 'password1')),
  )
  const phone = readTextField(values, 'phone')
  if (phone !== '' && !(await account.adapter.setPhone(request, stored, phone, false))) {
    throw new InvalidInput([account.adapter.validationError('phone_taken', { param: 'phone' })])
  }
  return stored
}

/** Stores a user, with another generated name after a conflict. @throws {InvalidInput} `username_taken` */
async function insertUserWithRetry(account: Account, request: Visit, user: NewUser, password: string): Promise<User> {
  for (let attempt = 1; ; attempt++) {
    const named = await account.adapter.populateUsername(request, user)
    try {
      return await account.kernel.users.insert(request.db, named, password, request.nowMs)
    } catch (error) {
      if (!isUniqueViolation(error)) throw error
      const isChosen = (user.username ?? '') !== ''
      if (!isChosen && attempt < NAME_ATTEMPTS) continue
      throw new InvalidInput([account.adapter.validationError('username_taken', isChosen ? { param: 'username' } : {})])
    }
  }
}
