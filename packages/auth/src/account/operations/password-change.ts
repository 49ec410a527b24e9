import type { Account } from '../account.ts'
import type { Visit } from '../../kernel/visit.ts'
import { checkPasswordChange, storeOwnPassword } from '../password/change.ts'
import { checkAll, cleanNewPassword } from '../password/new-password.ts'
import { signedIn } from '../signed-in.ts'
import { InvalidInput } from '../../errors.ts'
import type { User } from '../../kernel/users/user.ts'
import { type ApiResource, createResource, implement } from '../../kernel/operations/operation.ts'
import { ACCOUNT_OPERATIONS } from './table.ts'

/** Another password, or the first one. */
export const passwordChangeResources = (account: Account): readonly ApiResource[] =>
  account.kernel.settings.socialaccount.only ? [] : [resource(account)]

const PARAMS = { oldPassword: 'current_password', password: 'new_password' } as const

const resource = (account: Account): ApiResource =>
  createResource(
    [
      implement(
        ACCOUNT_OPERATIONS.changePassword,
        async (visit, { current_password: oldPassword = '', new_password: password = '' }) => {
          const user = signedIn(visit)
          await storeOwnPassword(account, visit, user, await checked(account, visit, user, { oldPassword, password }))
          return { kind: 'authentication' }
        },
        {
          fields: ({ user }) =>
            ACCOUNT_OPERATIONS.changePassword.input.map((field) =>
              field.name === PARAMS.oldPassword ? { ...field, required: user?.hasUsablePassword === true } : field,
            ),
        },
      ),
    ],
    { limit: { action: 'change_password', per: 'user' } },
  )

/** The password as it is to be stored. @throws {InvalidInput} with all that is wrong */
async function checked(
  account: Account,
  visit: Visit,
  user: User,
  { oldPassword, password }: { readonly oldPassword: string; readonly password: string },
): Promise<string> {
  if (user.hasUsablePassword) {
    return checkPasswordChange(account, visit, user, { oldPassword, password, params: PARAMS })
  }
  let cleaned = password
  await checkAll(
    async () => {
      if (oldPassword === '') return
      throw new InvalidInput([account.adapter.validationError('enter_current_password', { param: PARAMS.oldPassword })])
    },
    async () => {
      cleaned = await cleanNewPassword(account, visit, user, { password, param: PARAMS.password })
    },
  )
  return cleaned
}
