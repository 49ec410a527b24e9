import { pendingReset } from '../account/password/reset-code.ts'
import { BY_PASSWORD } from '../account/reauthentication/reauthentication.ts'
import type { Core } from '../core.ts'
import { BY_CODE, BY_KEY } from '../mfa/reauthentication-methods.ts'
import type { Visit } from '../kernel/visit.ts'
import type { User } from '../kernel/users/user.ts'
import type { ApiAnswer } from './endpoint.ts'
import { providerData } from './endpoints/provider-data.ts'
import { supportedProviders } from './supported-providers.ts'

/** One way on, or one step that waits (4.2.3 of the reference). */
interface Flow {
  readonly id: string
  readonly is_pending?: boolean
  readonly types?: readonly string[]
  readonly providers?: readonly string[]
  readonly provider?: object
}

/** Envelope of where a visitor's authentication stands. */
export interface AuthenticationBody {
  readonly status: 200 | 401
  readonly data: object
  readonly meta: { readonly is_authenticated: boolean }
}

/** Where the visitor's authentication stands: user and methods, or the flows that lead there. */
export async function authenticationBody(
  core: Core,
  request: Visit,
  { as }: Extract<ApiAnswer, { kind: 'authentication' }>,
): Promise<AuthenticationBody> {
  const user = as === 'anonymous' ? null : request.user
  const meta = { is_authenticated: user !== null }
  if (user === null) return { status: 401, data: { flows: await flowsOf(core, request, null) }, meta }
  const data = { user: await userData(core, request, user), methods: core.login.records(request) }
  if (as === undefined) return { status: 200, data, meta }
  return { status: 401, data: { ...data, flows: await flowsOf(core, request, user) }, meta }
}

/** A user as the API shows it: what is empty or null is left out. */
export async function userData(core: Core, request: Visit, user: User): Promise<object> {
  const members = Object.entries(await core.headless.adapter.serializeUser(request, user))
  return Object.fromEntries(members.filter(([, value]) => value !== '' && value !== null && value !== undefined))
}

async function flowsOf(core: Core, request: Visit, user: User | null): Promise<readonly Flow[]> {
  const { account, socialaccount } = core.settings
  const flows = user === null ? await entranceFlows(core, request) : await reauthenticationFlows(core, request, user)
  const pending = request.user === null ? await pendingFlow(core, request) : null
  const merged = pending === null ? flows : withPending(flows, pending)
  if (socialaccount.only || !account.passwordResetByCodeEnabled) return merged
  return [...merged, { id: 'password_reset_by_code', is_pending: pendingReset(core, request) !== null }]
}

/** What somebody may begin whom nobody knows. */
async function entranceFlows(core: Core, request: Visit): Promise<readonly Flow[]> {
  const { account, socialaccount, mfa } = core.settings
  const isOpen = !socialaccount.only && (await core.adapter.isOpenForSignup(request))
  const ids = [
    ...(socialaccount.only ? [] : ['login']),
    ...(account.loginByCodeEnabled ? ['login_by_code'] : []),
    ...(isOpen ? ['signup'] : []),
  ]
  const byPasskey = mfa.enabled && mfa.passkeyLoginEnabled
  return [
    ...ids.map((id) => ({ id })),
    ...(await providerFlows(core, request)),
    ...(byPasskey ? [{ id: 'mfa_login_webauthn' }] : []),
  ]
}

/** Only a browser can be sent to a provider. */
async function providerFlows(core: Core, request: Visit): Promise<readonly Flow[]> {
  if (!core.settings.socialaccount.enabled) return []
  const providers = await supportedProviders(core, request)
  const idsOf = (list: typeof providers): readonly string[] => [...new Set(list.map(({ id }) => id))]
  const redirect = request.client === 'app' ? [] : idsOf(providers)
  const token = idsOf(providers.filter(({ supportsToken }) => supportsToken))
  const pending = await core.social.pendingSignup(request)
  const of = pending === null ? null : providerData(await core.social.provider(pending.app))
  return [
    ...(redirect.length > 0 ? [{ id: 'provider_redirect', providers: redirect }] : []),
    ...(token.length > 0 ? [{ id: 'provider_token', providers: token }] : []),
    ...(of === null ? [] : [{ id: 'provider_signup', provider: of, is_pending: true }]),
  ]
}

async function reauthenticationFlows(core: Core, request: Visit, user: User): Promise<readonly Flow[]> {
  const offered = (await core.adapter.getReauthenticationMethods(request, user)).map(({ id }) => id)
  const types = (await core.mfa.typesOf(request, user)).filter((type) =>
    offered.includes(type === 'webauthn' ? BY_KEY : BY_CODE),
  )
  return [
    ...(offered.includes(BY_PASSWORD) ? [{ id: BY_PASSWORD }] : []),
    ...(types.length > 0 ? [{ id: BY_CODE, types }] : []),
  ]
}

/** The step that a login of this session waits for. */
async function pendingFlow(core: Core, request: Visit): Promise<Flow | null> {
  const login = await core.login.pending(request)
  const id = login?.state.current ?? null
  if (login === null || id === null) return null
  if (id !== 'mfa_authenticate' || login.user === null) return { id, is_pending: true }
  return { id, is_pending: true, types: await core.mfa.typesOf(request, login.user) }
}

const withPending = (flows: readonly Flow[], pending: Flow): readonly Flow[] =>
  flows.some(({ id }) => id === pending.id)
    ? flows.map((flow) => (flow.id === pending.id ? { ...flow, ...pending } : flow))
    : [...flows, pending]
