import { inputField } from '../../account/operations/signup.ts'
import { requireSignedIn } from '../../account/refusals.ts'
import { AuthError, ImmediateResponse, type InputError, InvalidInput } from '../../errors.ts'
import type { FormValues } from '../../kernel/forms/form.ts'
import type { PageAnswer } from '../../kernel/http/route.ts'
import type { PageRequest } from '../../kernel/http/page-request.ts'
import { pageResponse } from '../../kernel/http/page-response.ts'
import type { InputField } from '../../kernel/operations/declaration.ts'
import {
  loginAnswer,
  createResource,
  implement,
  type ApiAnswer,
  type ApiResource,
} from '../../kernel/operations/operation.ts'
import { userData } from '../../kernel/operations/user-data.ts'
import type { NewUser, User } from '../../kernel/users/user.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { SocialAuthError } from '../adapter.ts'
import { ProviderError, type GivenToken } from '../exchange.ts'
import type { Provider } from '../provider.ts'
import { failedAnswer } from '../pages/answers.ts'
import { providerIfAny } from '../pages/provider-of.ts'
import { socialSignupFields } from '../pages/signup-page.ts'
import { respondWithProviderUrl } from '../pages/start.ts'
import type { Social, SocialOutcome } from '../social-accounts.ts'
import type { SocialState, SocialLogin } from '../social-login.ts'
import { providerAccountData } from './provider-data.ts'
import { SOCIAL_OPERATIONS } from './table.ts'

/** Accounts at identity providers. */
export const providersResources = (social: Social): readonly ApiResource[] =>
  social.kernel.settings.socialaccount.enabled
    ? [accountsResource(social), providerSignupResource(social), redirectResource(social), tokenResource(social)]
    : []

const accountsResource = (social: Social): ApiResource =>
  createResource([
    implement(SOCIAL_OPERATIONS.listProviders, (visit) => list(social, visit)),
    implement(SOCIAL_OPERATIONS.disconnectProvider, async (visit, { provider, account: uid }) => {
      const user = requireSignedIn(visit)
      const own = await social.connections(visit, user)
      const account = own.find((one) => one.provider === provider && one.uid === uid)
      if (account === undefined || account.id === null) {
        throw new InvalidInput([social.account.adapter.validationError('account_not_found')])
      }
      await social.disconnect(visit, user, account.id)
      return list(social, visit)
    }),
  ])

async function list(social: Social, request: Visit): Promise<ApiAnswer> {
  const accounts = await social.connections(request, requireSignedIn(request))
  return {
    kind: 'data',
    data: await Promise.all(accounts.map((account) => providerAccountData(social, request, account))),
  }
}

const redirectResource = (social: Social): ApiResource =>
  createResource(
    [implement(SOCIAL_OPERATIONS.postAuthProviderRedirect, (visit) => redirectToProvider(social, visit))],
    { limit: { action: 'provider_login', per: 'ip' } },
  )

const tokenResource = (social: Social): ApiResource =>
  createResource(
    [implement(SOCIAL_OPERATIONS.loginByProviderToken, (visit, input) => loginByToken(social, visit, input))],
    { limit: { action: 'provider_token', per: 'ip' } },
  )

/** A browser was sent here with a form by a front end: to a provider it goes on, or back with an error. */
export async function redirectToProvider(social: Social, request: Visit): Promise<never> {
  const providerId = request.form.get('provider') ?? ''
  const callbackUrl = request.form.get('callback_url') ?? ''
  const process = request.form.get('process')
  const provider = providerId === '' ? null : await providerIfAny(social, request, providerId)
  const isKnown = provider !== null && provider.supportsRedirect && (process === 'login' || process === 'connect')
  if (!isKnown || !social.account.adapter.isSafeUrl(request, callbackUrl)) {
    return redirectWithError(social, request, { provider, providerId })
  }
  const start = { process, next: callbackUrl, action: 'authenticate', headless: { callbackUrl } } as const
  const query = new URLSearchParams()
  let url: string
  try {
    url = await social.begin(request, provider, { ...start, scope: [], authParams: {}, query })
  } catch (error) {
    const code = toPublicErrorCode(error)
    if (code === null) throw error
    const state: SocialState = { ...start, data: {} }
    return redirectWithError(social, request, { provider, providerId, code, state }, error)
  }
  return throwPageResponse(request, respondWithProviderUrl(request, provider, url))
}

const CODES: Readonly<Record<string, string>> = {
  login_required: 'permission_denied',
  reauthentication_required: 'reauthentication_required',
}

/** Returns the error code for the front end, or `null` if it must not be disclosed. */
function toPublicErrorCode(error: unknown): string | null {
  if (error instanceof ProviderError) return error.code
  return error instanceof AuthError ? (CODES[error.code] ?? null) : null
}

/** Renders a page, since a browser made the request; without pages, redirects to the front end. */
async function redirectWithError(
  social: Social,
  request: Visit,
  failed: Partial<SocialAuthError> & Pick<SocialAuthError, 'provider' | 'providerId'>,
  exception: unknown = null,
): Promise<never> {
  return throwPageResponse(request, await failedAnswer(social, request, failed, exception))
}

async function throwPageResponse(request: Visit, answer: PageAnswer): Promise<never> {
  throw new ImmediateResponse(await pageResponse(request as PageRequest, answer)) // made by the frame of the API
}

/** The sign-up that waits after a login at a provider. */
export const providerSignupResource = (social: Social): ApiResource =>
  createResource(
    [
      implement(SOCIAL_OPERATIONS.getProviderSignup, async (visit) => ({
        kind: 'data',
        data: await signupData(social, visit, await pending(social, visit)),
      })),
      implement(
        SOCIAL_OPERATIONS.signupByProvider,
        async (visit, input) => {
          const values = input as FormValues // text and booleans alone, by its fields
          return loginAnswer(await social.completeSignup(visit, await pending(social, visit), values))
        },
        { fields: (visit) => signupInput(social, visit) },
      ),
    ],
    {
      limit: { action: 'signup', per: 'ip' },
      async before(visit) {
        const sociallogin = await pending(social, visit)
        if (!(await social.adapter.isOpenForSignup(visit, sociallogin))) throw new AuthError('permission_denied')
        return null
      },
    },
  )

const signupInput = (social: Social, visit: Visit): readonly InputField[] =>
  socialSignupFields(social.account, visit)
    .filter(({ name }) => name !== 'email2')
    .map(inputField)

/** @throws {AuthError} `flow_wrong_stage` if no sign-up is pending, or another user may have signed in since */
async function pending(social: Social, request: Visit): Promise<SocialLogin> {
  const sociallogin = request.user === null ? await social.pendingSignup(request) : null
  if (sociallogin === null) throw new AuthError('flow_wrong_stage')
  return sociallogin
}

async function signupData(social: Social, request: Visit, sociallogin: SocialLogin): Promise<object> {
  return {
    email: sociallogin.emailAddresses.map(({ email, verified, primary }) => ({ email, verified, primary })),
    account: await providerAccountData(social, request, sociallogin.account),
    user: await userData(social.kernel, request, toUnsavedUser(sociallogin.user)),
  }
}

/** Nobody is stored yet: an empty id is left out of the answer. */
const toUnsavedUser = (user: User | NewUser): User => ({
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

type Token = Readonly<Record<string, unknown>>

/** What an app brings that has been at a provider by itself. */
export interface TokenInput {
  readonly provider: string
  readonly process: string
  readonly token: Token
}

/** Signs in with a token of a provider, or links the account. @throws {InvalidInput} with everything that is wrong */
export async function loginByToken(social: Social, request: Visit, input: TokenInput): Promise<ApiAnswer> {
  const wrong = (code: string, param: string): InputError => social.account.adapter.validationError(code, { param })
  const { process } = input
  const found = await findProvider(social, request, input)
  const problem = 'code' in found ? wrong(found.code, found.param) : null
  if ('code' in found || (process !== 'login' && process !== 'connect')) {
    const isProcess = process === 'login' || process === 'connect'
    throw new InvalidInput([
      ...(isProcess ? [] : [wrong('invalid_choice', 'process')]),
      ...(problem === null ? [] : [problem]),
    ])
  }
  return tokenAnswer(social, await social.byToken(request, found.provider, found.token, process))
}

interface Found {
  readonly provider: Provider
  readonly token: GivenToken
}
interface Problem {
  readonly code: string
  readonly param: 'provider' | 'token'
}
const toTokenProblem = (code: string): Problem => ({ code, param: 'token' })

async function findProvider(
  social: Social,
  request: Visit,
  { provider: id, token }: TokenInput,
): Promise<Found | Problem> {
  if (Object.keys(token).length === 0) return toTokenProblem('required')
  const clientId = token['client_id']
  // A sub-provider is none of these, and has an app.
  const entry = (await social.entries()).find((known) => known.id === id)
  const needsApp = entry?.needsApp ?? true
  if (needsApp && typeof clientId !== 'string') return toTokenProblem('client_id_required')
  const given = typeof clientId === 'string' ? clientId : ''
  const provider = await providerIfAny(social, request, id, given === '' ? undefined : given)
  if (provider === null) return toTokenProblem('invalid_token')
  if (!provider.supportsToken) return { code: 'token_authentication_not_supported', param: 'provider' }
  if (needsApp && provider.app.clientId !== given) return toTokenProblem('client_id_mismatch')
  const { id_token: idToken = '', access_token: accessToken = '' } = token
  if (typeof idToken !== 'string' || typeof accessToken !== 'string' || `${idToken}${accessToken}` === '') {
    return toTokenProblem('token_required')
  }
  return {
    provider,
    token: {
      ...(given !== '' && { clientId: given }),
      ...(idToken !== '' && { idToken }),
      ...(accessToken !== '' && { accessToken }),
    },
  }
}

function tokenAnswer(social: Social, outcome: SocialOutcome): ApiAnswer {
  switch (outcome.kind) {
    case 'login':
      return loginAnswer(outcome.outcome)
    case 'connected':
      if (outcome.action === 'other')
        throw new InvalidInput([social.account.adapter.validationError('connected_other')])
      return { kind: 'authentication' }
    case 'signup_closed':
      throw new AuthError('permission_denied')
    case 'failed':
      throw new InvalidInput([social.account.adapter.validationError('invalid_token', { param: 'token' })])
    case 'signup':
    case 'redirect':
      return { kind: 'authentication' }
  }
}
