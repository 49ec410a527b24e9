import { isUniqueViolation } from '@gatepost/sql'
import type { Core } from '../../core.ts'
import { InvalidInput } from '../../errors.ts'
import type { FormValues } from '../../kernel/forms/form.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { NewUser, User } from '../../kernel/users/user.ts'
import type { SignupHooks } from '../adapter.ts'
import { textOf } from '../email/forms.ts'
import { hashOf } from '../password/prepared-hash.ts'
import { cleanUsername, uniqueUsername } from './username.ts'

/** How often another generated name is tried when somebody takes it at the same moment. */
const NAME_ATTEMPTS = 5

/** What the hooks of the sign-up do unless the host gives others. */
export function signupHooks(core: () => Core): Omit<SignupHooks, 'setPassword' | 'cleanPassword'> {
  return {
    isOpenForSignup: () => true,
    newUser: () => ({}),
    saveUser: (request, user, values) => saveUser(core(), request, user, values),
    async populateUsername(request, user) {
      if (core().settings.account.userModelUsernameField === null || (user.username ?? '') !== '') return user
      const { firstName = '', lastName = '', email = '' } = user
      const username = await core().adapter.generateUniqueUsername(request, [firstName, lastName, email, 'user'])
      return { ...user, username }
    },
    generateUniqueUsername: (request, texts) => uniqueUsername(core(), request, texts),
    cleanUsername: (request, username, shallow = false) => cleanUsername(core(), request, username, shallow),
    getUserSearchFields: () => searchFields(core()),
    userDisplay(user) {
      const { userDisplay } = core().settings.account
      return userDisplay === null ? user.username || user.email || String(user.id) : userDisplay(user)
    },
  }
}

function searchFields(core: Core): readonly string[] {
  const { userModelUsernameField, userModelEmailField } = core.settings.account
  return [userModelUsernameField, 'first_name', 'last_name', userModelEmailField].filter((field) => field !== null)
}

/** A field that was asked for wins over what the user had before. */
async function saveUser(core: Core, request: Visit, given: NewUser, values: FormValues): Promise<User> {
  const user: NewUser = {
    ...given,
    username: textOf(values, 'username') || (given.username ?? ''),
    email: textOf(values, 'email') || (given.email ?? ''),
    firstName: textOf(values, 'first_name') || (given.firstName ?? ''),
    lastName: textOf(values, 'last_name') || (given.lastName ?? ''),
  }
  const stored = await insert(core, request, user, await hashOf(core, request, textOf(values, 'password1')))
  const phone = textOf(values, 'phone')
  if (phone !== '' && !(await core.adapter.setPhone(request, stored, phone, false))) {
    throw new InvalidInput([core.adapter.validationError('phone_taken', { param: 'phone' })])
  }
  return stored
}

/** @throws {InvalidInput} `username_taken`: somebody was faster */
async function insert(core: Core, request: Visit, user: NewUser, password: string): Promise<User> {
  for (let attempt = 1; ; attempt++) {
    const named = await core.adapter.populateUsername(request, user)
    try {
      return await core.users.insert(request.db, named, password, request.nowMs)
    } catch (error) {
      if (!isUniqueViolation(error)) throw error
      const isChosen = (user.username ?? '') !== ''
      if (!isChosen && attempt < NAME_ATTEMPTS) continue
      throw new InvalidInput([core.adapter.validationError('username_taken', isChosen ? { param: 'username' } : {})])
    }
  }
}
