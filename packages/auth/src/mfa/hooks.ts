import type { Core } from '../core.ts'
import { userIdText } from '../kernel/crypto/user-id-text.ts'
import type { Visit } from '../kernel/visit.ts'
import type { User } from '../kernel/users/user.ts'
import type { MfaAdapter } from './adapter.ts'
import type { AuthenticatorType } from './mfa.ts'
import { openSecret, sealSecret } from './sealed-secret.ts'
import { otpauthUrl } from './totp/otpauth-url.ts'
import { qrCodeSvg } from './totp/qr-code.ts'

/** The default hooks; they call each other through the adapter, and so the host's. @param core Asked at each call */
export const mfaHooks = (core: () => Core): MfaAdapter => ({
  getTotpLabel: (_request, user) => nameOf(core(), user),
  getTotpIssuer: ({ site }) => core().settings.mfa.totpIssuer || site.name,
  buildTotpUrl(request, user, secret) {
    const { adapter } = core().mfa
    const { totpDigits: digits, totpPeriod: period } = core().settings.mfa
    const [label, issuer] = [adapter.getTotpLabel(request, user), adapter.getTotpIssuer(request)]
    return otpauthUrl({ label, issuer, secret, digits, period })
  },
  buildTotpSvg: (url) => qrCodeSvg(url),
  encrypt: (text) => sealSecret(core().sealer, text),
  decrypt: (text) => openSecret(core().sealer, text),
  canDeleteAuthenticator: () => true,
  sendNotificationMail: (request, templatePrefix, user, options) =>
    core().adapter.sendNotificationMail(request, templatePrefix, user, options),
  isMfaEnabled: (request, user, types) => hasAny(core(), request, user, types),
  generateAuthenticatorName: (request, user, type) => newName(core(), request, user, type),
  getPublicKeyCredentialRpEntity: ({ url, site }) => ({ id: url.hostname, name: site.name }),
  getPublicKeyCredentialUserEntity: (_request, user) => ({
    id: new TextEncoder().encode(userIdText(user.id, core().settings.userTable.idType)),
    name: nameOf(core(), user),
    displayName: core().adapter.userDisplay(user),
  }),
})

const nameOf = (core: Core, user: User): string => user.email || user.username || core.adapter.userDisplay(user)

async function hasAny(core: Core, request: Visit, user: User, types?: readonly AuthenticatorType[]): Promise<boolean> {
  if (!core.settings.mfa.enabled) return false
  return (await core.mfa.authenticators.ofUser(request.db, user.id, types)).length > 0
}

/** By how many of this type there are. */
async function newName(core: Core, request: Visit, user: User, type: AuthenticatorType): Promise<string> {
  const { length } = await core.mfa.authenticators.ofUser(request.db, user.id, [type])
  if (length === 0) return request.t('Main key')
  if (length === 1) return request.t('Backup key')
  return request.t('Key {number}', { number: length + 1 })
}
