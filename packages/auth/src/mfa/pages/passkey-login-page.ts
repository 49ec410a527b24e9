import { withNext } from '../../kernel/http/next.ts'
import type { Mfa } from '../second-factors.ts'
import { outcomeAnswer } from '../../account/login/outcome-answer.ts'
import { redirectSignedIn } from '../../account/login/page-guards.ts'
import type { LoginOutcome } from '../../kernel/login.ts'
import type { FormDefinition } from '../../kernel/forms/form.ts'
import type { PageAnswer } from '../../kernel/http/answer.ts'
import { jsonResponse } from '../../kernel/http/json-response.ts'
import type { PageRoute } from '../../kernel/http/route.ts'
import type { Visit } from '../../kernel/visit.ts'
import { CREDENTIAL_FIELD, withCredential } from './credential-field.ts'
import { redirect } from './guards.ts'
import { showFormErrors } from './reauthenticate-pages.ts'

/** Signing in with a passkey alone; the form is on the login page. */
export const passkeyLoginPages = (mfa: Mfa): readonly PageRoute[] => [
  {
    name: 'mfa_login_webauthn',
    path: '2fa/webauthn/login/',
    access: 'anon',
    limit: { action: 'login', per: 'ip' },
    GET: (request) => options(mfa, request),
    POST: (request) => login(mfa, request),
  },
]

const loginPage = (request: Visit): PageAnswer => redirect(withNext(request.kernel.url('account_login'), request.next))

/** A script gets what it asks the browser with. */
async function options(mfa: Mfa, request: Visit): Promise<PageAnswer> {
  const away = await redirectSignedIn(mfa.account, request)
  if (away !== null) return away
  if (request.client !== 'xhr') return loginPage(request)
  const requestOptions = await mfa.webauthn.requestOptions(request, null)
  return { kind: 'response', response: jsonResponse({ request_options: requestOptions }, 200) }
}

async function login(mfa: Mfa, request: Visit): Promise<PageAnswer> {
  const away = await redirectSignedIn(mfa.account, request)
  if (away !== null) return away
  const submitted = await mfa.kernel.forms.submit(loginForm(mfa), request)
  if (submitted.ok) return outcomeAnswer(submitted.result)
  showFormErrors(request, submitted.form)
  return loginPage(request)
}

/** Form `login_webauthn`. */
const loginForm = (mfa: Mfa): FormDefinition<LoginOutcome> => ({
  id: 'login_webauthn',
  fields: () => [CREDENTIAL_FIELD],
  clean: (_request, values) => Promise.resolve(values),
  save: (request, values) =>
    withCredential(mfa.account, values, (credential) => mfa.webauthn.login(request, credential)),
})
