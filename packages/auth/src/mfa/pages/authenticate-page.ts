import type { Mfa } from '../second-factors.ts'
import type { Login } from '../../kernel/login.ts'
import { outcomeAnswer } from '../../account/login/outcome-answer.ts'
import { loginAtStage } from '../../account/login/page-guards.ts'
import { isPassed } from '../../account/login/stage-machine.ts'
import { entranceContext, nextContext } from '../../account/page-context.ts'
import type { BoundForm, Field, FormDefinition } from '../../kernel/forms/form.ts'
import type { PageAnswer } from '../../kernel/http/answer.ts'
import type { PageRoute } from '../../kernel/http/route.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { User } from '../../kernel/users/user.ts'
import type { Authenticator } from '../mfa.ts'
import { CREDENTIAL_FIELD, withCredential, clearCredential } from './credential-field.ts'
import { redirect } from './guards.ts'

const STAGE = 'mfa_authenticate'

/** The second step of a login. */
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
  // Codes of a kind that is not offered any more still count: the login waits for them, and leads back here.
  const hasKeys = mfa.kernel.settings.mfa.supportedTypes.includes('webauthn')
  return work(login, login.user, hasKeys ? own : own.filter(({ type }) => type !== 'webauthn'))
}

interface At {
  readonly user: User
  readonly own: readonly Authenticator[]
}

interface OfLogin {
  /** Whose step it is. */
  readonly login?: Login
}

async function submit(mfa: Mfa, request: Visit, at: At & { readonly login: Login }): Promise<PageAnswer> {
  const byCode = request.form.has('code')
  const form = byCode ? codeForm(mfa, 'mfa_authenticate', at) : keyForm(mfa, 'authenticate_webauthn', at)
  // Run again after the code was used up, it is not asked for again.
  const submitted = isPassed(at.login.state) ? ({ ok: true } as const) : await mfa.kernel.forms.submit(form, request)
  if (submitted.ok) return outcomeAnswer(await mfa.account.login.resume(request, at.login))
  return renderAuthenticate(mfa, request, { ...at, ...(byCode ? { codes: submitted.form } : { keys: submitted.form }) })
}

/** Renders the second step: a form for codes, one for keys, or both. */
async function renderAuthenticate(
  mfa: Mfa,
  request: Visit,
  { user, own, codes, keys }: At & { readonly codes?: BoundForm; readonly keys?: BoundForm },
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
      /** Types of the person, in the order of their ids. */
      authenticator_types: [...new Set(own.map(({ type }) => type))],
      MFA_SUPPORTED_TYPES: mfa.kernel.settings.mfa.supportedTypes,
    },
    form: keys ?? form,
  }
}

/** Forms `authenticate` and `reauthenticate`: a code of the app, or a recovery code. */
export const codeForm = (
  mfa: Mfa,
  id: 'mfa_authenticate' | 'mfa_reauthenticate',
  { user, own, login }: At & OfLogin,
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

/** Recovery codes of ours are digits; those of another site that were taken over may be anything. */
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
export const keyForm = (
  mfa: Mfa,
  id: 'authenticate_webauthn' | 'reauthenticate_webauthn',
  { user, login }: Pick<At, 'user'> & OfLogin,
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
