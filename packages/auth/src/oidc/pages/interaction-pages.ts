import type { Account } from '../../account/account.ts'
import { type InputError, InvalidInput } from '../../errors.ts'
import type { BoundForm, BoundField } from '../../kernel/forms/form.ts'
import { currentPath, settingUrl, withNext } from '../../kernel/http/redirects.ts'
import type { PageAnswer, PageHandler, PageRoute } from '../../kernel/http/route.ts'
import type { User } from '../../kernel/users/user.ts'
import type { Visit } from '../../kernel/visit.ts'
import { describeScope } from '../hooks.ts'
import type { Oidc, OidcEngine, PendingAuthorization } from '../oidc.ts'

/** Where an authorization request waits for its person: to sign in, to confirm who they are, to consent. */
export const interactionPages = (oidc: Oidc): readonly PageRoute[] => [
  {
    name: 'idp_oidc_interaction',
    path: `${oidc.paths.interaction}{uid}/`,
    access: 'anon',
    withoutPages: true,
    GET: withInteraction(oidc, (at) => show(oidc, at)),
    POST: withInteraction(oidc, (at) => decide(oidc, at)),
  },
]

/** A request of a signed-in user, and the pending authorization. */
interface At {
  readonly request: Visit
  readonly engine: OidcEngine
  readonly pending: PendingAuthorization
  readonly user: User
}

const withInteraction =
  (oidc: Oidc, work: (at: At) => Promise<PageAnswer>): PageHandler =>
  async (request, { uid = '' }) => {
    const engine = await oidc.engine()
    const pending = await engine.pending(request, uid)
    if (pending === null) return renderExpired(request)
    const { user } = request
    if (user !== null) return work({ request, engine, pending, user })
    return redirect(loginUrl(request, pending.loginHint))
  }

/** Returns the login URL, prefilled with the client's `login_hint`. */
function loginUrl(request: Visit, hint: string | null): string {
  const url = withNext(settingUrl(request.kernel, request.kernel.settings.loginUrl), currentPath(request))
  return hint === null ? url : `${url}&login=${encodeURIComponent(hint)}`
}

const redirect = (to: string): PageAnswer => ({ kind: 'redirect', to })

async function show(oidc: Oidc, at: At): Promise<PageAnswer> {
  const { request, engine, pending, user } = at
  if (pending.needs === 'consent') return consentPage(oidc.account, at, consentForm(oidc, request, pending))
  if (pending.needs === 'reauthenticate') return confirmation(oidc.account, request, user)
  return renderContinue(await engine.signedIn(request, pending.uid, user))
}

/** Redirects to reauthentication; a user without a method, or a site without the pages, signs in again. */
async function confirmation(account: Account, request: Visit, user: User): Promise<PageAnswer> {
  const hasPages = !account.kernel.settings.headless.only
  const [first] = hasPages ? await account.adapter.getReauthenticationMethods(request, user) : []
  if (first === undefined) await account.login.logout(request)
  return redirect(first === undefined ? loginUrl(request, null) : withNext(first.url, currentPath(request)))
}

/**
 * Leads on without a redirect: this page may be where the form of a login has led, whose policy would stop everything
 * behind it that is not ours.
 */
const renderContinue = (to: string): PageAnswer => ({
  kind: 'page',
  template: 'idp/oidc/continue',
  context: { url: to },
})

async function decide(oidc: Oidc, at: At): Promise<PageAnswer> {
  const { request, engine, pending, user } = at
  // Something else is missing by now: the page leads there.
  if (pending.needs !== 'consent') return redirect(currentPath(request))
  if (request.form.get('action') !== 'grant') return redirect(await engine.refuse(request, pending.uid))
  const given = readConsent(request, pending)
  try {
    const to = await engine.consent(request, pending.uid, user, given)
    const { client } = pending
    await oidc.signals.emit('client_allowed', 'OidcClient', { request, user, client, scopes: given.scopes })
    return redirect(to)
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    return consentPage(oidc.account, at, consentForm(oidc, request, pending, error.errors))
  }
}

async function consentPage(account: Account, { request, pending, user }: At, form: BoundForm): Promise<PageAnswer> {
  const { client, redirectUri } = pending
  return {
    kind: 'page',
    template: 'idp/oidc/authorization_form',
    context: {
      form,
      client: { id: client.id, name: client.name },
      site: request.site,
      leads_to: describeRedirectTarget(redirectUri),
      addresses: pending.asksForEmail ? await verifiedAddresses(account, request, user) : [],
    },
    form,
    formTargets: formActionSources(redirectUri),
  }
}

const renderExpired = (request: Visit): PageAnswer => ({
  kind: 'page',
  template: 'idp/oidc/error',
  context: { error: { code: 'invalid_request', description: request.t(PAGE_MESSAGES.over) }, error_form: null },
  status: 400,
})

const PAGE_MESSAGES = {
  over: 'This request has expired or was started in another browser. Go back to the app and try again.',
} as const

/** Field of one scope: forms of ours have one value by name. */
const scopeFieldName = (scope: string): string => `scope_${scope}`
const EMAIL_FIELD = 'email'

/** One of the addresses that a person may show to a client. */
interface OfferedAddress {
  readonly id: string
  readonly email: string
  readonly checked: boolean
}

/** The verified addresses, the primary one first; none when there is nothing to choose. */
async function verifiedAddresses(account: Account, request: Visit, user: User): Promise<readonly OfferedAddress[]> {
  const own = (await account.emails.ofUser(request.db, user.id)).filter(({ verified }) => verified)
  if (own.length < 2) return []
  const chosen = request.form.get(EMAIL_FIELD)
  const sorted = own.toSorted(
    (a, b) => Number(b.primary) - Number(a.primary) || a.email.localeCompare(b.email, request.language),
  )
  const [first] = sorted
  const selected = sorted.find(({ email }) => email === chosen) ?? first
  return sorted.map(({ id, email }) => ({ id: `id_email_${id}`, email, checked: email === selected?.email }))
}

/**
 * What the client asks for, each with a box that is ticked.
 * @param errors Of what was given before: the boxes are then as they were left.
 */
function consentForm(
  oidc: Oidc,
  request: Visit,
  pending: PendingAuthorization,
  errors: readonly InputError[] = [],
): BoundForm {
  const given = new Set(errors.length > 0 ? readTickedScopes(request, pending) : pending.scopes)
  const fields = pending.scopes.map(
    (scope): BoundField => ({
      name: scopeFieldName(scope),
      id: `id_${scopeFieldName(scope)}`,
      label: describeScope(oidc.adapter, scope),
      type: 'checkbox',
      required: false,
      value: given.has(scope),
      errors: [],
    }),
  )
  return { fields, errors: errors.map((error) => (error.code === 'required' ? NOTHING_CHOSEN : error)) }
}

const NOTHING_CHOSEN: InputError = { code: 'required', message: 'Select at least one permission, or deny the request.' }

const readTickedScopes = ({ form }: Visit, { scopes }: PendingAuthorization): readonly string[] =>
  scopes.filter((scope) => form.has(scopeFieldName(scope)))

/** What a person has ticked, and the address that they have chosen. */
function readConsent(
  request: Visit,
  pending: PendingAuthorization,
): { readonly scopes: readonly string[]; readonly email?: string } {
  const scopes = readTickedScopes(request, pending)
  const email = scopes.includes('email') ? (request.form.get(EMAIL_FIELD) ?? '') : ''
  return { scopes, ...(email === '' ? {} : { email }) }
}

/** Where a redirect URI leads, for people. */
interface LeadsTo {
  /** `host`: a site; `device`: a program on the visitor's own machine; `app`: an app that has claimed the scheme. */
  readonly kind: 'host' | 'device' | 'app'
  /** Host with its port, or scheme. */
  readonly text: string
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

/** @param uri One that a client has registered. */
function describeRedirectTarget(uri: string): LeadsTo {
  const { protocol, host, hostname } = new URL(uri)
  if (protocol !== 'https:' && protocol !== 'http:') return { kind: 'app', text: protocol.slice(0, -1) }
  return LOOPBACK.test(hostname) ? { kind: 'device', text: host } : { kind: 'host', text: host }
}

/**
 * What the policy of a page must let forms through to that end at `uri`. Browsers apply it to every redirect behind the
 * form, and so to where the client sends people on: a single host would stop them there.
 * @see W3C, "Content Security Policy Level 3", section 6.4.1
 */
export function formActionSources(uri: string): readonly string[] {
  const { protocol } = new URL(uri)
  return protocol === 'https:' || protocol === 'http:' ? [...new Set([protocol, 'https:'])] : [protocol]
}
