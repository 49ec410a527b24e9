import type { Account } from '../account.ts'
import type { BoundForm, FormDefinition } from '../../kernel/forms/form.ts'
import type { PageAnswer, PageRoute } from '../../kernel/http/route.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { User } from '../../kernel/users/user.ts'
import type { ReauthenticationMethod } from '../../kernel/login.ts'
import { nextContext } from '../page-context.ts'
import {
  resumeAfterReauthentication,
  BY_PASSWORD,
  REAUTHENTICATION_PAGE,
  reauthenticateByPassword,
  clearSuspendedPost,
  readSuspendedPost,
  withReauthenticationMethod,
  type SuspendedPost,
} from './reauthentication.ts'

/** The page for reauthenticating by password. */
export const reauthenticationPages = (account: Account): readonly PageRoute[] =>
  account.kernel.settings.socialaccount.only
    ? []
    : [
        {
          name: REAUTHENTICATION_PAGE,
          path: 'reauthenticate/',
          access: 'auth',
          limit: { action: 'reauthenticate', per: 'user' },
          GET: (request) => show(account, request),
          POST: (request) =>
            withReauthenticationMethod(account, request, BY_PASSWORD, (user, others) =>
              submit(account, request, user, others),
            ),
        },
      ]

async function show(account: Account, request: Visit): Promise<PageAnswer> {
  const post = readSuspendedPost(request)
  if (post !== null && (await account.login.isRecent(request))) {
    clearSuspendedPost(request)
    return proceedPage(request, post)
  }
  return withReauthenticationMethod(account, request, BY_PASSWORD, (user, others) =>
    Promise.resolve(
      renderReauthentication(request, account.kernel.forms.show(passwordForm(account, user), request), others),
    ),
  )
}

async function submit(
  account: Account,
  request: Visit,
  user: User,
  others: readonly ReauthenticationMethod[],
): Promise<PageAnswer> {
  const submitted = await account.kernel.forms.submit(passwordForm(account, user), request)
  return submitted.ok
    ? resumeAfterReauthentication(account, request)
    : renderReauthentication(request, submitted.form, others)
}

/** Form `reauthenticate`. */
const passwordForm = (account: Account, user: User): FormDefinition<null> => ({
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
    await reauthenticateByPassword(account, request, user, String(values['password']))
    return null
  },
})

const renderReauthentication = (
  request: Visit,
  form: BoundForm,
  others: readonly ReauthenticationMethod[],
): PageAnswer => ({
  kind: 'page',
  template: 'account/reauthenticate',
  context: { ...nextContext(request), form, reauthentication_alternatives: others },
  form,
})

/** Returns the page that resends a suspended POST on a click, with a current CSRF token and without JavaScript. */
const proceedPage = (request: Visit, { path, fields }: SuspendedPost): PageAnswer => ({
  kind: 'page',
  template: 'account/reauthenticate_proceed',
  context: {
    ...nextContext(request),
    action_url: path,
    fields: Object.entries(fields).map(([name, value]) => ({ name, value })),
  },
})
