import { outcomeAnswer } from '../../account/login/outcome-answer.ts'
import { awayFromEntrance } from '../../account/login/page-guards.ts'
import type { LoginOutcome } from '../../account/login.ts'
import { withNext } from '../../account/page-context.ts'
import type { Core } from '../../core.ts'
import type { FormDefinition } from '../../kernel/forms/form.ts'
import type { PageAnswer } from '../../kernel/http/answer.ts'
import { jsonResponse } from '../../kernel/http/json-response.ts'
import type { PageRoute } from '../../kernel/http/route.ts'
import type { Visit } from '../../kernel/visit.ts'
import { CREDENTIAL_FIELD, withCredential } from './credential-field.ts'
import { redirect } from './guards.ts'
import { tellForm } from './reauthenticate-pages.ts'

/** Signing in with a passkey alone; the form is on the login page. */
export const passkeyLoginPages = (core: Core): readonly PageRoute[] => [
  {
    name: 'mfa_login_webauthn',
    path: '2fa/webauthn/login/',
    access: 'anon',
    limit: { action: 'login', per: 'ip' },
    GET: (request) => options(core, request),
    POST: (request) => login(core, request),
  },
]

const loginPage = (core: Core, request: Visit): PageAnswer =>
  redirect(withNext(core.url('account_login'), request.next))

/** A script gets what it asks the browser with. */
async function options(core: Core, request: Visit): Promise<PageAnswer> {
  const away = await awayFromEntrance(core, request)
  if (away !== null) return away
  if (request.client !== 'xhr') return loginPage(core, request)
  const requestOptions = await core.mfa.webauthn.requestOptions(request, null)
  return { kind: 'response', response: jsonResponse({ request_options: requestOptions }, 200) }
}

async function login(core: Core, request: Visit): Promise<PageAnswer> {
  const away = await awayFromEntrance(core, request)
  if (away !== null) return away
  const submitted = await core.forms.submit(loginForm(core), request)
  if (submitted.ok) return outcomeAnswer(submitted.result)
  tellForm(request, submitted.form)
  return loginPage(core, request)
}

/** Form `login_webauthn`. */
const loginForm = (core: Core): FormDefinition<LoginOutcome> => ({
  id: 'login_webauthn',
  fields: () => [CREDENTIAL_FIELD],
  clean: (_request, values) => Promise.resolve(values),
  save: (request, values) => withCredential(core, values, (credential) => core.mfa.webauthn.login(request, credential)),
})
