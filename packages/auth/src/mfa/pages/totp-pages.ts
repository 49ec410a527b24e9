import { signedIn } from '../../account/signed-in.ts'
import type { Core } from '../../core.ts'
import { AuthError } from '../../errors.ts'
import type { BoundForm, FormDefinition } from '../../kernel/forms/form.ts'
import type { PageAnswer } from '../../kernel/http/answer.ts'
import type { PageRoute } from '../../kernel/http/route.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { User } from '../../kernel/users/user.ts'
import type { Authenticator, AuthenticatorAdded, TotpOffer } from '../mfa.ts'
import { awayUnlessAddable, awayUnlessRecent, redirect } from './guards.ts'
import { shownAuthenticators } from './shown-authenticator.ts'

/** Setting up an authenticator app, and removing it. */
export const totpPages = (core: Core): readonly PageRoute[] => [
  {
    name: 'mfa_activate_totp',
    path: '2fa/totp/activate/',
    aliases: ['/mfa/totp/create/', '/mfa/totp/activate/'],
    access: 'auth',
    GET: (request) => beforeActivation(core, request, (user) => offer(core, request, user)),
    POST: (request) => beforeActivation(core, request, (user) => activate(core, request, user)),
  },
  {
    name: 'mfa_deactivate_totp',
    path: '2fa/totp/deactivate/',
    access: 'auth',
    GET: (request) => withTotp(core, request, (user, totp) => showDeactivation(core, request, user, totp)),
    POST: (request) => withTotp(core, request, (user, totp) => deactivate(core, request, user, totp)),
  },
]

const totpOf = async (core: Core, request: Visit, user: User): Promise<Authenticator | null> =>
  (await core.mfa.authenticators.ofUser(request.db, user.id, ['totp']))[0] ?? null

/** Whoever has an app is led to removing it first; then comes the address, then who one is. */
async function beforeActivation(
  core: Core,
  request: Visit,
  work: (user: User) => Promise<PageAnswer>,
): Promise<PageAnswer> {
  const user = signedIn(request)
  if ((await totpOf(core, request, user)) !== null) return redirect(core.url('mfa_deactivate_totp'))
  return (await awayUnlessAddable(core, request, user)) ?? (await awayUnlessRecent(core, request)) ?? (await work(user))
}

const offer = async (core: Core, request: Visit, user: User): Promise<PageAnswer> =>
  offerPage(core, await core.mfa.totp.offer(request, user), core.forms.show(activation(core, user), request))

async function activate(core: Core, request: Visit, user: User): Promise<PageAnswer> {
  const submitted = await core.forms.submit(activation(core, user), request)
  if (submitted.ok) {
    const { recoveryCodesGenerated } = submitted.result
    return redirect(core.url(recoveryCodesGenerated ? 'mfa_view_recovery_codes' : 'mfa_index'))
  }
  const offered = (await core.mfa.totp.offered(request, user)) ?? (await core.mfa.totp.offer(request, user))
  return offerPage(core, offered, submitted.form)
}

const GROUP = /.{1,4}/g

async function offerPage(core: Core, { secret, url }: TotpOffer, form: BoundForm): Promise<PageAnswer> {
  const svg = await core.mfa.adapter.buildTotpSvg(url)
  return {
    kind: 'page',
    template: 'mfa/totp/activate_form',
    context: {
      form,
      totp_svg: svg,
      totp_svg_data_uri: `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`,
      totp_url: url,
      totp_secret: secret,
      totp_secret_groups: secret.match(GROUP) ?? [],
      totp_digits: core.settings.mfa.totpDigits,
    },
    form,
  }
}

/** Form `activate_totp`. */
const activation = (core: Core, user: User): FormDefinition<AuthenticatorAdded> => ({
  id: 'activate_totp',
  fields: () => [
    {
      name: 'code',
      label: 'Verification code',
      type: 'text',
      required: true,
      autocomplete: 'one-time-code',
      inputMode: 'numeric',
      maxLength: 100,
    },
  ],
  clean: (_request, values) => Promise.resolve(values),
  save: (request, values) => core.mfa.totp.activate(request, user, String(values['code'])),
})

/** Who has no app finds nothing here; who has one confirms who they are. */
async function withTotp(
  core: Core,
  request: Visit,
  work: (user: User, totp: Authenticator) => Promise<PageAnswer>,
): Promise<PageAnswer> {
  const user = signedIn(request)
  const totp = await totpOf(core, request, user)
  if (totp === null) throw new AuthError('not_found')
  return (await awayUnlessRecent(core, request)) ?? work(user, totp)
}

/** A hook that keeps the app says so at once. */
async function showDeactivation(core: Core, request: Visit, user: User, totp: Authenticator): Promise<PageAnswer> {
  const form = core.forms.show(deactivation(core, user, totp), request)
  if (await core.mfa.adapter.canDeleteAuthenticator(request, totp)) return deactivationPage(request, totp, form)
  const errors = [core.adapter.validationError('cannot_delete_authenticator')]
  return deactivationPage(request, totp, { ...form, errors })
}

async function deactivate(core: Core, request: Visit, user: User, totp: Authenticator): Promise<PageAnswer> {
  const submitted = await core.forms.submit(deactivation(core, user, totp), request)
  return submitted.ok ? redirect(core.url('mfa_index')) : deactivationPage(request, totp, submitted.form)
}

/** Form `deactivate_totp`. */
const deactivation = (core: Core, user: User, totp: Authenticator): FormDefinition<void> => ({
  id: 'deactivate_totp',
  fields: () => [],
  clean: (_request, values) => Promise.resolve(values),
  save: (request) => core.mfa.totp.deactivate(request, user, totp),
})

const deactivationPage = (request: Visit, totp: Authenticator, form: BoundForm): PageAnswer => ({
  kind: 'page',
  template: 'mfa/totp/deactivate_form',
  context: { form, authenticator: shownAuthenticators(request)(totp) },
  form,
})
