import type { MailContext } from '../account/adapter.ts'
import type { FormValues } from '../kernel/forms/form.ts'
import type { Visit } from '../kernel/visit.ts'
import type { NewUser, User } from '../kernel/users/user.ts'
import type { Provider } from './provider.ts'
import type { SocialAccount, SocialLogin, SocialState } from './social-login.ts'
import type { SocialApp } from './apps/social-apps.ts'

/** An error of a social login, as passed to the error page and the hook. */
export interface SocialAuthError {
  readonly provider: Provider | null
  readonly providerId: string
  /** `cancelled`, `denied`, `unknown`, `permission_denied`, `signup_closed` … */
  readonly code: string
  readonly exception: unknown
  readonly state: SocialState | null
}

/** Behavior of social login that a host can override: section 6.2.2 of the reference, in camelCase. */
export interface SocialAdapter {
  /** Called when the identity is known, before anything is stored. Can throw `ImmediateResponse` or link the login. */
  preSocialLogin(request: Visit, sociallogin: SocialLogin): void | Promise<void>
  onAuthenticationError(request: Visit, error: SocialAuthError): void | Promise<void>
  newUser(request: Visit, sociallogin: SocialLogin): NewUser
  /**
   * Stores the user, link, token, and addresses in the current transaction.
   * @param values Values of the sign-up form; `null` without a form.
   */
  saveUser(request: Visit, sociallogin: SocialLogin, values: FormValues | null): Promise<User>
  /** @param data Profile data from the provider: `username`, `email`, `first_name`, `last_name`, `name`, `phone` */
  populateUser(
    request: Visit,
    sociallogin: SocialLogin,
    data: Readonly<Record<string, string>>,
  ): NewUser | Promise<NewUser>
  getConnectRedirectUrl(request: Visit, account: SocialAccount): string
  /** @throws {InvalidInput} `no_password`, `no_verified_email`, `disconnect_last` */
  validateDisconnect(request: Visit, account: SocialAccount, accounts: readonly SocialAccount[]): Promise<void>
  isAutoSignupAllowed(request: Visit, sociallogin: SocialLogin): Promise<boolean>
  isOpenForSignup(request: Visit, sociallogin: SocialLogin): boolean | Promise<boolean>
  getSignupFormInitialData(sociallogin: SocialLogin): Readonly<Record<string, string>>
  /** Returns the JSON that the session keeps of a login with a pending sign-up. */
  serializeInstance(sociallogin: SocialLogin): unknown
  /** Returns `null` if it can't be read any more. */
  deserializeInstance(request: Visit, serialized: unknown): Promise<SocialLogin | null>
  /** Returns the providers that have an app. Leaves out hidden apps. */
  listProviders(request: Visit): Promise<readonly Provider[]>
  /** Returns a provider by ID or sub-provider ID. @throws {AuthError} `not_found` */
  getProvider(request: Visit, provider: string, clientId?: string): Promise<Provider>
  listApps(request: Visit, provider?: string, clientId?: string): Promise<readonly SocialApp[]>
  /** Returns the only visible app. @throws {AuthError} `not_found`; `settings_invalid` if there are several */
  getApp(request: Visit, provider: string, clientId?: string): Promise<SocialApp>
  sendNotificationMail(
    request: Visit,
    templatePrefix: string,
    user: User,
    options?: { context?: MailContext; email?: string },
  ): Promise<void>
  /** Returns the function that sends requests to providers. Default: `fetch`. */
  getRequestsSession(): (request: Request) => Promise<Response>
  /** Returns whether a provider's address counts as verified even if it doesn't report that (`VERIFIED_EMAIL`). */
  isEmailVerified(provider: Provider, email: string): boolean
  /** Returns whether a verified address may sign in the local user who has it (`EMAIL_AUTHENTICATION`). */
  canAuthenticateByEmail(sociallogin: SocialLogin, email: string): boolean
  generateStateParam(state: SocialState): string
}

/** The hooks that a host overrides. `authenticationError` is the legacy form of `onAuthenticationError`. */
export type SocialAdapterOverrides = Partial<SocialAdapter> & {
  authenticationError?(request: Visit, providerId: string, error: SocialAuthError): void | Promise<void>
}

/** The host's hooks, or a function that returns them and can call the defaults it gets. Class instances work too. */
export type SocialAdapterInput = SocialAdapterOverrides | ((defaults: SocialAdapter) => SocialAdapterOverrides)
