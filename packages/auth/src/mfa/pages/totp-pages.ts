import type { Mfa } from '../second-factors.ts'
import { requireSignedIn } from '../../account/refusals.ts'
import { AuthError } from '../../errors.ts'
import type { BoundForm, FormDefinition } from '../../kernel/forms/form.ts'
import type { PageAnswer, PageRoute } from '../../kernel/http/route.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { User } from '../../kernel/users/user.ts'
import type { Authenticator, AuthenticatorAdded, TotpOffer } from '../mfa.ts'
import { redirectUnlessAddable, redirectUnlessRecent, redirect, shownAuthenticators } from './guards.ts'

/** Pages for setting up and removing an authenticator app. */
export const totpPages = (mfa: Mfa): readonly PageRoute[] => [
  {
    name: 'mfa_activate_totp',
    path: '2fa/totp/activate/',
    aliases: ['/mfa/totp/create/', '/mfa/totp/activate/'],
    access: 'auth',
    GET: (request) => withTotpActivation(mfa, request, (user) => renderTotpOffer(mfa, request, user)),
    POST: (request) => withTotpActivation(mfa, request, (user) => activate(mfa, request, user)),
  },
  {
    name: 'mfa_deactivate_totp',
    path: '2fa/totp/deactivate/',
    access: 'auth',
    GET: (request) => withConfirmedTotp(mfa, request, (user, totp) => showDeactivation(mfa, request, user, totp)),
    POST: (request) => withConfirmedTotp(mfa, request, (user, totp) => deactivate(mfa, request, user, totp)),
  },
]

const findTotp = async (mfa: Mfa, request: Visit, user: User): Promise<Authenticator | null> =>
  (await mfa.authenticators.ofUser(request.db, user.id, ['totp']))[0] ?? null

/**
 * Runs `work` if the user has no app yet, has no unverified address, and has authenticated recently. Otherwise
 * redirects, checking in this order.
 */
async function withTotpActivation(
  mfa: Mfa,
  request: Visit,
  work: (user: User) => Promise<PageAnswer>,
): Promise<PageAnswer> {
  const user = requireSignedIn(request)
  if ((await findTotp(mfa, request, user)) !== null) return redirect(mfa.kernel.url('mfa_deactivate_totp'))
  return (
    (await redirectUnlessAddable(mfa.account, request, user)) ??
    (await redirectUnlessRecent(mfa.account, request)) ??
    (await work(user))
  )
}

const renderTotpOffer = async (mfa: Mfa, request: Visit, user: User): Promise<PageAnswer> =>
  offerPage(mfa, await mfa.totp.offer(request, user), mfa.kernel.forms.show(activateTotpForm(mfa, user), request))

async function activate(mfa: Mfa, request: Visit, user: User): Promise<PageAnswer> {
  const submitted = await mfa.kernel.forms.submit(activateTotpForm(mfa, user), request)
  if (submitted.ok) {
    const { recoveryCodesGenerated } = submitted.result
    return redirect(mfa.kernel.url(recoveryCodesGenerated ? 'mfa_view_recovery_codes' : 'mfa_index'))
  }
  const offered = (await mfa.totp.offered(request, user)) ?? (await mfa.totp.offer(request, user))
  return offerPage(mfa, offered, submitted.form)
}

const GROUP = /.{1,4}/g

async function offerPage(mfa: Mfa, { secret, url }: TotpOffer, form: BoundForm): Promise<PageAnswer> {
  const svg = await mfa.adapter.buildTotpSvg(url)
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
      totp_digits: mfa.kernel.settings.mfa.totpDigits,
    },
    form,
  }
}

/** Form `activate_totp`. */
const activateTotpForm = (mfa: Mfa, user: User): FormDefinition<AuthenticatorAdded> => ({
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
  save: (request, values) => mfa.totp.activate(request, user, String(values['code'])),
})

/** Runs `work` for a recently authenticated user who has TOTP; 404 without. */
async function withConfirmedTotp(
  mfa: Mfa,
  request: Visit,
  work: (user: User, totp: Authenticator) => Promise<PageAnswer>,
): Promise<PageAnswer> {
  const user = requireSignedIn(request)
  const totp = await findTotp(mfa, request, user)
  if (totp === null) throw new AuthError('not_found')
  return (await redirectUnlessRecent(mfa.account, request)) ?? work(user, totp)
}

/** Shows right away if a hook prevents the removal. */
async function showDeactivation(mfa: Mfa, request: Visit, user: User, totp: Authenticator): Promise<PageAnswer> {
  const form = mfa.kernel.forms.show(deactivateTotpForm(mfa, user, totp), request)
  if (await mfa.adapter.canDeleteAuthenticator(request, totp)) return deactivationPage(request, totp, form)
  const errors = [mfa.account.adapter.validationError('cannot_delete_authenticator')]
  return deactivationPage(request, totp, { ...form, errors })
}

async function deactivate(mfa: Mfa, request: Visit, user: User, totp: Authenticator): Promise<PageAnswer> {
  const submitted = await mfa.kernel.forms.submit(deactivateTotpForm(mfa, user, totp), request)
  return submitted.ok ? redirect(mfa.kernel.url('mfa_index')) : deactivationPage(request, totp, submitted.form)
}

/** Form `deactivate_totp`. */
const deactivateTotpForm = (mfa: Mfa, user: User, totp: Authenticator): FormDefinition<void> => ({
  id: 'deactivate_totp',
  fields: () => [],
  clean: (_request, values) => Promise.resolve(values),
  save: (request) => mfa.totp.deactivate(request, user, totp),
})

const deactivationPage = (request: Visit, totp: Authenticator, form: BoundForm): PageAnswer => ({
  kind: 'page',
  template: 'mfa/totp/deactivate_form',
  context: { form, authenticator: shownAuthenticators(request)(totp) },
  form,
})
