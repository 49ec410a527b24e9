import type { Core } from '../../core.ts'
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
export const loginPages = (core: Core): readonly PageRoute[] => [
  {
    name: 'account_login',
    path: 'login/',
    access: 'anon',
    limit: { action: 'login', per: 'ip' },
    GET: async (request) =>
      (await awayFromEntrance(core, request)) ??
      page(core, request, core.forms.show(loginForm(core), request, named(request))),
    POST: (request) => submit(core, request),
  },
  {
    name: 'account_inactive',
    path: 'inactive/',
    access: 'anon',
    GET: async (request) => ({
      kind: 'page',
      template: 'account/account_inactive',
      context: await entranceContext(core, request),
    }),
  },
  ...codeLoginPages(core),
]

/** Characters. Longer than any address. */
const LONGEST_LOGIN = 320

/** Who is expected to sign in, as a page of ours that leads here has said in the query. */
function named({ url }: Visit): FormValues {
  const login = url.searchParams.get('login') ?? ''
  return login === '' || login.length > LONGEST_LOGIN ? {} : { login }
}

async function submit(core: Core, request: Visit): Promise<PageAnswer> {
  if (core.settings.socialaccount.only) throw new AuthError('permission_denied')
  const elsewhere = await awayFromEntrance(core, request)
  if (elsewhere !== null) return elsewhere
  const submitted = await core.forms.submit(loginForm(core), request)
  return submitted.ok ? outcomeAnswer(submitted.result) : page(core, request, submitted.form)
}

const page = async (core: Core, request: Visit, form: BoundForm): Promise<PageAnswer> => ({
  kind: 'page',
  template: 'account/login',
  context: { ...(await entranceContext(core, request)), ...nextContext(request), form },
  form,
})
