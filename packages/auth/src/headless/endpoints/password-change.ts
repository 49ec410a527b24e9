import { checkPasswordChange, storeOwnPassword } from '../../account/password/change.ts'
import { checkAll, cleanNewPassword } from '../../account/password/new-password.ts'
import { signedIn } from '../../account/signed-in.ts'
import { InvalidInput } from '../../errors.ts'
import type { User } from '../../kernel/users/user.ts'
import { type ApiCall, type ApiModule, type ApiResource, operationOf } from '../endpoint.ts'

/** Another password, or the first one. */
export const passwordChangeResources: ApiModule = (core) => (core.settings.socialaccount.only ? [] : [resource])

const PARAMS = { oldPassword: 'current_password', password: 'new_password' } as const

type Given = Readonly<Record<(typeof PARAMS)[keyof typeof PARAMS], string>>

const resource: ApiResource = {
  path: 'account/password/change',
  tag: 'Account: password',
  access: 'auth',
  limit: { action: 'change_password', per: 'user' },
  operations: {
    POST: operationOf({
      summary: 'Change your password, or set the first one',
      input: ({ request }) => [
        {
          name: PARAMS.oldPassword,
          kind: 'password',
          required: request.user?.hasUsablePassword === true,
          about: 'Of accounts that have a password.',
        },
        { name: PARAMS.password, kind: 'password', required: true },
      ],
      answers: { 200: 'Authenticated' },
      async handle(call, input) {
        const { core, request } = call
        const user = signedIn(request)
        const { [PARAMS.oldPassword]: oldPassword, [PARAMS.password]: password } = input as Given // of the fields above
        await storeOwnPassword(core, request, user, await checked(call, user, { oldPassword, password }))
        return { kind: 'authentication' }
      },
    }),
  },
}

/** The password as it is to be stored. @throws {InvalidInput} with all that is wrong */
async function checked(
  { core, request }: ApiCall,
  user: User,
  { oldPassword, password }: { readonly oldPassword: string; readonly password: string },
): Promise<string> {
  if (user.hasUsablePassword) {
    return checkPasswordChange(core, request, user, { oldPassword, password, params: PARAMS })
  }
  let cleaned = password
  await checkAll(
    async () => {
      if (oldPassword === '') return
      throw new InvalidInput([core.adapter.validationError('enter_current_password', { param: PARAMS.oldPassword })])
    },
    async () => {
      cleaned = await cleanNewPassword(core, request, user, { password, param: PARAMS.password })
    },
  )
  return cleaned
}
