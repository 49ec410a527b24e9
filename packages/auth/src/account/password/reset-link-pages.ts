import { withNext } from '../../kernel/http/next.ts'
import type { Account } from '../account.ts'
import type { PageAnswer } from '../../kernel/http/answer.ts'
import type { PageHandler, PageRoute } from '../../kernel/http/route.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { User } from '../../kernel/users/user.ts'
import type { LoginOutcome } from '../../kernel/login.ts'
import { outcomeAnswer } from '../login/outcome-answer.ts'
import { newPasswordForm } from './forms.ts'
import { resetByLink, findUserByResetLink } from './reset-by-link.ts'
import { splitResetKey } from './reset-link.ts'
import { newPasswordPage, noticePage } from './reset-pages.ts'

const PAGE = 'account_reset_password_from_key'
const DONE = 'account_reset_password_from_key_done'
/** Entry of the session that holds the key while its page is open, whose address does not have it. */
const SESSION_KEY = '_password_reset_key'
/** Stands in the address in place of the key. */
const IN_SESSION = 'set-password'

/** Reset by a link from a mail. */
export const resetLinkPages = (account: Account): readonly PageRoute[] => {
  const at =
    (work: (request: Visit, found: FoundKey) => Promise<PageAnswer>): PageHandler =>
    (request, params) =>
      withResetKey(account, request, params['key'] ?? '', work)
  return [
    noticePage(account, {
      name: 'account_reset_password_done',
      path: 'password/reset/done/',
      template: 'account/password_reset_done',
    }),
    noticePage(account, {
      name: DONE,
      path: 'password/reset/key/done/',
      template: 'account/password_reset_from_key_done',
    }),
    {
      name: PAGE,
      path: 'password/reset/key/{key}/',
      access: 'anon',
      limit: { action: 'reset_password_from_key', per: 'ip' },
      GET: at(async (request, found) =>
        newPasswordPage(account, request, {
          form: account.kernel.forms.show(linkResetForm(account, found), request),
          actionUrl: found.actionUrl,
        }),
      ),
      POST: at((request, found) => submit(account, request, found)),
    },
  ]
}

/** A good key, and whose it is. */
interface FoundKey {
  readonly key: string
  readonly user: User
  readonly actionUrl: string
}

/**
 * Runs `work` with a good key. One in the address moves into the session first, and the visitor to an address without
 * it: so it does not leak by the Referer header or the history. A script gives it in the address each time.
 */
async function withResetKey(
  account: Account,
  request: Visit,
  given: string,
  work: (request: Visit, found: FoundKey) => Promise<PageAnswer>,
): Promise<PageAnswer> {
  const [uid, token] = splitResetKey(given)
  const isStored = token === IN_SESSION
  const key = isStored ? readStoredResetKey(request, uid) : given
  const user = key === null ? null : await findUserByResetLink(account, request, key)
  if (key === null || user === null) return newPasswordPage(account, request, null)
  if (isStored || request.client === 'xhr')
    return work(request, { key, user, actionUrl: account.kernel.url(PAGE, { key: given }) })
  request.session.set(SESSION_KEY, key)
  return { kind: 'redirect', to: withNext(account.kernel.url(PAGE, { key: `${uid}-${IN_SESSION}` }), request.next) }
}

/** The key in the session, if it is for the user of the address. */
function readStoredResetKey(request: Visit, uid: string): string | null {
  const key = request.session.get(SESSION_KEY)
  return typeof key === 'string' && splitResetKey(key)[0] === uid ? key : null
}

const linkResetForm = (account: Account, { key, user }: FoundKey) =>
  newPasswordForm<LoginOutcome | null>(account, user, (request, password) =>
    resetByLink(account, request, key, { user, password, redirectUrl: request.next ?? account.kernel.url(DONE) }),
  )

async function submit(account: Account, request: Visit, found: FoundKey): Promise<PageAnswer> {
  const submitted = await account.kernel.forms.submit(linkResetForm(account, found), request)
  if (!submitted.ok) return newPasswordPage(account, request, { form: submitted.form, actionUrl: found.actionUrl })
  request.session.delete(SESSION_KEY)
  if (submitted.result !== null) return outcomeAnswer(submitted.result)
  return { kind: 'redirect', to: withNext(account.kernel.url(DONE), request.next) }
}
