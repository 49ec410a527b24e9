import type { Account } from '../../account/account.ts'
import { loginAtStage, outcomeAnswer, redirectSignedIn } from '../../account/login/page-guards.ts'
import { isPassed } from '../../account/login/stage-machine.ts'
import { entranceContext, nextContext } from '../../account/page-context.ts'
import { cleanSignup, signupFields } from '../../account/signup/clean.ts'
import { prefillSignup, redirectFromSignup } from '../../account/signup/pages.ts'
import { beginSignup, saveSignup, type SignedUp } from '../../account/signup/signup-flow.ts'
import type { BoundForm, FormDefinition } from '../../kernel/forms/form.ts'
import { withNext } from '../../kernel/http/redirects.ts'
import { jsonResponse } from '../../kernel/http/responses.ts'
import type { PageAnswer, PageRoute } from '../../kernel/http/route.ts'
import type { Login, LoginOutcome } from '../../kernel/login.ts'
import type { User } from '../../kernel/users/user.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { Authenticator } from '../mfa.ts'
import type { Mfa } from '../second-factors.ts'
import { clearCredential, CREDENTIAL_FIELD, KEY_NAME_FIELD, withCredential } from './credential-field.ts'
import { redirect } from './guards.ts'
import { showFormErrors } from './authenticate-page.ts'

const STAGE = 'mfa_signup_webauthn'

/** Pages for signing up with a passkey instead of a password: first the account, then, after verification, the key. */
export const passkeySignupPages = (mfa: Mfa): readonly PageRoute[] => [
  {
    name: 'account_signup_by_passkey',
    path: 'signup/passkey/',
    access: 'anon',
    limit: { action: 'signup', per: 'ip' },
    GET: async (request) =>
      (await redirectFromSignup(mfa.account, request)) ??
      signupPage(mfa.account, request, mfa.kernel.forms.show(signupForm(mfa.account), request, prefillSignup(request))),
    POST: (request) => signUp(mfa.account, request),
  },
  {
    name: 'mfa_signup_webauthn',
    path: '2fa/webauthn/signup/',
    access: 'anon',
    GET: (request) => withPasskeySignup(mfa.account, request, (_login, user) => show(mfa, request, user)),
    POST: (request) => withPasskeySignup(mfa.account, request, (login, user) => create(mfa, request, login, user)),
  },
]

async function signUp(account: Account, request: Visit): Promise<PageAnswer> {
  const away = await redirectFromSignup(account, request)
  if (away !== null) return away
  const submitted = await account.kernel.forms.submit(signupForm(account), request)
  if (!submitted.ok) return signupPage(account, request, submitted.form)
  return outcomeAnswer(await beginSignup(account, request, submitted.result, { [STAGE]: {} }))
}

const PASSWORDS: ReadonlySet<string> = new Set(['password1', 'password2'])

/** Form `signup` without its passwords. */
const signupForm = (account: Account): FormDefinition<SignedUp> => ({
  id: 'signup',
  fields: (request) => [
    ...signupFields(account).filter(({ name }) => !PASSWORDS.has(name)),
    ...(account.signupForm?.fields(request) ?? []),
  ],
  clean: (request, values) => cleanSignup(account, request, values, { withoutPassword: true }),
  save: (request, values) => saveSignup(account, request, values),
})

const signupPage = async (account: Account, request: Visit, form: BoundForm): Promise<PageAnswer> => ({
  kind: 'page',
  template: 'account/signup_by_passkey',
  form,
  context: {
    ...(await entranceContext(account, request)),
    ...nextContext(request),
    form,
    by_passkey: true,
    honeypot_field: account.kernel.settings.account.signupFormHoneypotField,
  },
})

async function withPasskeySignup(
  account: Account,
  request: Visit,
  work: (login: Login, user: User) => Promise<PageAnswer>,
): Promise<PageAnswer> {
  const back = withNext(account.kernel.url('account_signup'), request.next)
  const found = await loginAtStage(account, request, STAGE, back)
  if ('answer' in found) return found.answer
  const { login } = found
  return login.user === null ? redirect(back) : work(login, login.user)
}

async function show(mfa: Mfa, request: Visit, user: User): Promise<PageAnswer> {
  const name = await mfa.adapter.generateAuthenticatorName(request, user, 'webauthn')
  return keyPage(mfa, request, user, mfa.kernel.forms.show(keyForm(mfa, user), request, { name }))
}

async function create(mfa: Mfa, request: Visit, login: Login, user: User): Promise<PageAnswer> {
  const submitted = isPassed(login.state)
    ? ({ ok: true } as const)
    : await mfa.kernel.forms.submit(keyForm(mfa, user), request)
  if (submitted.ok) return outcomeAnswer(await mfa.account.login.resume(request, login))
  return keyPage(mfa, request, user, clearCredential(submitted.form))
}

/** Form `signup_webauthn`. */
const keyForm = (mfa: Mfa, user: User): FormDefinition<Authenticator> => ({
  id: 'signup_webauthn',
  fields: () => [KEY_NAME_FIELD, CREDENTIAL_FIELD],
  clean: (_request, values) => Promise.resolve(values),
  save: (request, values) =>
    withCredential(mfa.account, values, (credential) =>
      mfa.webauthn.completeSignup(request, user, { name: String(values['name'] ?? ''), credential }),
    ),
})

async function keyPage(mfa: Mfa, request: Visit, user: User, form: BoundForm): Promise<PageAnswer> {
  return {
    kind: 'page',
    template: 'mfa/webauthn/signup_form',
    context: {
      ...(await entranceContext(mfa.account, request)),
      ...nextContext(request),
      form,
      js_data: { creation_options: await mfa.webauthn.signupOptions(request, user) },
    },
    form,
  }
}

/** The page for signing in with a passkey alone; the form is on the login page. */
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

/** Returns the request options to a script. */
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
