import { currentPath, settingUrl, withNext } from '../../kernel/http/next.ts'
import type { Account } from '../account.ts'
import type { PageAnswer } from '../../kernel/http/answer.ts'
import type { Visit } from '../../kernel/visit.ts'

/** A POST that waits until the person has confirmed who they are. */
export interface SuspendedPost {
  /** Path and query. */
  readonly path: string
  readonly fields: Readonly<Record<string, string>>
}

const KEY = 'account_reauthentication_state'
/** Of names and values together; a longer form is filled in again. */
const MAX_CHARACTERS = 4_000
/** Belongs to one page and one moment. */
const NEVER_KEPT: ReadonlySet<string> = new Set(['csrfmiddlewaretoken'])
/** What could be a secret: such a form is not kept at all. */
const SECRET = /passw|passphrase|secret|credential|token|pin\b|code/i

/**
 * Sends a visitor to confirm who they are. A POST is kept for afterwards, sealed in the session: its path and fields,
 * never headers, and never a form with a secret in it.
 * @param path Where they go on.
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

/** The kept POST, when it goes to where the visitor is going on. */
export function readSuspendedPost(request: Visit): SuspendedPost | null {
  const stored = request.session.get(KEY)
  if (stored === undefined || stored === null || request.next === null) return null
  const post = stored as SuspendedPost // written by `demandReauthentication` alone; sessions are sealed
  return post.path === request.next ? post : null
}

/** The page that sends the kept POST holds it from now on: nobody is offered to send it again another day. */
export const clearSuspendedPost = (request: Visit): void => request.session.delete(KEY)
