import type { Core } from '../../core.ts'
import type { PageAnswer } from '../../kernel/http/answer.ts'
import type { PageHandler, PageRoute } from '../../kernel/http/route.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { User } from '../../kernel/users/user.ts'
import type { LoginOutcome } from '../login.ts'
import { outcomeAnswer } from '../login/outcome-answer.ts'
import { withNext } from '../page-context.ts'
import { newPasswordForm } from './forms.ts'
import { resetByLink, userOfKey } from './reset-by-link.ts'
import { partsOf } from './reset-link.ts'
import { newPasswordPage, noticePage } from './reset-pages.ts'

const PAGE = 'account_reset_password_from_key'
const DONE = 'account_reset_password_from_key_done'
/** Entry of the session that holds the key while its page is open, whose address does not have it. */
const SESSION_KEY = '_password_reset_key'
/** Stands in the address in place of the key. */
const IN_SESSION = 'set-password'

/** Reset by a link from a mail. */
export const resetLinkPages = (core: Core): readonly PageRoute[] => {
  const at =
    (work: (request: Visit, found: FoundKey) => Promise<PageAnswer>): PageHandler =>
    (request, params) =>
      atKey(core, request, params['key'] ?? '', work)
  return [
    noticePage(core, {
      name: 'account_reset_password_done',
      path: 'password/reset/done/',
      template: 'account/password_reset_done',
    }),
    noticePage(core, {
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
        newPasswordPage(core, request, {
          form: core.forms.show(formOf(core, found), request),
          actionUrl: found.actionUrl,
        }),
      ),
      POST: at((request, found) => submit(core, request, found)),
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
async function atKey(
  core: Core,
  request: Visit,
  given: string,
  work: (request: Visit, found: FoundKey) => Promise<PageAnswer>,
): Promise<PageAnswer> {
  const [uid, token] = partsOf(given)
  const isStored = token === IN_SESSION
  const key = isStored ? storedKey(request, uid) : given
  const user = key === null ? null : await userOfKey(core, request, key)
  if (key === null || user === null) return newPasswordPage(core, request, null)
  if (isStored || request.client === 'xhr')
    return work(request, { key, user, actionUrl: core.url(PAGE, { key: given }) })
  request.session.set(SESSION_KEY, key)
  return { kind: 'redirect', to: withNext(core.url(PAGE, { key: `${uid}-${IN_SESSION}` }), request.next) }
}

/** The key in the session, if it is for the user of the address. */
function storedKey(request: Visit, uid: string): string | null {
  const key = request.session.get(SESSION_KEY)
  return typeof key === 'string' && partsOf(key)[0] === uid ? key : null
}

const formOf = (core: Core, { key, user }: FoundKey) =>
  newPasswordForm<LoginOutcome | null>(core, user, (request, password) =>
    resetByLink(core, request, key, { user, password, redirectUrl: request.next ?? core.url(DONE) }),
  )

async function submit(core: Core, request: Visit, found: FoundKey): Promise<PageAnswer> {
  const submitted = await core.forms.submit(formOf(core, found), request)
  if (!submitted.ok) return newPasswordPage(core, request, { form: submitted.form, actionUrl: found.actionUrl })
  request.session.delete(SESSION_KEY)
  if (submitted.result !== null) return outcomeAnswer(submitted.result)
  return { kind: 'redirect', to: withNext(core.url(DONE), request.next) }
}
