import type { Mfa } from '../second-factors.ts'
import { signedIn } from '../../account/signed-in.ts'
import { AuthError, InvalidInput } from '../../errors.ts'
import type { BoundForm, FormDefinition } from '../../kernel/forms/form.ts'
import type { PageAnswer } from '../../kernel/http/answer.ts'
import type { PageHandler, PageRoute } from '../../kernel/http/route.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { User } from '../../kernel/users/user.ts'
import type { Authenticator } from '../mfa.ts'
import { addKeyPages } from './add-key-page.ts'
import { redirect } from './guards.ts'
import { KEY_NAME_FIELD } from './key-name-field.ts'
import { nameOf, shownAuthenticators } from './shown-authenticator.ts'

/** One's security keys and passkeys: list, add, rename, remove. */
export const keyPages = (mfa: Mfa): readonly PageRoute[] => [
  { name: 'mfa_list_webauthn', path: '2fa/webauthn/', access: 'auth', GET: (request) => list(mfa, request) },
  ...addKeyPages(mfa),
  {
    name: 'mfa_remove_webauthn',
    path: '2fa/webauthn/keys/{id}/remove/',
    access: 'recent',
    GET: withKey(mfa, async (request, _user, key) => removePage(request, key, { fields: [], errors: [] })),
    POST: withKey(mfa, (request, user, key) => remove(mfa, request, user, key)),
  },
  {
    name: 'mfa_edit_webauthn',
    path: '2fa/webauthn/keys/{id}/edit/',
    access: 'recent',
    GET: withKey(mfa, async (request, user, key) =>
      editPage(request, key, mfa.kernel.forms.show(renaming(mfa, user, key), request, { name: nameOf(key.data) })),
    ),
    POST: withKey(mfa, (request, user, key) => rename(mfa, request, user, key)),
  },
]

const keysOf = (mfa: Mfa, request: Visit, user: User): Promise<readonly Authenticator[]> =>
  mfa.authenticators.ofUser(request.db, user.id, ['webauthn'])

async function list(mfa: Mfa, request: Visit): Promise<PageAnswer> {
  const keys = await keysOf(mfa, request, signedIn(request))
  return {
    kind: 'page',
    template: 'mfa/webauthn/authenticator_list',
    context: { authenticators: keys.map(shownAuthenticators(request)) },
  }
}

/** Runs `work` for the key of the path; one of somebody else is as one that is not there. */
const withKey =
  (mfa: Mfa, work: (request: Visit, user: User, key: Authenticator) => Promise<PageAnswer>): PageHandler =>
  async (request, params) => {
    const user = signedIn(request)
    const key = (await keysOf(mfa, request, user)).find(({ id }) => String(id) === params['id'])
    if (key === undefined) throw new AuthError('not_found')
    return work(request, user, key)
  }

async function rename(mfa: Mfa, request: Visit, user: User, key: Authenticator): Promise<PageAnswer> {
  const submitted = await mfa.kernel.forms.submit(renaming(mfa, user, key), request)
  return submitted.ok ? redirect(mfa.kernel.url('mfa_list_webauthn')) : editPage(request, key, submitted.form)
}

/** Form `edit_webauthn`. */
const renaming = (mfa: Mfa, user: User, key: Authenticator): FormDefinition<Authenticator> => ({
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
