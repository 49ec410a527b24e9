import { withNext } from '../../kernel/http/next.ts'
import type { Mfa } from '../second-factors.ts'
import { nextContext } from '../../account/page-context.ts'
import { resumeAfterReauthentication } from '../../account/reauthentication/reauthentication.ts'
import { withReauthenticationMethod } from '../../account/reauthentication/with-method.ts'
import type { ReauthenticationMethod } from '../../kernel/login.ts'
import type { BoundForm, FormDefinition } from '../../kernel/forms/form.ts'
import type { PageAnswer } from '../../kernel/http/answer.ts'
import type { PageRoute } from '../../kernel/http/route.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { User } from '../../kernel/users/user.ts'
import type { Authenticator } from '../mfa.ts'
import { BY_CODE, BY_KEY } from '../reauthentication-methods.ts'
import { codeForm, keyForm } from './authenticate-page.ts'
import { clearCredential } from './credential-field.ts'
import { redirect } from './guards.ts'

/** Confirming by second factor that one is still the same. */
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

/** A wrong key leads by way of the login, which sends who is signed in back to `next`, and so here. */
async function submitKey(mfa: Mfa, request: Visit, user: User): Promise<PageAnswer> {
  const submitted = await mfa.kernel.forms.submit(keyForm(mfa, 'reauthenticate_webauthn', { user }), request)
  if (submitted.ok) return resumeAfterReauthentication(mfa.account, request)
  showFormErrors(request, submitted.form)
  return redirect(withNext(mfa.kernel.url('account_login'), request.next))
}

/** Shows on the next page what is wrong: with the credential, or with fields that the host has added. */
export function showFormErrors(request: Visit, { fields, errors }: BoundForm): void {
  const all = [...errors, ...fields.flatMap((field) => field.errors)]
  for (const { message, values } of all) request.addMessage('error', request.t(message, values))
}
