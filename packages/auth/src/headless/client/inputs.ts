/** A credential of `navigator.credentials` in its JSON form, as `createPasskey` and `getPasskey` answer it. */
export type CredentialJson = Readonly<Record<string, unknown>>

type Login = { readonly password: string } & (
  | { readonly email: string }
  | { readonly username: string }
  | { readonly phone: string }
)

/** Members that the settings ask for at sign-up, and those of the host's own form. */
interface Signup {
  readonly email?: string
  readonly phone?: string
  readonly username?: string
  readonly [member: string]: unknown
}

interface Code {
  readonly code: string
}
interface Email {
  readonly email: string
}
interface Key {
  /** Of the link in the mail, or the code. */
  readonly key: string
}
interface Credential {
  readonly credential: CredentialJson
}

/** What each operation is given; those that are not here are given nothing. */
export interface OperationInputs {
  login: Login
  signup: Signup & { readonly password?: string }
  getEmailVerification: Key
  verifyEmail: Key
  verifyPhone: Code
  reauthenticate: { readonly password: string }
  requestPasswordReset: Email
  getPasswordReset: Key
  resetPassword: Key & { readonly password: string }
  requestLoginCode: Email | { readonly phone: string }
  confirmLoginCode: Code
  authenticateByCode: Code
  reauthenticateByCode: Code
  trustBrowser: { readonly trust: boolean }
  authenticateByWebauthn: Credential
  reauthenticateByWebauthn: Credential
  loginByWebauthn: Credential
  signupByPasskey: Signup
  completePasskeySignup: Credential & { readonly name?: string }
  activateTotp: Code
  /** `passwordless`: for a passkey, which signs in without a password. */
  getWebauthnCreation: { readonly passwordless: boolean }
  addWebauthn: Credential & { readonly name?: string }
  renameWebauthn: { readonly id: number; readonly name: string }
  removeWebauthn: { readonly authenticators: readonly number[] }
  addEmail: Email
  sendEmailVerification: Email
  makeEmailPrimary: Email & { readonly primary: true }
  removeEmail: Email
  /** In the form of E.164. */
  changePhone: { readonly phone: string }
  /** `current_password` unless the account has none yet. */
  changePassword: { readonly current_password?: string; readonly new_password: string }
  disconnectProvider: { readonly provider: string; readonly account: string }
  endSessions: { readonly sessions: readonly number[] }
  loginByProviderToken: {
    readonly provider: string
    readonly process: 'login' | 'connect'
    readonly token: { readonly client_id?: string; readonly id_token?: string; readonly access_token?: string }
  }
  signupByProvider: Signup
  refreshTokens: { readonly refresh_token: string }
}
