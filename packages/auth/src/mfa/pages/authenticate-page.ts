import type { Account } from '../../account/account.ts'
import { loginAtStage, outcomeAnswer } from '../../account/login/page-guards.ts'
import { isPassed } from '../../account/login/stage-machine.ts'
import { entranceContext, nextContext } from '../../account/page-context.ts'
import {
  resumeAfterReauthentication,
  withReauthenticationMethod,
} from '../../account/reauthentication/reauthentication.ts'
import type { BoundForm, Field, FormDefinition } from '../../kernel/forms/form.ts'
import { withNext } from '../../kernel/http/redirects.ts'
import type { PageAnswer, PageRoute } from '../../kernel/http/route.ts'
import type { Login, ReauthenticationMethod } from '../../kernel/login.ts'
import { formatDuration } from '../../kernel/templates/time-text.ts'
import type { User } from '../../kernel/users/user.ts'
import type { Visit } from '../../kernel/visit.ts'
import { TRUST_STAGE } from '../authenticate/trust.ts'
import type { Authenticator } from '../mfa.ts'
import { BY_CODE, BY_KEY } from '../reauthentication-methods.ts'
import type { Mfa } from '../second-factors.ts'
import { clearCredential, CREDENTIAL_FIELD, withCredential } from './credential-field.ts'
import { redirect } from './guards.ts'

const STAGE = 'mfa_authenticate'

/** The page for the second step of a login. */
export const authenticatePages = (mfa: Mfa): readonly PageRoute[] => [
  {
    name: 'mfa_authenticate',
    path: '2fa/authenticate/',
    access: 'anon',
    GET: (request) =>
      withSecondStep(mfa, request, (_login, user, own) => renderAuthenticate(mfa, request, { user, own })),
    POST: (request) => withSecondStep(mfa, request, (login, user, own) => submit(mfa, request, { login, user, own })),
  },
]

/** Runs `work` with the user who needs a second factor, and their authenticators. */
async function withSecondStep(
  mfa: Mfa,
  request: Visit,
  work: (login: Login, user: User, own: readonly Authenticator[]) => Promise<PageAnswer>,
): Promise<PageAnswer> {
  const found = await loginAtStage(mfa.account, request, STAGE)
  if ('answer' in found) return found.answer
  const { login } = found
  if (login.user === null) return redirect(mfa.kernel.url('account_login'))
  const own = await mfa.authenticators.ofUser(request.db, login.user.id)
  // Codes are accepted even if their type is no longer supported, because the login still waits for them.
  const hasKeys = mfa.kernel.settings.mfa.supportedTypes.includes('webauthn')
  return work(login, login.user, hasKeys ? own : own.filter(({ type }) => type !== 'webauthn'))
}

interface SecondStep {
  readonly user: User
  readonly own: readonly Authenticator[]
}

interface WithLogin {
  /** The login that the step belongs to. */
  readonly login?: Login
}

async function submit(mfa: Mfa, request: Visit, at: SecondStep & { readonly login: Login }): Promise<PageAnswer> {
  const byCode = request.form.has('code')
  const form = byCode ? codeForm(mfa, 'mfa_authenticate', at) : keyForm(mfa, 'authenticate_webauthn', at)
  // If the handler runs again after the code was used up, the form isn't checked again.
  const submitted = isPassed(at.login.state) ? ({ ok: true } as const) : await mfa.kernel.forms.submit(form, request)
  if (submitted.ok) return outcomeAnswer(await mfa.account.login.resume(request, at.login))
  return renderAuthenticate(mfa, request, { ...at, ...(byCode ? { codes: submitted.form } : { keys: submitted.form }) })
}

/** Renders the second step: a form for codes, one for keys, or both. */
async function renderAuthenticate(
  mfa: Mfa,
  request: Visit,
  { user, own, codes, keys }: SecondStep & { readonly codes?: BoundForm; readonly keys?: BoundForm },
): Promise<PageAnswer> {
  const form = codes ?? mfa.kernel.forms.show(codeForm(mfa, 'mfa_authenticate', { user, own }), request)
  const hasKeys = own.some(({ type }) => type === 'webauthn')
  const keyContext = hasKeys
    ? {
        webauthn_form: clearCredential(
          keys ?? mfa.kernel.forms.show(keyForm(mfa, 'authenticate_webauthn', { user }), request),
        ),
        js_data: { request_options: await mfa.webauthn.requestOptions(request, user) },
      }
    : {}
  return {
    kind: 'page',
    template: 'mfa/authenticate',
    context: {
      ...(await entranceContext(mfa.account, request)),
      ...nextContext(request),
      form,
      ...keyContext,
      /** The user's types, ordered by authenticator ID. */
      authenticator_types: [...new Set(own.map(({ type }) => type))],
      MFA_SUPPORTED_TYPES: mfa.kernel.settings.mfa.supportedTypes,
    },
    form: keys ?? form,
  }
}

/** Forms `mfa_authenticate` and `mfa_reauthenticate`: take a TOTP or recovery code. */
const codeForm = (
  mfa: Mfa,
  id: 'mfa_authenticate' | 'mfa_reauthenticate',
  { user, own, login }: SecondStep & WithLogin,
): FormDefinition<Authenticator> => ({
  id,
  fields: () => [codeField(own)],
  clean: (_request, values) => Promise.resolve(values),
  save: (request, values) =>
    mfa.authenticateByCode(request, user, String(values['code']), {
      reauthentication: id === 'mfa_reauthenticate',
      ...(login !== undefined && { login }),
    }),
})

/** Our own recovery codes are digits; migrated ones can contain any characters. */
function codeField(own: readonly Authenticator[]): Field {
  const hasForeign = own.some(({ data }) => data['migrated_codes'] !== undefined)
  return {
    name: 'code',
    label: 'Code',
    type: 'text',
    required: true,
    autocomplete: 'one-time-code',
    autofocus: true,
    maxLength: 100,
    ...(hasForeign ? {} : { inputMode: 'numeric' as const }),
  }
}

/** Forms `authenticate_webauthn` and `reauthenticate_webauthn`. */
const keyForm = (
  mfa: Mfa,
  id: 'authenticate_webauthn' | 'reauthenticate_webauthn',
  { user, login }: Pick<SecondStep, 'user'> & WithLogin,
): FormDefinition<Authenticator> => ({
  id,
  fields: () => [CREDENTIAL_FIELD],
  clean: (_request, values) => Promise.resolve(values),
  save: (request, values) =>
    withCredential(mfa.account, values, (credential) =>
      mfa.webauthn.authenticate(request, user, credential, {
        reauthentication: id === 'reauthenticate_webauthn',
        ...(login !== undefined && { login }),
      }),
    ),
})

/** Pages for reauthenticating by second factor. */
export const reauthenticatePages = (mfa: Mfa): readonly PageRoute[] => {
  const { supportedTypes } = mfa.kernel.settings.mfa
  const limit = { action: 'reauthenticate', per: 'user' } as const
  const byCode: PageRoute = {
    name: BY_CODE,
    path: '2fa/reauthenticate/',
    access: 'auth',
    limit,
    GET: (request) =>
      withReauthenticationMethod(mfa.account, request, BY_CODE, (user, others) => showCode(mfa, request, user, others)),
    POST: (request) =>
      withReauthenticationMethod(mfa.account, request, BY_CODE, (user, others) =>
        submitCode(mfa, request, user, others),
      ),
  }
  const byKey: PageRoute = {
    name: BY_KEY,
    path: '2fa/webauthn/reauthenticate/',
    access: 'auth',
    limit,
    GET: (request) =>
      withReauthenticationMethod(mfa.account, request, BY_KEY, (user, others) => showKey(mfa, request, user, others)),
    POST: (request) =>
      withReauthenticationMethod(mfa.account, request, BY_KEY, (user) => submitKey(mfa, request, user)),
  }
  return supportedTypes.includes('webauthn') ? [byCode, byKey] : [byCode]
}

type Others = readonly ReauthenticationMethod[]

const reauthenticateCodeForm = async (mfa: Mfa, request: Visit, user: User): Promise<FormDefinition<Authenticator>> =>
  codeForm(mfa, BY_CODE, { user, own: await mfa.authenticators.ofUser(request.db, user.id) })

const showCode = async (mfa: Mfa, request: Visit, user: User, others: Others): Promise<PageAnswer> =>
  codePage(request, mfa.kernel.forms.show(await reauthenticateCodeForm(mfa, request, user), request), others)

async function submitCode(mfa: Mfa, request: Visit, user: User, others: Others): Promise<PageAnswer> {
  const submitted = await mfa.kernel.forms.submit(await reauthenticateCodeForm(mfa, request, user), request)
  return submitted.ok ? resumeAfterReauthentication(mfa.account, request) : codePage(request, submitted.form, others)
}

const codePage = (request: Visit, form: BoundForm, others: Others): PageAnswer => ({
  kind: 'page',
  template: 'mfa/reauthenticate',
  context: { ...nextContext(request), form, reauthentication_alternatives: others },
  form,
})

async function showKey(mfa: Mfa, request: Visit, user: User, others: Others): Promise<PageAnswer> {
  const form = clearCredential(mfa.kernel.forms.show(keyForm(mfa, 'reauthenticate_webauthn', { user }), request))
  const requestOptions = await mfa.webauthn.requestOptions(request, user)
  return {
    kind: 'page',
    template: 'mfa/webauthn/reauthenticate',
    context: {
      ...nextContext(request),
      form,
      js_data: { request_options: requestOptions },
      reauthentication_alternatives: others,
    },
    form,
  }
}

/** Redirects to the login page after a wrong key. That page redirects signed-in users to `next`, and so back here. */
async function submitKey(mfa: Mfa, request: Visit, user: User): Promise<PageAnswer> {
  const submitted = await mfa.kernel.forms.submit(keyForm(mfa, 'reauthenticate_webauthn', { user }), request)
  if (submitted.ok) return resumeAfterReauthentication(mfa.account, request)
  showFormErrors(request, submitted.form)
  return redirect(withNext(mfa.kernel.url('account_login'), request.next))
}

/** Shows the errors of a form on the next page, including those of fields that the host added. */
export function showFormErrors(request: Visit, { fields, errors }: BoundForm): void {
  const all = [...errors, ...fields.flatMap((field) => field.errors)]
  for (const { message, values } of all) request.addMessage('error', request.t(message, values))
}

/** The page that offers to trust the browser. */
export const trustPages = (mfa: Mfa): readonly PageRoute[] => [
  {
    name: 'mfa_trust',
    path: '2fa/trust/',
    access: 'anon',
    GET: (request) => withTrustStage(mfa.account, request, () => renderTrustPage(mfa.account, request)),
    POST: (request) => withTrustStage(mfa.account, request, (login) => submitTrust(mfa, request, login)),
  },
]

async function withTrustStage(
  account: Account,
  request: Visit,
  work: (login: Login) => Promise<PageAnswer>,
): Promise<PageAnswer> {
  const found = await loginAtStage(account, request, TRUST_STAGE)
  return 'answer' in found ? found.answer : work(found.login)
}

async function renderTrustPage(account: Account, request: Visit): Promise<PageAnswer> {
  const { trustCookieAge } = account.kernel.settings.mfa
  return {
    kind: 'page',
    template: 'mfa/trust',
    context: {
      ...(await entranceContext(account, request)),
      ...nextContext(request),
      trust_from: new Date(request.nowMs),
      trust_until: new Date(request.nowMs + trustCookieAge * 1_000),
      trust_duration: formatDuration(request.language, trustCookieAge),
    },
  }
}

/** Trusts the browser only for the action `trust`; everything else means no. */
async function submitTrust(mfa: Mfa, request: Visit, login: Login): Promise<PageAnswer> {
  if (request.form.get('action') === 'trust' && login.user !== null) await mfa.trust.trust(request, login.user)
  return outcomeAnswer(await mfa.account.login.resume(request, login))
}
