import type { MailContext } from '../account/adapter.ts'
import type { AuthRequest } from '../request.ts'
import type { User } from '../users/user.ts'
import type { Authenticator, AuthenticatorType } from './mfa.ts'

/** Everything about second factors that a host may decide otherwise: section 6.2.3 of the reference, in camelCase. */
export interface MfaAdapter {
  /** Name of the account in the authenticator app. */
  getTotpLabel(request: AuthRequest, user: User): string
  getTotpIssuer(request: AuthRequest): string
  /** `otpauth://totp/…` */
  buildTotpUrl(request: AuthRequest, user: User, secret: string): string
  /** A QR code as SVG text. */
  buildTotpSvg(url: string): string | Promise<string>
  /** What secrets are stored as. Default: sealed with the secret key. */
  encrypt(text: string): string
  /** Default: opens what is sealed; clear values of an old site pass. */
  decrypt(text: string): string
  canDeleteAuthenticator(request: AuthRequest, authenticator: Authenticator): boolean | Promise<boolean>
  sendNotificationMail(
    request: AuthRequest,
    templatePrefix: string,
    user: User,
    options?: { context?: MailContext; email?: string },
  ): Promise<void>
  /** Whether the user has any authenticator (of these types). */
  isMfaEnabled(request: AuthRequest, user: User, types?: readonly AuthenticatorType[]): Promise<boolean>
  generateAuthenticatorName(request: AuthRequest, user: User, type: AuthenticatorType): Promise<string>
  getPublicKeyCredentialRpEntity(request: AuthRequest): { readonly id: string; readonly name: string }
  getPublicKeyCredentialUserEntity(
    request: AuthRequest,
    user: User,
  ): { readonly id: Uint8Array; readonly name: string; readonly displayName: string }
}

/** A host's changes, or a function that makes them from the defaults. Instances of classes do too. */
export type MfaAdapterInput = Partial<MfaAdapter> | ((defaults: MfaAdapter) => Partial<MfaAdapter>)
