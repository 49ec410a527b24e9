import { AuthError, InvalidInput } from '../../errors.ts'
import type { PageAnswer } from '../../kernel/http/route.ts'
import { currentPath, settingUrl, withNext } from '../../kernel/http/redirects.ts'
import type { ReauthenticationMethod } from '../../kernel/login.ts'
import type { ApiFlow } from '../../kernel/operations/operation.ts'
import type { User } from '../../kernel/users/user.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { Account } from '../account.ts'

/** ID of the password method, see `getReauthenticationMethods`. */
export const BY_PASSWORD = 'reauthenticate'
/** Name of the page that asks for the password again. */
export const REAUTHENTICATION_PAGE = 'account_reauthenticate'

/**
 * Reauthenticates by password. If the user can't use this method, every password is wrong.
 * @throws {InvalidInput} `incorrect_password`, `too_many_login_attempts`
 */
export async function reauthenticateByPassword(
  account: Account,
  request: Visit,
  user: User,
  password: string,
): Promise<void> {
  const isOffered = await canReauthenticateBy(account, request, user, BY_PASSWORD)
  if (!isOffered || !(await account.adapter.reauthenticate(request, user, password))) {
    throw new InvalidInput([account.adapter.validationError('incorrect_password', { param: 'password' })])
  }
  await account.login.record(request, { method: 'password', reauthenticated: true }, user)
}

/** Continues after reauthentication by any method: redirects to `next`, or to a page that resends the suspended POST. */
export function resumeAfterReauthentication(account: Account, request: Visit): PageAnswer {
  const { next } = request
  if (readSuspendedPost(request) !== null)
    return { kind: 'redirect', to: withNext(account.kernel.url(REAUTHENTICATION_PAGE), next) }
  return { kind: 'redirect', to: next ?? account.adapter.getLoginRedirectUrl(request) }
}

/** Returns the password method if the user has a usable password. */
export function passwordMethod(visit: Visit, user: User): readonly ReauthenticationMethod[] {
  if (!user.hasUsablePassword || visit.kernel.settings.socialaccount.only) return []
  const description = visit.t('Use your password')
  return [{ id: BY_PASSWORD, description, url: visit.kernel.url(REAUTHENTICATION_PAGE) }]
}

/**
 * Returns the methods by which the user must reauthenticate before getting at something sensitive; none if the user did
 * within the last `reauthenticationTimeout` seconds. Users who have a second factor must have used it.
 */
export async function listRequiredMethods(
  account: Account,
  request: Visit,
  user: User,
): Promise<readonly ReauthenticationMethod[]> {
  const { reauthenticationTimeout } = account.kernel.settings.account
  const recent = account.login
    .records(request)
    .filter(({ at }) => request.nowMs / 1000 - at < reauthenticationTimeout)
    .map(({ method }) => method)
  if (recent.includes('mfa')) return []
  const methods = await account.adapter.getReauthenticationMethods(request, user)
  const factors = methods.filter(({ secondFactorSinceMs }) => secondFactorSinceMs !== undefined)
  if (factors.length > 0) return factors
  return recent.length > 0 ? [] : methods
}

/**
 * Returns `null` if the visitor has recently authenticated or signed up, or else the flows of the JSON API in which they
 * can reauthenticate. Signing up counts only for users without a second factor.
 * @throws {AuthError} `login_required`
 */
export async function requiredReauthentication(account: Account, visit: Visit): Promise<readonly ApiFlow[] | null> {
  const { user } = visit
  if (user === null) throw new AuthError('login_required')
  if (await account.login.isRecent(visit)) return null
  const { reauthenticationTimeout } = account.kernel.settings.account
  const signedInAtMs = visit.session.authenticatedAtMs ?? 0
  const methods = await account.adapter.getReauthenticationMethods(visit, user)
  const hasFactor = methods.some(({ secondFactorSinceMs }) => secondFactorSinceMs !== undefined)
  if (!hasFactor && visit.nowMs - signedInAtMs < reauthenticationTimeout * 1000) return null
  return listReauthenticationFlows(account, visit, user)
}

/** Returns the flows of the JSON API in which a signed-in user can reauthenticate. */
export async function listReauthenticationFlows(
  account: Account,
  visit: Visit,
  user: User,
): Promise<readonly ApiFlow[]> {
  const offered = (await account.adapter.getReauthenticationMethods(visit, user)).map(({ id }) => id)
  const flows: ApiFlow[] = []
  for (const module of account.kernel.modules) {
    flows.push(...((await module.reauthenticationFlows?.(visit, user, offered)) ?? []))
  }
  return flows
}

/** Returns whether a user can reauthenticate by the method `id`, see `getReauthenticationMethods`. */
export async function canReauthenticateBy(account: Account, request: Visit, user: User, id: string): Promise<boolean> {
  return (await account.adapter.getReauthenticationMethods(request, user)).some((method) => method.id === id)
}

/**
 * Runs `work` for a user who can reauthenticate by the method `id`, see `getReauthenticationMethods`; `others` are the
 * user's other methods, with `next`. Redirects everyone else to a method they have.
 */
export async function withReauthenticationMethod(
  account: Account,
  request: Visit,
  id: string,
  work: (user: User, others: readonly ReauthenticationMethod[]) => Promise<PageAnswer>,
): Promise<PageAnswer> {
  const { user } = request
  if (user === null) throw new AuthError('login_required')
  const methods = await account.adapter.getReauthenticationMethods(request, user)
  const others = methods
    .filter((method) => method.id !== id)
    .toSorted((a, b) => a.description.localeCompare(b.description, request.language))
    .map((method) => ({ ...method, url: withNext(method.url, request.next) }))
  if (others.length < methods.length) return work(user, others)
  const [first] = methods
  if (first === undefined) throw new AuthError('permission_denied')
  return { kind: 'redirect', to: withNext(first.url, request.next) }
}

/** A POST that is suspended until the user has reauthenticated. */
export interface SuspendedPost {
  /** Path and query. */
  readonly path: string
  readonly fields: Readonly<Record<string, string>>
}

const KEY = 'account_reauthentication_state'
/** Maximum length of names and values together. A longer form must be filled in again. */
const MAX_CHARACTERS = 4_000
/** Fields that aren't kept: the CSRF token is issued again. */
const NEVER_KEPT: ReadonlySet<string> = new Set(['csrfmiddlewaretoken'])
/** Matches names of fields that may hold a secret. A form with such a field isn't kept at all. */
const SECRET = /passw|passphrase|secret|credential|token|pin\b|code/i

/**
 * Redirects a visitor to reauthenticate. Keeps the path and fields of a POST in the sealed session, to resend it
 * afterwards; never headers, and never a form that may contain a secret.
 * @param path Path and query to continue at.
 */
export async function redirectToReauthentication(
  account: Account,
  request: Visit,
  path: string = currentPath(request),
): Promise<PageAnswer> {
  const fields = Object.fromEntries([...request.form].filter(([name]) => !NEVER_KEPT.has(name)))
  if (request.method === 'POST' && canSuspendPost(fields)) request.session.set(KEY, { path, fields })
  else request.session.delete(KEY)
  const [first] = request.user === null ? [] : await account.adapter.getReauthenticationMethods(request, request.user)
  return {
    kind: 'redirect',
    to: withNext(first?.url ?? settingUrl(account.kernel, account.kernel.settings.loginUrl), path),
  }
}

function canSuspendPost(fields: Readonly<Record<string, string>>): boolean {
  const names = Object.keys(fields)
  const size = Object.entries(fields).reduce((sum, [name, value]) => sum + name.length + value.length, 0)
  return size <= MAX_CHARACTERS && !names.some((name) => SECRET.test(name))
}

/** Returns the suspended POST if it's to the URL where the visitor continues. */
export function readSuspendedPost(request: Visit): SuspendedPost | null {
  const stored = request.session.get(KEY)
  if (stored === undefined || stored === null || request.next === null) return null
  const post = stored as SuspendedPost // written only by `redirectToReauthentication`; sessions are sealed
  return post.path === request.next ? post : null
}

/** Removes the suspended POST: from now on only the page that resends it has it. */
export const clearSuspendedPost = (request: Visit): void => request.session.delete(KEY)
