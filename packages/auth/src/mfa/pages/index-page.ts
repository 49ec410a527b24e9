import type { Mfa } from '../second-factors.ts'
import { requireSignedIn } from '../../account/refusals.ts'
import type { PageAnswer, PageRoute } from '../../kernel/http/route.ts'
import type { Visit } from '../../kernel/visit.ts'
import { shownAuthenticators } from './guards.ts'

/** The page that lists the user's authenticators. */
export const indexPages = (mfa: Mfa): readonly PageRoute[] => [
  { name: 'mfa_index', path: '2fa/', access: 'auth', GET: (request) => show(mfa, request) },
]

async function show(mfa: Mfa, request: Visit): Promise<PageAnswer> {
  const user = requireSignedIn(request)
  const { supportedTypes, recoveryCodesShowOnce } = mfa.kernel.settings.mfa
  const own = await mfa.authenticators.ofUser(request.db, user.id)
  const shown = own.map(shownAuthenticators(request))
  const codes = await mfa.recoveryCodes.find(request, user)
  const totp = shown.find(({ type }) => type === 'totp')
  const recoveryCodes = shown.find(({ type }) => type === 'recovery_codes')
  return {
    kind: 'page',
    template: 'mfa/index',
    context: {
      authenticators: {
        webauthn: shown.filter(({ type }) => type === 'webauthn'),
        ...(totp === undefined ? {} : { totp }),
        ...(recoveryCodes === undefined || codes === null
          ? {}
          : { recovery_codes: { ...recoveryCodes, unused_count: codes.unused.length, total_count: codes.total } }),
      },
      can_generate_codes: own.some(({ type }) => type !== 'recovery_codes'),
      MFA_SUPPORTED_TYPES: supportedTypes,
      MFA_RECOVERY_CODES_SHOW_ONCE: recoveryCodesShowOnce,
      is_mfa_enabled: await mfa.adapter.isMfaEnabled(request, user),
    },
  }
}
