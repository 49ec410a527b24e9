import type { Mfa, MfaAdapter } from './second-factors.ts'
import type { Account } from '../account/account.ts'
import { userIdText, type User } from '../kernel/users/user.ts'
import type { Visit } from '../kernel/visit.ts'
import type { AuthenticatorType } from './mfa.ts'
import { openSecret, sealSecret } from './sealed-secret.ts'
import { otpauthUrl, qrCodeSvg } from './totp/otpauth-url.ts'

/** Returns the default hooks. They call each other through the adapter, so they call the host's hooks. */
export const mfaHooks = (mfa: Mfa): MfaAdapter => ({
  getTotpLabel: (_request, user) => totpAccountName(mfa.account, user),
  getTotpIssuer: ({ site }) => mfa.kernel.settings.mfa.totpIssuer || site.name,
  buildTotpUrl(request, user, secret) {
    const { adapter } = mfa
    const { totpDigits: digits, totpPeriod: period } = mfa.kernel.settings.mfa
    const [label, issuer] = [adapter.getTotpLabel(request, user), adapter.getTotpIssuer(request)]
    return otpauthUrl({ label, issuer, secret, digits, period })
  },
  buildTotpSvg: (url) => qrCodeSvg(url),
  encrypt: (text) => sealSecret(mfa.kernel, text),
  decrypt: (text) => openSecret(mfa.kernel.sealer, text),
  canDeleteAuthenticator: () => true,
  sendNotificationMail: (request, templatePrefix, user, options) =>
    mfa.account.adapter.sendNotificationMail(request, templatePrefix, user, options),
  isMfaEnabled: (request, user, types) => hasAuthenticator(mfa, request, user, types),
  generateAuthenticatorName: (request, user, type) => nextAuthenticatorName(mfa, request, user, type),
  getPublicKeyCredentialRpEntity: ({ url, site }) => ({ id: url.hostname, name: site.name }),
  getPublicKeyCredentialUserEntity: (_request, user) => ({
    id: new TextEncoder().encode(userIdText(user.id, mfa.kernel.settings.userTable.idType)),
    name: totpAccountName(mfa.account, user),
    displayName: mfa.account.adapter.userDisplay(user),
  }),
})

const totpAccountName = (account: Account, user: User): string =>
  user.email || user.username || account.adapter.userDisplay(user)

async function hasAuthenticator(
  mfa: Mfa,
  request: Visit,
  user: User,
  types?: readonly AuthenticatorType[],
): Promise<boolean> {
  if (!mfa.kernel.settings.mfa.enabled) return false
  return (await mfa.authenticators.ofUser(request.db, user.id, types)).length > 0
}

/** Returns a name that depends on how many authenticators of this type the user has. */
async function nextAuthenticatorName(mfa: Mfa, request: Visit, user: User, type: AuthenticatorType): Promise<string> {
  const { length } = await mfa.authenticators.ofUser(request.db, user.id, [type])
  if (length === 0) return request.t('Main key')
  if (length === 1) return request.t('Backup key')
  return request.t('Key {number}', { number: length + 1 })
}
