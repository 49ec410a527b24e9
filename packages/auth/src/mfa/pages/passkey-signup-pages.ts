import { outcomeAnswer } from '../../account/login/outcome-answer.ts'
import { loginAtStage } from '../../account/login/page-guards.ts'
import { isPassed } from '../../account/login/stage-machine.ts'
import type { Login } from '../../account/login.ts'
import { entranceContext, nextContext, withNext } from '../../account/page-context.ts'
import { cleanSignup } from '../../account/signup/clean.ts'
import { signupFields } from '../../account/signup/fields.ts'
import { awayFromSignup, prefilledSignup } from '../../account/signup/before-signup.ts'
import { beginSignup, saveSignup, type SignedUp } from '../../account/signup/signup-flow.ts'
import type { Core } from '../../core.ts'
import type { BoundForm, FormDefinition } from '../../kernel/forms/form.ts'
import type { PageAnswer } from '../../kernel/http/answer.ts'
import type { PageRoute } from '../../kernel/http/route.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { User } from '../../kernel/users/user.ts'
import type { Authenticator } from '../mfa.ts'
import { CREDENTIAL_FIELD, withCredential, withoutCredential } from './credential-field.ts'
import { redirect } from './guards.ts'
import { KEY_NAME_FIELD } from './key-name-field.ts'

const STAGE = 'mfa_signup_webauthn'

/** Creating an account with a passkey in place of a password: first the account, then, its address verified, the key. */
export const passkeySignupPages = (core: Core): readonly PageRoute[] => [
  {
    name: 'account_signup_by_passkey',
    path: 'signup/passkey/',
    access: 'anon',
    limit: { action: 'signup', per: 'ip' },
    GET: async (request) =>
      (await awayFromSignup(core, request)) ??
      signupPage(core, request, core.forms.show(signupForm(core), request, prefilledSignup(request))),
    POST: (request) => signUp(core, request),
  },
  {
    name: 'mfa_signup_webauthn',
    path: '2fa/webauthn/signup/',
    access: 'anon',
    GET: (request) => atStage(core, request, (_login, user) => show(core, request, user)),
    POST: (request) => atStage(core, request, (login, user) => create(core, request, login, user)),
  },
]

async function signUp(core: Core, request: Visit): Promise<PageAnswer> {
  const away = await awayFromSignup(core, request)
  if (away !== null) return away
  const submitted = await core.forms.submit(signupForm(core), request)
  if (!submitted.ok) return signupPage(core, request, submitted.form)
  return outcomeAnswer(await beginSignup(core, request, submitted.result, { [STAGE]: {} }))
}

const PASSWORDS: ReadonlySet<string> = new Set(['password1', 'password2'])

/** Form `signup` without its passwords. */
const signupForm = (core: Core): FormDefinition<SignedUp> => ({
  id: 'signup',
  fields: (request) => [
    ...signupFields(core).filter(({ name }) => !PASSWORDS.has(name)),
    ...(core.signupForm?.fields(request) ?? []),
  ],
  clean: (request, values) => cleanSignup(core, request, values, { withoutPassword: true }),
  save: (request, values) => saveSignup(core, request, values),
})

const signupPage = async (core: Core, request: Visit, form: BoundForm): Promise<PageAnswer> => ({
  kind: 'page',
  template: 'account/signup_by_passkey',
  form,
  context: {
    ...(await entranceContext(core, request)),
    ...nextContext(request),
    form,
    by_passkey: true,
    honeypot_field: core.settings.account.signupFormHoneypotField,
  },
})

async function atStage(
  core: Core,
  request: Visit,
  work: (login: Login, user: User) => Promise<PageAnswer>,
): Promise<PageAnswer> {
  const back = withNext(core.url('account_signup'), request.next)
  const found = await loginAtStage(core, request, STAGE, back)
  if ('answer' in found) return found.answer
  const { login } = found
  return login.user === null ? redirect(back) : work(login, login.user)
}

async function show(core: Core, request: Visit, user: User): Promise<PageAnswer> {
  const name = await core.mfa.adapter.generateAuthenticatorName(request, user, 'webauthn')
  return keyPage(core, request, user, core.forms.show(keyForm(core, user), request, { name }))
}

async function create(core: Core, request: Visit, login: Login, user: User): Promise<PageAnswer> {
  const submitted = isPassed(login.state)
    ? ({ ok: true } as const)
    : await core.forms.submit(keyForm(core, user), request)
  if (submitted.ok) return outcomeAnswer(await core.login.resume(request, login))
  return keyPage(core, request, user, withoutCredential(submitted.form))
}

/** Form `signup_webauthn`. */
const keyForm = (core: Core, user: User): FormDefinition<Authenticator> => ({
  id: 'signup_webauthn',
  fields: () => [KEY_NAME_FIELD, CREDENTIAL_FIELD],
  clean: (_request, values) => Promise.resolve(values),
  save: (request, values) =>
    withCredential(core, values, (credential) =>
      core.mfa.webauthn.completeSignup(request, user, { name: String(values['name'] ?? ''), credential }),
    ),
})

async function keyPage(core: Core, request: Visit, user: User, form: BoundForm): Promise<PageAnswer> {
  return {
    kind: 'page',
    template: 'mfa/webauthn/signup_form',
    context: {
      ...(await entranceContext(core, request)),
      ...nextContext(request),
      form,
      js_data: { creation_options: await core.mfa.webauthn.signupOptions(request, user) },
    },
    form,
  }
}
