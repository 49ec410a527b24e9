import { InvalidInput } from '../../errors.ts'
import type { BoundForm } from '../../kernel/forms/form.ts'
import { withNext } from '../../kernel/http/redirects.ts'
import type { PageAnswer, PageRoute, PageHandler } from '../../kernel/http/route.ts'
import type { LoginOutcome } from '../../kernel/login.ts'
import type { User } from '../../kernel/users/user.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { Account } from '../account.ts'
import { claimAddresses, giveUnprovenToOwner } from '../email/mirror.ts'
import { outcomeAnswer } from '../login/page-guards.ts'
import { entranceContext, nextContext } from '../page-context.ts'
import { newPasswordForm, resetPasswordForm, userTokenForm } from './forms.ts'
import { type CompletedReset, completeReset } from './new-password.ts'
import { findResetKeyOwner, splitResetKey } from './reset-link.ts'

/** The page where a visitor requests a reset. */
export const resetRequestPages = (account: Account): readonly PageRoute[] => [
  {
    name: 'account_reset_password',
    path: 'password/reset/',
    access: 'anon',
    GET: async (request) =>
      renderResetRequest(account, request, account.kernel.forms.show(resetPasswordForm(account), request)),
    POST: (request) => submitRequest(account, request),
  },
]

async function submitRequest(account: Account, request: Visit): Promise<PageAnswer> {
  const submitted = await account.kernel.forms.submit(resetPasswordForm(account), request)
  if (!submitted.ok) return renderResetRequest(account, request, submitted.form)
  const byCode = account.kernel.settings.account.passwordResetByCodeEnabled
  const name = byCode ? 'account_confirm_password_reset_code' : 'account_reset_password_done'
  return { kind: 'redirect', to: withNext(account.kernel.url(name), request.next) }
}

const renderResetRequest = async (account: Account, request: Visit, form: BoundForm): Promise<PageAnswer> => ({
  kind: 'page',
  template: 'account/password_reset',
  context: { ...(await entranceContext(account, request)), ...nextContext(request), form, password_reset_form: form },
  form,
})

/** A page that only shows a message. */
export const noticePage = (account: Account, page: { name: string; path: string; template: string }): PageRoute => ({
  name: page.name,
  path: page.path,
  access: 'anon',
  GET: async (request) => ({ kind: 'page', template: page.template, context: await entranceContext(account, request) }),
})

/** Returns the page for choosing a new password. `null` means that the link is invalid: no form, but `token_fail`. */
export async function newPasswordPage(
  account: Account,
  request: Visit,
  page: { readonly form: BoundForm; readonly actionUrl: string } | null,
): Promise<PageAnswer> {
  const context = { ...(await entranceContext(account, request)), ...nextContext(request) }
  const template = 'account/password_reset_from_key'
  if (page === null) {
    const status = request.client === 'xhr' ? 400 : 200
    return { kind: 'page', template, context: { ...context, token_fail: true }, status }
  }
  const { form, actionUrl } = page
  return { kind: 'page', template, context: { ...context, form, action_url: actionUrl }, form }
}

const PAGE = 'account_reset_password_from_key'
const DONE = 'account_reset_password_from_key_done'
/** Session entry that holds the key while its page is open, because the page's URL doesn't contain it. */
const SESSION_KEY = '_password_reset_key'
/** Placeholder for the key in the page's URL. */
const IN_SESSION = 'set-password'

/** Pages for a reset by emailed link. */
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
      POST: at((request, found) => submitNewPassword(account, request, found)),
    },
  ]
}

/** A valid key and its user. */
interface FoundKey {
  readonly key: string
  readonly user: User
  readonly actionUrl: string
}

/**
 * Runs `work` with a valid key. First moves a key in the URL to the session and redirects to a URL without it, so that
 * it doesn't leak through the Referer header or the browser history. XHR clients send it in the URL each time.
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

/** Returns the key in the session if it's for the user in the URL. */
function readStoredResetKey(request: Visit, uid: string): string | null {
  const key = request.session.get(SESSION_KEY)
  return typeof key === 'string' && splitResetKey(key)[0] === uid ? key : null
}

const linkResetForm = (account: Account, { key, user }: FoundKey) =>
  newPasswordForm<LoginOutcome | null>(account, user, (request, password) =>
    resetByLink(account, request, key, { user, password, redirectUrl: request.next ?? account.kernel.url(DONE) }),
  )

async function submitNewPassword(account: Account, request: Visit, found: FoundKey): Promise<PageAnswer> {
  const submitted = await account.kernel.forms.submit(linkResetForm(account, found), request)
  if (!submitted.ok) return newPasswordPage(account, request, { form: submitted.form, actionUrl: found.actionUrl })
  request.session.delete(SESSION_KEY)
  if (submitted.result !== null) return outcomeAnswer(submitted.result)
  return { kind: 'redirect', to: withNext(account.kernel.url(DONE), request.next) }
}

/** Returns the user of a reset key through the form `user_token`, which a host can override; `null` if it's invalid. */
export async function findUserByResetLink(account: Account, request: Visit, key: string): Promise<User | null> {
  const form = account.kernel.forms.of(userTokenForm(account))
  const [uidb36, token] = splitResetKey(key)
  try {
    return await form.save(request, await form.clean(request, { uidb36, key: token }))
  } catch (error) {
    if (error instanceof InvalidInput) return null
    throw error
  }
}

/**
 * Stores the new password of a valid key's user.
 * @throws {InvalidInput} `invalid_password_reset` if another request has used the key in the meantime
 */
export function resetByLink(
  account: Account,
  request: Visit,
  key: string,
  reset: Pick<CompletedReset, 'user' | 'password' | 'redirectUrl'>,
): Promise<LoginOutcome | null> {
  return completeReset(account, request, {
    ...reset,
    email: null,
    async before() {
      await checkResetKeyUnused(account, request, reset.user, key)
      const owner = await findResetKeyOwner(account, request, key)
      if (owner !== null) await giveUnprovenToOwner(account, request, reset.user, owner.mailbox)
    },
  })
}

/** Checks the key again under a lock, so that of two requests with the same key, the second one finds it used. */
async function checkResetKeyUnused(account: Account, request: Visit, user: User, key: string): Promise<void> {
  await claimAddresses(request, user)
  if ((await findUserByResetLink(account, request, key)) !== null) return
  throw new InvalidInput([account.adapter.validationError('invalid_password_reset')])
}
