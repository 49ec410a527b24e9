import type { MailContext } from '../account/adapter.ts'
import type { Visit } from '../kernel/visit.ts'
import type { User } from '../kernel/users/user.ts'
import type { Authenticator, AuthenticatorType } from './mfa.ts'

/** Everything about second factors that a host may decide otherwise: section 6.2.3 of the reference, in camelCase. */
export interface MfaAdapter {
  /** Name of the account in the authenticator app. */
  getTotpLabel(request: Visit, user: User): string
  getTotpIssuer(request: Visit): string
  /** `otpauth://totp/…` */
  buildTotpUrl(request: Visit, user: User, secret: string): string
  /** A QR code as SVG text. */
  buildTotpSvg(url: string): string | Promise<string>
  /** What secrets are stored as. Default: sealed with the secret key. */
  encrypt(text: string): string
  /** Default: opens what is sealed; clear values of an old site pass. */
  decrypt(text: string): string
  canDeleteAuthenticator(request: Visit, authenticator: Authenticator): boolean | Promise<boolean>
  sendNotificationMail(
    request: Visit,
    templatePrefix: string,
    user: User,
    options?: { context?: MailContext; email?: string },
  ): Promise<void>
  /** Whether the user has any authenticator (of these types). */
  isMfaEnabled(request: Visit, user: User, types?: readonly AuthenticatorType[]): Promise<boolean>
  generateAuthenticatorName(request: Visit, user: User, type: AuthenticatorType): Promise<string>
  getPublicKeyCredentialRpEntity(request: Visit): { readonly id: string; readonly name: string }
  getPublicKeyCredentialUserEntity(
    request: Visit,
    user: User,
  ): { readonly id: Uint8Array; readonly name: string; readonly displayName: string }
}

/** A host's changes, or a function that makes them from the defaults. Instances of classes do too. */
export type MfaAdapterInput = Partial<MfaAdapter> | ((defaults: MfaAdapter) => Partial<MfaAdapter>)
