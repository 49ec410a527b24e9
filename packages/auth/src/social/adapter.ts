import type { MailContext } from '../account/adapter.ts'
import type { FormValues } from '../kernel/forms/form.ts'
import type { Visit } from '../kernel/visit.ts'
import type { NewUser, User } from '../kernel/users/user.ts'
import type { Provider } from './provider.ts'
import type { SocialAccount, SocialLogin, SocialState } from './social-login.ts'
import type { SocialApp } from './apps/social-apps.ts'

/** What went wrong at a provider, as the error page and the hook see it. */
export interface SocialAuthError {
  readonly provider: Provider | null
  readonly providerId: string
  /** `cancelled`, `denied`, `unknown`, `permission_denied`, `signup_closed` … */
  readonly code: string
  readonly exception: unknown
  readonly state: SocialState | null
}

/** Everything about logins at providers that a host may decide otherwise: section 6.2.2 of the reference, in camelCase. */
export interface SocialAdapter {
  /** The identity is known, nothing is stored. May throw `ImmediateResponse`, or link the login to a user. */
  preSocialLogin(request: Visit, sociallogin: SocialLogin): void | Promise<void>
  onAuthenticationError(request: Visit, error: SocialAuthError): void | Promise<void>
  newUser(request: Visit, sociallogin: SocialLogin): NewUser
  /** Stores user, link, token and addresses, in the transaction under way. @param values Of the sign-up form; `null`: without one. */
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
  /** The session form of a login whose sign-up waits: JSON. */
  serializeInstance(sociallogin: SocialLogin): unknown
  /** `null`: it cannot be read any more. */
  deserializeInstance(request: Visit, serialized: unknown): Promise<SocialLogin | null>
  /** Those with an app, hidden apps left out. */
  listProviders(request: Visit): Promise<readonly Provider[]>
  /** By id or sub-provider id. @throws {AuthError} `not_found` */
  getProvider(request: Visit, provider: string, clientId?: string): Promise<Provider>
  listApps(request: Visit, provider?: string, clientId?: string): Promise<readonly SocialApp[]>
  /** Exactly one visible app. @throws {AuthError} `not_found`, `settings_invalid` when there are several */
  getApp(request: Visit, provider: string, clientId?: string): Promise<SocialApp>
  sendNotificationMail(
    request: Visit,
    templatePrefix: string,
    user: User,
    options?: { context?: MailContext; email?: string },
  ): Promise<void>
  /** What talks to providers. Default: `fetch`. */
  getRequestsSession(): (request: Request) => Promise<Response>
  /** Whether an address of this provider counts as verified although it does not say so (`VERIFIED_EMAIL`). */
  isEmailVerified(provider: Provider, email: string): boolean
  /** Whether such an address may sign in its local owner (`EMAIL_AUTHENTICATION`). */
  canAuthenticateByEmail(sociallogin: SocialLogin, email: string): boolean
  generateStateParam(state: SocialState): string
}

/** What a host changes. The old name of `onAuthenticationError` is taken too, with the id of the provider before the error. */
export type SocialAdapterOverrides = Partial<SocialAdapter> & {
  authenticationError?(request: Visit, providerId: string, error: SocialAuthError): void | Promise<void>
}

/** A host's changes, or a function that makes them from the defaults. Instances of classes do too. */
export type SocialAdapterInput = SocialAdapterOverrides | ((defaults: SocialAdapter) => SocialAdapterOverrides)
