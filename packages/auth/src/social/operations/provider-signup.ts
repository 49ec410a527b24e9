import type { Social } from '../social-accounts.ts'
import { AuthError } from '../../errors.ts'
import type { FormValues } from '../../kernel/forms/form.ts'
import type { Visit } from '../../kernel/visit.ts'
import { socialSignupFields } from '../pages/signup-fields.ts'
import type { SocialLogin } from '../social-login.ts'
import type { NewUser, User } from '../../kernel/users/user.ts'
import { userData } from '../../kernel/operations/user-data.ts'
import { type ApiResource, operation, operationOf } from '../../kernel/operations/operation.ts'
import { loginAnswer } from '../../kernel/operations/login-answer.ts'
import { providerAccountData } from './provider-data.ts'
import { inputField } from '../../account/operations/signup.ts'

/** The sign-up that waits after a login at a provider. */
export const providerSignupResource = (social: Social): ApiResource => ({
  path: 'auth/provider/signup',
  tag: 'Authentication: providers',
  access: 'anon',
  limit: { action: 'signup', per: 'ip' },
  before: async (visit) => {
    const sociallogin = await pending(social, visit)
    if (!(await social.adapter.isOpenForSignup(visit, sociallogin))) throw new AuthError('permission_denied')
    return null
  },
  operations: {
    GET: operation({
      summary: 'The sign-up that waits after a login at a provider',
      answers: { 200: 'ProviderSignup', 403: 'Status', 409: 'Status' },
      handle: async (visit) => ({
        kind: 'data',
        data: await signupData(social, visit, await pending(social, visit)),
      }),
    }),
    POST: operationOf({
      summary: 'Completes the sign-up that waits after a login at a provider',
      input: (visit) =>
        socialSignupFields(social.account, visit)
          .filter(({ name }) => name !== 'email2')
          .map(inputField),
      answers: { 200: 'Authenticated', 400: 'Errors', 401: 'AuthenticationFlows', 403: 'Status', 409: 'Status' },
      async handle(visit, input) {
        const values = input as FormValues // text and booleans alone, by its fields
        return loginAnswer(await social.completeSignup(visit, await pending(social, visit), values))
      },
    }),
  },
})

/** @throws {AuthError} `flow_wrong_stage`: none waits, or somebody has signed in since, who may be another person */
async function pending(social: Social, request: Visit): Promise<SocialLogin> {
  const sociallogin = request.user === null ? await social.pendingSignup(request) : null
  if (sociallogin === null) throw new AuthError('flow_wrong_stage')
  return sociallogin
}

async function signupData(social: Social, request: Visit, sociallogin: SocialLogin): Promise<object> {
  return {
    email: sociallogin.emailAddresses.map(({ email, verified, primary }) => ({ email, verified, primary })),
    account: await providerAccountData(social, request, sociallogin.account),
    user: await userData(social.kernel, request, asUser(sociallogin.user)),
  }
}

/** Nobody is stored yet: an empty id is left out of the answer. */
const asUser = (user: User | NewUser): User => ({
  id: '',
  username: '',
  email: '',
  firstName: '',
  lastName: '',
  isActive: true,
  isStaff: false,
  isSuperuser: false,
  lastLoginMs: null,
  dateJoinedMs: 0,
  hasUsablePassword: false,
  ...user,
})
