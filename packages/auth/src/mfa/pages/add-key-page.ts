import type { Mfa } from '../second-factors.ts'
import type { Account } from '../../account/account.ts'
import { signedIn } from '../../account/signed-in.ts'
import type { BoundForm, Field, FormDefinition } from '../../kernel/forms/form.ts'
import type { PageAnswer } from '../../kernel/http/answer.ts'
import type { PageRoute } from '../../kernel/http/route.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { User } from '../../kernel/users/user.ts'
import type { AuthenticatorAdded } from '../mfa.ts'
import { CREDENTIAL_FIELD, withCredential, withoutCredential } from './credential-field.ts'
import { awayUnlessAddable, awayUnlessRecent, redirect } from './guards.ts'
import { KEY_NAME_FIELD } from './key-name-field.ts'

/** Adding a security key or a passkey. */
export const addKeyPages = (mfa: Mfa): readonly PageRoute[] => [
  {
    name: 'mfa_add_webauthn',
    path: '2fa/webauthn/add/',
    aliases: ['/mfa/webauthn/create/', '/mfa/webauthn/activate/'],
    access: 'auth',
    GET: (request) => mayAdd(mfa.account, request, (user) => show(mfa, request, user)),
    POST: (request) => mayAdd(mfa.account, request, (user) => add(mfa, request, user)),
  },
]

async function mayAdd(
  account: Account,
  request: Visit,
  work: (user: User) => Promise<PageAnswer>,
): Promise<PageAnswer> {
  const user = signedIn(request)
  return (
    (await awayUnlessAddable(account, request, user)) ??
    (await awayUnlessRecent(account, request)) ??
    (await work(user))
  )
}

async function show(mfa: Mfa, request: Visit, user: User): Promise<PageAnswer> {
  const name = await mfa.adapter.generateAuthenticatorName(request, user, 'webauthn')
  return page(mfa, request, user, mfa.kernel.forms.show(addition(mfa, user), request, { name }))
}

async function add(mfa: Mfa, request: Visit, user: User): Promise<PageAnswer> {
  const submitted = await mfa.kernel.forms.submit(addition(mfa, user), request)
  if (!submitted.ok) return page(mfa, request, user, withoutCredential(submitted.form))
  return redirect(mfa.kernel.url(submitted.result.recoveryCodesGenerated ? 'mfa_view_recovery_codes' : 'mfa_index'))
}

/** A script makes a passkey of it when the person asks for one. */
const PASSWORDLESS: Field = {
  name: 'passwordless',
  label: 'Use for passwordless sign-in',
  type: 'checkbox',
  required: false,
  helpText: 'Creates a passkey: sign in with your fingerprint, face, or PIN instead of a password.',
}

/** Form `add_webauthn`. */
const addition = (mfa: Mfa, user: User): FormDefinition<AuthenticatorAdded> => ({
  id: 'add_webauthn',
  fields: () => [
    KEY_NAME_FIELD,
    ...(mfa.kernel.settings.mfa.passkeyLoginEnabled ? [PASSWORDLESS] : []),
    CREDENTIAL_FIELD,
  ],
  clean: (_request, values) => Promise.resolve(values),
  save: (request, values) =>
    withCredential(mfa.account, values, (credential) =>
      mfa.webauthn.add(request, user, { name: String(values['name'] ?? ''), credential }),
    ),
})

async function page(mfa: Mfa, request: Visit, user: User, form: BoundForm): Promise<PageAnswer> {
  const creationOptions = await mfa.webauthn.creationOptions(request, user, { passwordless: false })
  return {
    kind: 'page',
    template: 'mfa/webauthn/add_form',
    context: { form, js_data: { creation_options: creationOptions } },
    form,
  }
}
