import type { Account } from '../account/account.ts'
import { bindHooks } from '../kernel/hooks.ts'
import type { PageRoute } from '../kernel/http/route.ts'
import type { ConnectedKernel, Contributions, Module } from '../kernel/module.ts'
import type { Signals } from '../kernel/signals.ts'
import type { User } from '../kernel/users/user.ts'
import type { Visit } from '../kernel/visit.ts'
import { authenticateByCode, MFA_STAGE, mfaStage } from './authenticate/by-code.ts'
import { sealedAuthenticators, sqlAuthenticatorStore } from './authenticator-store.sql.ts'
import { evictAuthenticators, guardAddresses, hasMfaAddressConflict } from './changes.ts'
import { mfaHooks } from './hooks.ts'
import type {
  Authenticator,
  AuthenticatorStore,
  AuthenticatorType,
  FactorUse,
  RecoveryCodeFlow,
  TotpFlow,
  TrustFlow,
  WebauthnFlow,
} from './mfa.ts'
import { authenticatePages, reauthenticatePages, trustPages } from './pages/authenticate-page.ts'
import { indexPages } from './pages/index-page.ts'
import { keyPages } from './pages/key-pages.ts'
import { passkeyLoginPages, passkeySignupPages } from './pages/passkey-pages.ts'
import { recoveryCodePages } from './pages/recovery-code-pages.ts'
import { totpPages } from './pages/totp-pages.ts'
import { BY_CODE, BY_KEY, mfaReauthenticationMethods } from './reauthentication-methods.ts'
import { recoveryCodeFlow } from './recovery-codes.ts'
import type { MfaFormResults, MfaSignals, MfaAdapter, MfaAdapterInput, Mfa } from './second-factors.ts'
import { totpFlow } from './totp/totp.ts'
import { trustStage, trustFlow } from './authenticate/trust.ts'
import { listAuthenticatorTypes } from './uses.ts'
import { passkeySignupStage } from './webauthn/signup.ts'
import { webauthnFlow } from './webauthn/webauthn.ts'

class MfaServices implements Mfa {
  readonly kernel: ConnectedKernel
  readonly signals: Signals<MfaSignals>
  readonly account: Account
  readonly adapter: MfaAdapter
  readonly authenticators: AuthenticatorStore
  readonly totp: TotpFlow
  readonly recoveryCodes: RecoveryCodeFlow
  readonly webauthn: WebauthnFlow
  readonly trust: TrustFlow

  constructor(account: Account, input: MfaAdapterInput | undefined) {
    this.kernel = account.kernel
    this.signals = account.kernel.signals.typed()
    this.account = account
    this.authenticators = sqlAuthenticatorStore(account.kernel)
    const defaults = mfaHooks(this)
    const overrides = typeof input === 'function' ? input(defaults) : (input ?? {})
    this.adapter = { ...defaults, ...bindHooks(overrides, Object.keys(defaults)) }
    // These use the other services, but only when called.
    this.totp = totpFlow(this)
    this.recoveryCodes = recoveryCodeFlow(this)
    this.webauthn = webauthnFlow(this)
    this.trust = trustFlow(this)
  }

  authenticateByCode(visit: Visit, user: User, code: string, options: FactorUse): Promise<Authenticator> {
    return authenticateByCode(this, visit, user, code, options)
  }

  loadAuthenticatorTypes(visit: Visit, user: User): Promise<readonly AuthenticatorType[]> {
    return listAuthenticatorTypes(this, visit, user)
  }
}

/** Creates the MFA services of one instance. */
export const createMfa = (account: Account, input: MfaAdapterInput | undefined): Mfa => new MfaServices(account, input)

/** Returns the contributions of the MFA module. */
export function mfaContributions(mfa: Mfa): Contributions {
  guardAddresses(mfa)
  const settings = mfa.kernel.settings.mfa
  return {
    operations: async () => (await import('./operations/all.ts')).mfaResources(mfa),
    sealedTables: [sealedAuthenticators(mfa.kernel)],
    apiConfig: async () => ({
      mfa: { supported_types: settings.supportedTypes, passkey_login_enabled: settings.passkeyLoginEnabled },
    }),
    entranceFlows: async () => (settings.passkeyLoginEnabled ? [{ id: 'mfa_login_webauthn' }] : []),
    async reauthenticationFlows(visit, user, offered) {
      const types = (await mfa.loadAuthenticatorTypes(visit, user)).filter((type) =>
        offered.includes(type === 'webauthn' ? BY_KEY : BY_CODE),
      )
      return types.length > 0 ? [{ id: BY_CODE, types }] : []
    },
    pendingFlowData: async (visit, { user, state }) =>
      state.current === MFA_STAGE && user !== null ? { types: await mfa.loadAuthenticatorTypes(visit, user) } : {},
    pages: mfaPages(mfa),
    loginStages: [mfaStage(mfa), trustStage(mfa), passkeySignupStage(mfa)],
    reauthenticationMethods: (visit, user) => mfaReauthenticationMethods(mfa, visit, user),
    isTrustedBrowser: (visit, user) => mfa.trust.isTrusted(visit, user),
    evictOthers: (visit, user) => evictAuthenticators(mfa, visit, user),
    blocksNewAddress: (visit, user) => hasMfaAddressConflict(mfa, visit, user),
  }
}

/** Creates the MFA module. @param adapter The host's hooks. */
export function createModule(account: Account, adapter: MfaAdapterInput | undefined): Module<Mfa, MfaFormResults> {
  const service = createMfa(account, adapter)
  return { service, contributions: mfaContributions(service) }
}

/** Returns the MFA pages that the settings enable. */
export function mfaPages(mfa: Mfa): readonly PageRoute[] {
  const { mfa: settings, account } = mfa.kernel.settings
  if (!settings.enabled) return []
  const has = (type: (typeof settings.supportedTypes)[number]): boolean => settings.supportedTypes.includes(type)
  return [
    ...indexPages(mfa),
    ...authenticatePages(mfa),
    ...reauthenticatePages(mfa),
    ...(settings.trustEnabled || account.loginByCodeTrustEnabled ? trustPages(mfa) : []),
    ...(has('totp') ? totpPages(mfa) : []),
    ...(has('recovery_codes') ? recoveryCodePages(mfa) : []),
    ...(has('webauthn') ? keyPages(mfa) : []),
    ...(settings.passkeyLoginEnabled ? passkeyLoginPages(mfa) : []),
    ...(settings.passkeySignupEnabled ? passkeySignupPages(mfa) : []),
  ]
}
