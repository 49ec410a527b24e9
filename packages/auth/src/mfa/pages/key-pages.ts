import type { Account } from '../../account/account.ts'
import { requireSignedIn } from '../../account/refusals.ts'
import { AuthError, InvalidInput } from '../../errors.ts'
import type { BoundForm, FormDefinition, Field } from '../../kernel/forms/form.ts'
import type { PageAnswer, PageHandler, PageRoute } from '../../kernel/http/route.ts'
import type { User } from '../../kernel/users/user.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { Authenticator, AuthenticatorAdded } from '../mfa.ts'
import type { Mfa } from '../second-factors.ts'
import { CREDENTIAL_FIELD, withCredential, clearCredential, KEY_NAME_FIELD } from './credential-field.ts'
import { redirectUnlessAddable, redirectUnlessRecent, redirect, readKeyName, shownAuthenticators } from './guards.ts'

/** Pages for listing, adding, renaming, and removing the user's security keys and passkeys. */
export const keyPages = (mfa: Mfa): readonly PageRoute[] => [
  { name: 'mfa_list_webauthn', path: '2fa/webauthn/', access: 'auth', GET: (request) => list(mfa, request) },
  ...addKeyPages(mfa),
  {
    name: 'mfa_remove_webauthn',
    path: '2fa/webauthn/keys/{id}/remove/',
    access: 'recent',
    GET: withOwnKey(mfa, async (request, _user, key) => removePage(request, key, { fields: [], errors: [] })),
    POST: withOwnKey(mfa, (request, user, key) => remove(mfa, request, user, key)),
  },
  {
    name: 'mfa_edit_webauthn',
    path: '2fa/webauthn/keys/{id}/edit/',
    access: 'recent',
    GET: withOwnKey(mfa, async (request, user, key) =>
      editPage(
        request,
        key,
        mfa.kernel.forms.show(renameForm(mfa, user, key), request, { name: readKeyName(key.data) }),
      ),
    ),
    POST: withOwnKey(mfa, (request, user, key) => rename(mfa, request, user, key)),
  },
]

const findUserKeys = (mfa: Mfa, request: Visit, user: User): Promise<readonly Authenticator[]> =>
  mfa.authenticators.ofUser(request.db, user.id, ['webauthn'])

async function list(mfa: Mfa, request: Visit): Promise<PageAnswer> {
  const keys = await findUserKeys(mfa, request, requireSignedIn(request))
  return {
    kind: 'page',
    template: 'mfa/webauthn/authenticator_list',
    context: { authenticators: keys.map(shownAuthenticators(request)) },
  }
}

/** Runs `work` for the key in the path; 404 if the user has no such key. */
const withOwnKey =
  (mfa: Mfa, work: (request: Visit, user: User, key: Authenticator) => Promise<PageAnswer>): PageHandler =>
  async (request, params) => {
    const user = requireSignedIn(request)
    const key = (await findUserKeys(mfa, request, user)).find(({ id }) => String(id) === params['id'])
    if (key === undefined) throw new AuthError('not_found')
    return work(request, user, key)
  }

async function rename(mfa: Mfa, request: Visit, user: User, key: Authenticator): Promise<PageAnswer> {
  const submitted = await mfa.kernel.forms.submit(renameForm(mfa, user, key), request)
  return submitted.ok ? redirect(mfa.kernel.url('mfa_list_webauthn')) : editPage(request, key, submitted.form)
}

/** Form `edit_webauthn`. */
const renameForm = (mfa: Mfa, user: User, key: Authenticator): FormDefinition<Authenticator> => ({
  id: 'edit_webauthn',
  fields: () => [{ ...KEY_NAME_FIELD, required: true, autofocus: true }],
  clean: (_request, values) => Promise.resolve(values),
  save: (request, values) => mfa.webauthn.rename(request, user, key, String(values['name'])),
})

const editPage = (request: Visit, key: Authenticator, form: BoundForm): PageAnswer => ({
  kind: 'page',
  template: 'mfa/webauthn/edit_form',
  context: { form, authenticator: shownAuthenticators(request)(key) },
  form,
})

async function remove(mfa: Mfa, request: Visit, user: User, key: Authenticator): Promise<PageAnswer> {
  try {
    await mfa.webauthn.remove(request, user, [key])
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    return removePage(request, key, { fields: [], errors: error.errors })
  }
  return redirect(mfa.kernel.url('mfa_list_webauthn'))
}

const removePage = (request: Visit, key: Authenticator, form: BoundForm): PageAnswer => ({
  kind: 'page',
  template: 'mfa/webauthn/authenticator_confirm_delete',
  context: { form, authenticator: shownAuthenticators(request)(key) },
  form,
})

/** The page for adding a security key or a passkey. */
const addKeyPages = (mfa: Mfa): readonly PageRoute[] => [
  {
    name: 'mfa_add_webauthn',
    path: '2fa/webauthn/add/',
    aliases: ['/mfa/webauthn/create/', '/mfa/webauthn/activate/'],
    access: 'auth',
    GET: (request) => withAddableUser(mfa.account, request, (user) => show(mfa, request, user)),
    POST: (request) => withAddableUser(mfa.account, request, (user) => add(mfa, request, user)),
  },
]

async function withAddableUser(
  account: Account,
  request: Visit,
  work: (user: User) => Promise<PageAnswer>,
): Promise<PageAnswer> {
  const user = requireSignedIn(request)
  return (
    (await redirectUnlessAddable(account, request, user)) ??
    (await redirectUnlessRecent(account, request)) ??
    (await work(user))
  )
}

async function show(mfa: Mfa, request: Visit, user: User): Promise<PageAnswer> {
  const name = await mfa.adapter.generateAuthenticatorName(request, user, 'webauthn')
  return renderAddKey(mfa, request, user, mfa.kernel.forms.show(addKeyForm(mfa, user), request, { name }))
}

async function add(mfa: Mfa, request: Visit, user: User): Promise<PageAnswer> {
  const submitted = await mfa.kernel.forms.submit(addKeyForm(mfa, user), request)
  if (!submitted.ok) return renderAddKey(mfa, request, user, clearCredential(submitted.form))
  return redirect(mfa.kernel.url(submitted.result.recoveryCodesGenerated ? 'mfa_view_recovery_codes' : 'mfa_index'))
}

/** If checked, a script creates a passkey. */
const PASSWORDLESS: Field = {
  name: 'passwordless',
  label: 'Use for passwordless sign-in',
  type: 'checkbox',
  required: false,
  helpText: 'Creates a passkey: sign in with your fingerprint, face, or PIN instead of a password.',
}

/** Form `add_webauthn`. */
const addKeyForm = (mfa: Mfa, user: User): FormDefinition<AuthenticatorAdded> => ({
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

async function renderAddKey(mfa: Mfa, request: Visit, user: User, form: BoundForm): Promise<PageAnswer> {
  const creationOptions = await mfa.webauthn.creationOptions(request, user, { passwordless: false })
  return {
    kind: 'page',
    template: 'mfa/webauthn/add_form',
    context: { form, js_data: { creation_options: creationOptions } },
    form,
  }
}
