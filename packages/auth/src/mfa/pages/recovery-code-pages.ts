import type { Mfa } from '../second-factors.ts'
import { requireSignedIn } from '../../account/refusals.ts'
import { AuthError } from '../../errors.ts'
import type { BoundForm, FormDefinition } from '../../kernel/forms/form.ts'
import type { PageAnswer, PageRoute } from '../../kernel/http/route.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { User } from '../../kernel/users/user.ts'
import type { RecoveryCodes } from '../mfa.ts'
import { redirectUnlessRecent, redirect } from './guards.ts'

/** Pages for viewing, downloading, and generating recovery codes. */
export const recoveryCodePages = (mfa: Mfa): readonly PageRoute[] => [
  {
    name: 'mfa_view_recovery_codes',
    path: '2fa/recovery-codes/',
    access: 'auth',
    GET: (request) => withConfirmedCodes(mfa, request, (user, codes) => view(mfa, request, user, codes)),
  },
  {
    name: 'mfa_generate_recovery_codes',
    path: '2fa/recovery-codes/generate/',
    aliases: ['/mfa/recovery_codes/generate/'],
    access: 'recent',
    GET: (request) =>
      generatePage(mfa, request, mfa.kernel.forms.show(generateCodesForm(mfa, requireSignedIn(request)), request)),
    POST: (request) => generate(mfa, request),
  },
  {
    name: 'mfa_download_recovery_codes',
    path: '2fa/recovery-codes/download/',
    access: 'auth',
    GET: (request) => withConfirmedCodes(mfa, request, (user) => download(mfa, request, user)),
  },
]

/** Runs `work` for a recently authenticated user who has codes; 404 without codes. */
async function withConfirmedCodes(
  mfa: Mfa,
  request: Visit,
  work: (user: User, codes: RecoveryCodes) => Promise<PageAnswer>,
): Promise<PageAnswer> {
  const user = requireSignedIn(request)
  const codes = await mfa.recoveryCodes.find(request, user)
  if (codes === null) throw new AuthError('not_found')
  return (await redirectUnlessRecent(mfa.account, request)) ?? work(user, codes)
}

/** Placeholder for a hidden code. The number of codes isn't secret. */
const MASK = '****'

/** Shows the codes and marks them as viewed, except for a HEAD request, which shows nothing. */
async function view(mfa: Mfa, request: Visit, user: User, found: RecoveryCodes): Promise<PageAnswer> {
  const codes = request.method === 'HEAD' ? found : await mfa.recoveryCodes.view(request, user)
  if (codes === null) throw new AuthError('not_found')
  const { recoveryCodesShowOnce } = mfa.kernel.settings.mfa
  return {
    kind: 'page',
    template: 'mfa/recovery_codes/index',
    context: {
      unused_codes: codes.canView ? codes.unused : codes.unused.map(() => MASK),
      can_view_codes: codes.canView,
      can_download_codes: !recoveryCodesShowOnce && codes.unused.length > 0,
      can_generate_codes: !recoveryCodesShowOnce || !codes.canView,
      total_count: codes.total,
      MFA_RECOVERY_CODES_SHOW_ONCE: recoveryCodesShowOnce,
    },
  }
}

async function download(mfa: Mfa, request: Visit, user: User): Promise<PageAnswer> {
  if (mfa.kernel.settings.mfa.recoveryCodesShowOnce) throw new AuthError('permission_denied')
  const codes = await mfa.recoveryCodes.view(request, user)
  if (codes === null || codes.unused.length === 0) throw new AuthError('not_found')
  const context = { unused_codes: codes.unused, user, site: request.site }
  const text = await mfa.kernel.templates.text('mfa/recovery_codes/download', context, request.t)
  const headers = {
    'content-type': 'text/plain; charset=utf-8',
    'content-disposition': 'attachment; filename="recovery-codes.txt"',
  }
  return { kind: 'response', response: new Response(`${text ?? codes.unused.join('\n')}\n`, { headers }) }
}

async function generate(mfa: Mfa, request: Visit): Promise<PageAnswer> {
  const submitted = await mfa.kernel.forms.submit(generateCodesForm(mfa, requireSignedIn(request)), request)
  return submitted.ok ? redirect(mfa.kernel.url('mfa_view_recovery_codes')) : generatePage(mfa, request, submitted.form)
}

/** Form `generate_recovery_codes`. */
const generateCodesForm = (mfa: Mfa, user: User): FormDefinition<RecoveryCodes> => ({
  id: 'generate_recovery_codes',
  fields: () => [],
  clean: (_request, values) => Promise.resolve(values),
  save: (request) => mfa.recoveryCodes.generate(request, user),
})

async function generatePage(mfa: Mfa, request: Visit, form: BoundForm): Promise<PageAnswer> {
  const codes = await mfa.recoveryCodes.find(request, requireSignedIn(request))
  return {
    kind: 'page',
    template: 'mfa/recovery_codes/generate',
    context: { form, unused_code_count: codes?.unused.length ?? 0 },
    form,
  }
}
