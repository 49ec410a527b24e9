import { inputField } from '../../account/operations/signup.ts'
import { requireSignedIn } from '../../account/refusals.ts'
import { AuthError, ImmediateResponse, type InputError, InvalidInput } from '../../errors.ts'
import type { InputErrorCode } from '../../kernel/forms/error-messages.ts'
import type { FormValues } from '../../kernel/forms/form.ts'
import type { PageAnswer } from '../../kernel/http/route.ts'
import type { PageRequest } from '../../kernel/http/page-request.ts'
import { pageResponse } from '../../kernel/http/page-response.ts'
import { isRecord } from '../../kernel/settings/kind.ts'
import type { InputField } from '../../kernel/operations/declaration.ts'
import {
  loginAnswer,
  createResource,
  implement,
  reportOtherErrors,
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
import { requireConnectUser } from '../links/connect.ts'
import { checkSocialSignup } from '../signup/sign-up.ts'
import type { Social, SocialOutcome } from '../social-accounts.ts'
import type { SocialState, SocialLogin } from '../social-login.ts'
import { providerAccountData } from './provider-data.ts'
import { SOCIAL_OPERATIONS } from './table.ts'

/** Returns the operations on accounts at identity providers. */
export const providersResources = (social: Social): readonly ApiResource[] =>
  social.kernel.settings.socialaccount.enabled
    ? [accountsResource(social), providerSignupResource(social), redirectResource(social), tokenResource(social)]
    : []

const accountsResource = (social: Social): ApiResource =>
  createResource(
    [
      implement(SOCIAL_OPERATIONS.listProviders, (visit) => respondWithAccounts(social, visit)),
      implement(SOCIAL_OPERATIONS.disconnectProvider, async (visit, { provider, account: uid }) => {
        const user = requireSignedIn(visit)
        const accounts = await social.connections(visit, user)
        const account = accounts.find((own) => own.provider === provider && own.uid === uid)
        if (account === undefined || account.id === null) {
          throw new InvalidInput([social.account.adapter.validationError('account_not_found')])
        }
        await social.disconnect(visit, user, account.id)
        return respondWithAccounts(social, visit)
      }),
    ],
    {
      async before(visit, method) {
        if (method === 'DELETE') await requireConnectUser(social.account, visit)
        return null
      },
    },
  )

async function respondWithAccounts(social: Social, request: Visit): Promise<ApiAnswer> {
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
    [
      implement(SOCIAL_OPERATIONS.loginByProviderToken, (visit, input) => loginByToken(social, visit, input), {
        invalid: async (visit, _errors, input) => (await checkTokenInput(social, visit, input)).errors,
      }),
    ],
    { limit: { action: 'provider_token', per: 'ip' } },
  )

/** Redirects a browser, which submitted a form of the front end, to a provider, or back with an error. */
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

/** Codes of the package's own errors as front ends know them. */
const PUBLIC_CODES: Readonly<Record<string, string>> = {
  login_required: 'permission_denied',
  reauthentication_required: 'reauthentication_required',
}

/** Returns the error code for the front end, or `null` if it must not be disclosed. */
function toPublicErrorCode(error: unknown): string | null {
  if (error instanceof ProviderError) return error.code
  return error instanceof AuthError ? (PUBLIC_CODES[error.code] ?? null) : null
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
  throw new ImmediateResponse(await pageResponse(request as PageRequest, answer)) // created by the API's dispatcher
}

/** Returns the operations on the sign-up that is pending after a login at a provider. */
export const providerSignupResource = (social: Social): ApiResource =>
  createResource(
    [
      implement(SOCIAL_OPERATIONS.getProviderSignup, async (visit) => ({
        kind: 'data',
        data: await signupData(social, visit, await requirePendingSignup(social, visit)),
      })),
      implement(
        SOCIAL_OPERATIONS.signupByProvider,
        async (visit, input) => {
          const values = input as FormValues // only texts and booleans, by its fields
          return loginAnswer(await social.completeSignup(visit, await requirePendingSignup(social, visit), values))
        },
        {
          fields: (visit) => signupInput(social, visit),
          invalid: reportOtherErrors(async (visit, input) => {
            const values = input as FormValues // as above
            return checkSocialSignup(social, visit, await requirePendingSignup(social, visit), values)
          }),
        },
      ),
    ],
    {
      limit: { action: 'signup', per: 'ip' },
      async before(visit) {
        const sociallogin = await requirePendingSignup(social, visit)
        if (!(await social.adapter.isOpenForSignup(visit, sociallogin))) throw new AuthError('permission_denied')
        return null
      },
    },
  )

const signupInput = (social: Social, visit: Visit): readonly InputField[] =>
  socialSignupFields(social.account, visit)
    .filter(({ name }) => name !== 'email2')
    .map(inputField)

/**
 * Returns the pending sign-up.
 * @throws {AuthError} `flow_wrong_stage` if there is none, or a user is signed in: another one may have since
 */
async function requirePendingSignup(social: Social, request: Visit): Promise<SocialLogin> {
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

/** Returns a user who isn't stored yet. The response omits the empty ID. */
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

/** The input of an app that has signed in at a provider by itself. */
export interface TokenInput {
  readonly provider: string
  readonly process: string
  /** `client_id`, and `id_token` or `access_token`; unchecked. */
  readonly token: unknown
}

/** Signs in with a provider's token, or connects the account. @throws {InvalidInput} with all errors */
export async function loginByToken(social: Social, request: Visit, input: TokenInput): Promise<ApiAnswer> {
  const { process } = input
  const checked = await checkTokenInput(social, request, input)
  if (checked.found === null || (process !== 'login' && process !== 'connect')) throw new InvalidInput(checked.errors)
  return toTokenAnswer(social, await social.byToken(request, checked.found.provider, checked.found.token, process))
}

interface CheckedTokenInput {
  readonly found: FoundProvider | null
  readonly errors: readonly InputError[]
}

/** Checks the fields that could be read. A token that isn't an object is an `invalid_token`, and may be missing too. */
async function checkTokenInput(
  social: Social,
  request: Visit,
  { provider, process, token }: Partial<TokenInput>,
): Promise<CheckedTokenInput> {
  const toError = (code: InputErrorCode, param: string): InputError =>
    social.account.adapter.validationError(code, { param })
  const isKnown = process === undefined || process === 'login' || process === 'connect'
  const errors = isKnown ? [] : [toError('invalid_choice', 'process')]
  const isEmpty = typeof token === 'object' && token !== null && Object.keys(token).length === 0
  const isMissing = token === undefined || token === null || token === '' || isEmpty
  if (isMissing) errors.push(toError('required', 'token'))
  if (!isRecord(token)) errors.push(toError('invalid_token', 'token'))
  if (!isRecord(token) || isMissing || provider === undefined) return { found: null, errors }
  const found = await findProvider(social, request, provider, token)
  return 'code' in found ? { found: null, errors: [...errors, toError(found.code, found.param)] } : { found, errors }
}

interface FoundProvider {
  readonly provider: Provider
  readonly token: GivenToken
}
interface TokenProblem {
  readonly code: InputErrorCode
  readonly param: 'provider' | 'token'
}
const toTokenProblem = (code: InputErrorCode): TokenProblem => ({ code, param: 'token' })

async function findProvider(
  social: Social,
  request: Visit,
  id: string,
  token: Readonly<Record<string, unknown>>,
): Promise<FoundProvider | TokenProblem> {
  const clientId = token['client_id']
  // A sub-provider has no entry, but always an app.
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

function toTokenAnswer(social: Social, outcome: SocialOutcome): ApiAnswer {
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
