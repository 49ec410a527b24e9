import type { Account } from '../account.ts'
import { AuthError } from '../../errors.ts'
import type { BoundForm, FormValues } from '../../kernel/forms/form.ts'
import type { PageAnswer } from '../../kernel/http/answer.ts'
import type { PageRoute } from '../../kernel/http/route.ts'
import type { Visit } from '../../kernel/visit.ts'
import { entranceContext, nextContext } from '../page-context.ts'
import { codeLoginPages } from './code-pages.ts'
import { loginForm } from './login-form.ts'
import { outcomeAnswer } from './outcome-answer.ts'
import { awayFromEntrance } from './page-guards.ts'

/** Login by password and by code, and what a disabled account sees. */
export const loginPages = (account: Account): readonly PageRoute[] => [
  {
    name: 'account_login',
    path: 'login/',
    access: 'anon',
    limit: { action: 'login', per: 'ip' },
    GET: async (request) =>
      (await awayFromEntrance(account, request)) ??
      page(account, request, account.kernel.forms.show(loginForm(account), request, named(request))),
    POST: (request) => submit(account, request),
  },
  {
    name: 'account_inactive',
    path: 'inactive/',
    access: 'anon',
    GET: async (request) => ({
      kind: 'page',
      template: 'account/account_inactive',
      context: await entranceContext(account, request),
    }),
  },
  ...codeLoginPages(account),
]

/** Characters. Longer than any address. */
const LONGEST_LOGIN = 320

/** Who is expected to sign in, as a page of ours that leads here has said in the query. */
function named({ url }: Visit): FormValues {
  const login = url.searchParams.get('login') ?? ''
  return login === '' || login.length > LONGEST_LOGIN ? {} : { login }
}

async function submit(account: Account, request: Visit): Promise<PageAnswer> {
  if (account.kernel.settings.socialaccount.only) throw new AuthError('permission_denied')
  const elsewhere = await awayFromEntrance(account, request)
  if (elsewhere !== null) return elsewhere
  const submitted = await account.kernel.forms.submit(loginForm(account), request)
  return submitted.ok ? outcomeAnswer(submitted.result) : page(account, request, submitted.form)
}

const page = async (account: Account, request: Visit, form: BoundForm): Promise<PageAnswer> => ({
  kind: 'page',
  template: 'account/login',
  context: { ...(await entranceContext(account, request)), ...nextContext(request), form },
  form,
})
