import type { Account } from '../../account/account.ts'
import { type InputError, InvalidInput } from '../../errors.ts'
import type { BoundForm, BoundField } from '../../kernel/forms/form.ts'
import { currentPath, settingUrl, withNext } from '../../kernel/http/redirects.ts'
import type { PageAnswer, PageHandler, PageRoute } from '../../kernel/http/route.ts'
import type { User } from '../../kernel/users/user.ts'
import type { Visit } from '../../kernel/visit.ts'
import { describeScope } from '../hooks.ts'
import type { Oidc, OidcEngine, PendingAuthorization } from '../oidc.ts'

/** Returns the page on which an authorization request waits for the user to sign in, reauthenticate, or consent. */
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

/** A signed-in user's request with the pending authorization. */
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

/**
 * Redirects to reauthentication. If the user has no method or the site no pages for it, signs the user out and
 * redirects to the login page.
 */
async function confirmation(account: Account, request: Visit, user: User): Promise<PageAnswer> {
  const hasPages = !account.kernel.settings.headless.only
  const [first] = hasPages ? await account.adapter.getReauthenticationMethods(request, user) : []
  if (first === undefined) await account.login.logout(request)
  return redirect(first === undefined ? loginUrl(request, null) : withNext(first.url, currentPath(request)))
}

/**
 * Continues with a page instead of a redirect. After a login form was posted, its CSP would block redirects to other
 * origins.
 */
const renderContinue = (to: string): PageAnswer => ({
  kind: 'page',
  template: 'idp/oidc/continue',
  context: { url: to },
})

async function decide(oidc: Oidc, at: At): Promise<PageAnswer> {
  const { request, engine, pending, user } = at
  // Another step is needed by now; the page leads there.
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

/** Returns the field name of a scope. Each scope has its own field, because our forms have one value per name. */
const scopeFieldName = (scope: string): string => `scope_${scope}`
const EMAIL_FIELD = 'email'

/** An email address that the user can share with a client. */
interface OfferedAddress {
  readonly id: string
  readonly email: string
  readonly checked: boolean
}

/** Returns the verified addresses, primary first; none if there's only one. */
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
 * Returns the consent form: a checkbox for each scope, initially checked.
 * @param errors Errors of a posted form, whose checkboxes then keep their state.
 */
function consentForm(
  oidc: Oidc,
  request: Visit,
  pending: PendingAuthorization,
  errors: readonly InputError[] = [],
): BoundForm {
  const given = new Set(errors.length > 0 ? readCheckedScopes(request, pending) : pending.scopes)
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

const readCheckedScopes = ({ form }: Visit, { scopes }: PendingAuthorization): readonly string[] =>
  scopes.filter((scope) => form.has(scopeFieldName(scope)))

/** Reads the checked scopes and the selected email address. */
function readConsent(
  request: Visit,
  pending: PendingAuthorization,
): { readonly scopes: readonly string[]; readonly email?: string } {
  const scopes = readCheckedScopes(request, pending)
  const email = scopes.includes('email') ? (request.form.get(EMAIL_FIELD) ?? '') : ''
  return { scopes, ...(email === '' ? {} : { email }) }
}

/** A description of where a redirect URI leads. */
interface RedirectTarget {
  /** `host`: a website; `device`: a program on the user's device; `app`: an app with a custom scheme. */
  readonly kind: 'host' | 'device' | 'app'
  /** The host with its port, or the scheme. */
  readonly text: string
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

/** Describes a registered redirect URI. */
function describeRedirectTarget(uri: string): RedirectTarget {
  const { protocol, host, hostname } = new URL(uri)
  if (protocol !== 'https:' && protocol !== 'http:') return { kind: 'app', text: protocol.slice(0, -1) }
  return LOOPBACK.test(hostname) ? { kind: 'device', text: host } : { kind: 'host', text: host }
}

/**
 * Returns the `form-action` sources for a form that leads to `uri`. Browsers apply them to every redirect after the
 * form is posted, including the client's own, so they can't be limited to one host.
 * @see W3C, "Content Security Policy Level 3", section 6.4.1
 */
export function formActionSources(uri: string): readonly string[] {
  const { protocol } = new URL(uri)
  return protocol === 'https:' || protocol === 'http:' ? [...new Set([protocol, 'https:'])] : [protocol]
}
