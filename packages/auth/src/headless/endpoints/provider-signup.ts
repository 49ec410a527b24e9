import type { Core } from '../../core.ts'
import { AuthError } from '../../errors.ts'
import type { FormValues } from '../../kernel/forms/form.ts'
import type { Visit } from '../../kernel/visit.ts'
import { socialSignupFields } from '../../social/pages/signup-fields.ts'
import type { SocialLogin } from '../../social/social-login.ts'
import type { NewUser, User } from '../../kernel/users/user.ts'
import { userData } from '../authentication-answer.ts'
import { type ApiResource, operation, operationOf } from '../endpoint.ts'
import { loginAnswer } from '../login-answer.ts'
import { providerAccountData } from './provider-data.ts'
import { inputField } from './signup.ts'

/** The sign-up that waits after a login at a provider. */
export const PROVIDER_SIGNUP: ApiResource = {
  path: 'auth/provider/signup',
  tag: 'Authentication: providers',
  access: 'anon',
  limit: { action: 'signup', per: 'ip' },
  before: async ({ core, request }) => {
    const sociallogin = await pending(core, request)
    if (!(await core.social.adapter.isOpenForSignup(request, sociallogin))) throw new AuthError('permission_denied')
    return null
  },
  operations: {
    GET: operation({
      summary: 'The sign-up that waits after a login at a provider',
      answers: { 200: 'ProviderSignup', 403: 'Status', 409: 'Status' },
      handle: async ({ core, request }) => ({
        kind: 'data',
        data: await signupData(core, request, await pending(core, request)),
      }),
    }),
    POST: operationOf({
      summary: 'Completes the sign-up that waits after a login at a provider',
      input: ({ core, request }) =>
        socialSignupFields(core, request)
          .filter(({ name }) => name !== 'email2')
          .map(inputField),
      answers: { 200: 'Authenticated', 400: 'Errors', 401: 'AuthenticationFlows', 403: 'Status', 409: 'Status' },
      async handle({ core, request }, input) {
        const values = input as FormValues // text and booleans alone, by its fields
        return loginAnswer(await core.social.completeSignup(request, await pending(core, request), values))
      },
    }),
  },
}

/** @throws {AuthError} `flow_wrong_stage`: none waits, or somebody has signed in since, who may be another person */
async function pending(core: Core, request: Visit): Promise<SocialLogin> {
  const sociallogin = request.user === null ? await core.social.pendingSignup(request) : null
  if (sociallogin === null) throw new AuthError('flow_wrong_stage')
  return sociallogin
}

async function signupData(core: Core, request: Visit, sociallogin: SocialLogin): Promise<object> {
  return {
    email: sociallogin.emailAddresses.map(({ email, verified, primary }) => ({ email, verified, primary })),
    account: await providerAccountData(core, request, sociallogin.account),
    user: await userData(core, request, asUser(sociallogin.user)),
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
