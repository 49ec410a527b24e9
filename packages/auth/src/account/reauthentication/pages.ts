import type { Core } from '../../core.ts'
import { AuthError } from '../../errors.ts'
import type { BoundForm, FormDefinition } from '../../forms/form.ts'
import type { PageAnswer } from '../../http/answer.ts'
import type { PageRoute } from '../../http/route.ts'
import type { AuthRequest } from '../../request.ts'
import type { User } from '../../users/user.ts'
import type { ReauthenticationMethod } from '../adapter.ts'
import { nextContext, withNext } from '../page-context.ts'
import { afterReauthentication, REAUTHENTICATION_PAGE, reauthenticateByPassword } from './reauthentication.ts'
import { forgetSuspendedPost, type SuspendedPost, suspendedPost } from './suspended-post.ts'

/** Id of the method that these pages are, see `getReauthenticationMethods`. */
const METHOD = 'reauthenticate'

/** Confirming by password that one is still the same. */
export const reauthenticationPages = (core: Core): readonly PageRoute[] =>
  core.settings.socialaccount.only
    ? []
    : [
        {
          name: REAUTHENTICATION_PAGE,
          path: 'reauthenticate/',
          access: 'auth',
          limit: { action: 'reauthenticate', per: 'user' },
          GET: (request) => show(core, request),
          POST: (request) => withMethods(core, request, (user, others) => submit(core, request, user, others)),
        },
      ]

/** Runs `work` for a user who can confirm by password; others are sent to what they can do. */
async function withMethods(
  core: Core,
  request: AuthRequest,
  work: (user: User, others: readonly ReauthenticationMethod[]) => Promise<PageAnswer>,
): Promise<PageAnswer> {
  const { user } = request
  if (user === null) throw new AuthError('login_required')
  const methods = await core.adapter.getReauthenticationMethods(request, user)
  const others = methods
    .filter(({ id }) => id !== METHOD)
    .toSorted((a, b) => a.description.localeCompare(b.description, request.language))
    .map((method) => ({ ...method, url: withNext(method.url, request.next) }))
  if (others.length < methods.length) return work(user, others)
  const [first] = methods
  if (first === undefined) throw new AuthError('permission_denied')
  return { kind: 'redirect', to: withNext(first.url, request.next) }
}

async function show(core: Core, request: AuthRequest): Promise<PageAnswer> {
  const post = suspendedPost(request)
  if (post !== null && (await core.login.isRecent(request))) {
    forgetSuspendedPost(request)
    return proceedPage(request, post)
  }
  return withMethods(core, request, (user, others) =>
    Promise.resolve(page(request, core.forms.show(passwordForm(core, user), request), others)),
  )
}

async function submit(
  core: Core,
  request: AuthRequest,
  user: User,
  others: readonly ReauthenticationMethod[],
): Promise<PageAnswer> {
  const submitted = await core.forms.submit(passwordForm(core, user), request)
  return submitted.ok ? afterReauthentication(core, request) : page(request, submitted.form, others)
}

/** Form `reauthenticate`. */
const passwordForm = (core: Core, user: User): FormDefinition<null> => ({
  id: 'reauthenticate',
  fields: () => [
    {
      name: 'password',
      label: 'Password',
      type: 'password',
      required: true,
      autocomplete: 'current-password',
      autofocus: true,
    },
  ],
  clean: (_request, values) => Promise.resolve(values),
  async save(request, values) {
    await reauthenticateByPassword(core, request, user, String(values['password']))
    return null
  },
})

const page = (request: AuthRequest, form: BoundForm, others: readonly ReauthenticationMethod[]): PageAnswer => ({
  kind: 'page',
  template: 'account/reauthenticate',
  context: { ...nextContext(request), form, reauthentication_alternatives: others },
  form,
})

/** Sends the kept fields once more when the person says so: with a CSRF token of now, and without script. */
const proceedPage = (request: AuthRequest, { path, fields }: SuspendedPost): PageAnswer => ({
  kind: 'page',
  template: 'account/reauthenticate_proceed',
  context: {
    ...nextContext(request),
    action_url: path,
    fields: Object.entries(fields).map(([name, value]) => ({ name, value })),
  },
})
