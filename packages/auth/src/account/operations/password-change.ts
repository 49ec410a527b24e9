import type { Account } from '../account.ts'
import type { Visit } from '../../kernel/visit.ts'
import { checkPasswordChange, storeOwnPassword } from '../password/change.ts'
import { checkAll, cleanNewPassword } from '../password/new-password.ts'
import { signedIn } from '../signed-in.ts'
import { InvalidInput } from '../../errors.ts'
import type { User } from '../../kernel/users/user.ts'
import { type ApiResource, operationOf } from '../../kernel/operations/operation.ts'

/** Another password, or the first one. */
export const passwordChangeResources = (account: Account): readonly ApiResource[] =>
  account.kernel.settings.socialaccount.only ? [] : [resource(account)]

const PARAMS = { oldPassword: 'current_password', password: 'new_password' } as const

type Given = Readonly<Record<(typeof PARAMS)[keyof typeof PARAMS], string>>

const resource = (account: Account): ApiResource => ({
  path: 'account/password/change',
  tag: 'Account: password',
  access: 'auth',
  limit: { action: 'change_password', per: 'user' },
  operations: {
    POST: operationOf({
      summary: 'Change your password, or set the first one',
      input: (visit) => [
        {
          name: PARAMS.oldPassword,
          kind: 'password',
          required: visit.user?.hasUsablePassword === true,
          about: 'Of accounts that have a password.',
        },
        { name: PARAMS.password, kind: 'password', required: true },
      ],
      answers: { 200: 'Authenticated' },
      async handle(visit, input) {
        const user = signedIn(visit)
        const { [PARAMS.oldPassword]: oldPassword, [PARAMS.password]: password } = input as Given // of the fields above
        await storeOwnPassword(account, visit, user, await checked(account, visit, user, { oldPassword, password }))
        return { kind: 'authentication' }
      },
    }),
  },
})

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
