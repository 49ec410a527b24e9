import type { Account } from '../account/account.ts'
import type { FormValues } from '../kernel/forms/form.ts'
import type { LoginOutcome } from '../kernel/login.ts'
import type { ConnectedKernel } from '../kernel/module.ts'
import type { Signals } from '../kernel/signals.ts'
import type { AuthDb, User, UserId } from '../kernel/users/user.ts'
import type { Visit } from '../kernel/visit.ts'
import type { SocialAdapter, SocialAuthError } from './adapter.ts'
import type { SocialApp, SocialApps } from './apps/social-apps.ts'
import type { ExchangeAction, GivenToken, ProviderTokens } from './exchange.ts'
import type { Provider } from './provider.ts'
import type { ProviderEntry } from './registry/provider-entry.ts'
import type { SocialAccount, SocialLogin, SocialProcess } from './social-login.ts'

/** Stores the rows of `socialaccount_socialaccount`. */
export interface SocialAccountStore {
  ofUser(db: AuthDb, userId: UserId): Promise<readonly SocialAccount[]>
  find(db: AuthDb, provider: string, uid: string): Promise<SocialAccount | null>
  byId(db: AuthDb, id: number): Promise<SocialAccount | null>
  /** Returns `null` if the account is already linked (unique constraint). */
  insert(
    db: AuthDb,
    account: Omit<SocialAccount, 'id' | 'userId'> & { readonly userId: UserId },
  ): Promise<SocialAccount | null>
  /** Updates the profile and `last_login`. */
  update(db: AuthDb, id: number, changes: Pick<SocialAccount, 'extraData' | 'lastLoginMs'>): Promise<void>
  /** Removes a row and its tokens. Returns `false` if it didn't exist. */
  remove(db: AuthDb, id: number): Promise<boolean>
}

/** Stores the rows of `socialaccount_socialtoken`, sealed. Also reads unsealed ones of migrated sites. */
export interface SocialTokenStore {
  ofAccount(db: AuthDb, accountId: number): Promise<readonly (ProviderTokens & { readonly appId: number | null })[]>
  /** Replaces the app's tokens. An empty secret keeps the stored one. */
  save(db: AuthDb, accountId: number, appId: number | null, tokens: ProviderTokens): Promise<void>
}

/** Outcome of a handshake or a token. */
export type SocialOutcome =
  | { readonly kind: 'login'; readonly outcome: LoginOutcome }
  /** The visitor must complete a form: `pendingSignup`. */
  | { readonly kind: 'signup' }
  /** `other`: the account belongs to another user, and nothing was changed. */
  | {
      readonly kind: 'connected'
      readonly action: 'added' | 'updated' | 'other'
      readonly sociallogin: SocialLogin
      readonly redirectTo: string
    }
  | { readonly kind: 'redirect'; readonly redirectTo: string }
  | { readonly kind: 'signup_closed' }
  /** The hook has been called. */
  | { readonly kind: 'failed'; readonly error: SocialAuthError }

/** Options for starting a handshake. */
export interface SocialStart {
  readonly process: SocialProcess
  /** A safe URL; checked by the caller. */
  readonly next: string | null
  readonly action: ExchangeAction
  readonly scope: readonly string[]
  readonly authParams: Readonly<Record<string, string>>
  /** Set if the JSON API started it. */
  readonly headless?: { readonly callbackUrl: string }
  /** Query of the request; some providers read more parameters from it. */
  readonly query: URLSearchParams
}

/** The services of the social login module (3.11 of the reference). */
export interface Social {
  readonly kernel: ConnectedKernel
  readonly signals: Signals<SocialSignals>
  readonly account: Account
  readonly adapter: SocialAdapter
  readonly apps: SocialApps
  readonly accounts: SocialAccountStore
  readonly tokens: SocialTokenStore
  /** Returns the registry's providers that can be used here. */
  readonly entries: () => Promise<readonly ProviderEntry[]>
  /** Returns the provider of an app. @throws {AuthError} `not_found` if it isn't in the registry */
  provider(app: SocialApp): Promise<Provider>
  /**
   * Starts a handshake: stores its state in the session and returns the URL to redirect to. Connecting requires a
   * signed-in user.
   * @throws {AuthError} `login_required`, `reauthentication_required`
   * @throws {ProviderError}
   */
  begin(request: Visit, provider: Provider, start: SocialStart): Promise<string>
  /** Finishes a handshake, and uses up its state first. Never throws because of input from the provider or visitor. */
  finish(
    request: Visit,
    provider: Provider,
    params: URLSearchParams,
  ): Promise<
    SocialOutcome & { readonly headless: { readonly callbackUrl: string; readonly process: SocialProcess } | null }
  >
  /**
   * Signs in or connects an account by a token from the provider's SDK.
   * @throws {InvalidInput} `invalid_token`, `client_id_required`, `token_required`,
   *   `token_authentication_not_supported`
   * @throws {AuthError} `login_required`, `reauthentication_required`
   */
  byToken(request: Visit, provider: Provider, token: GivenToken, process: 'login' | 'connect'): Promise<SocialOutcome>
  /** Returns this session's login with a pending sign-up, or `null`. */
  pendingSignup(request: Visit): Promise<SocialLogin | null>
  dropPendingSignup(request: Visit): void
  /**
   * Completes a pending sign-up. Checks the values like those of any sign-up.
   * @throws {InvalidInput} `email_taken`, `username_taken`, and others
   * @throws {AuthError} `flow_wrong_stage`, `permission_denied`
   */
  completeSignup(request: Visit, sociallogin: SocialLogin, values: FormValues): Promise<LoginOutcome>
  /** Returns a login's signal arguments as receivers get them: restores a social login kept in a session. */
  signalArguments(request: Visit, given: Readonly<Record<string, unknown>>): Promise<Readonly<Record<string, unknown>>>
  /**
   * Links a login to a user, for a hook or receiver that knows the user. The login then signs in that user.
   * @returns `false` if it's already linked; nothing is changed then
   */
  link(request: Visit, sociallogin: SocialLogin, user: User): Promise<boolean>
  connections(request: Visit, user: User): Promise<readonly SocialAccount[]>
  /** @throws {InvalidInput} `account_not_found`, `no_password`, `no_verified_email`, `disconnect_last` */
  disconnect(request: Visit, user: User, accountId: number): Promise<void>
  /** Returns the display text of a linked account (7.7 of the reference). */
  display(account: SocialAccount): string
  /** Returns the display name of a provider or sub-provider. */
  loadProviderName(db: AuthDb, id: string): Promise<string>
  /**
   * Returns warnings about deprecated and unknown members of `SOCIALACCOUNT_PROVIDERS`, as sentences.
   * @throws {AuthError} `settings_invalid`, naming every problem
   */
  warnings(): readonly string[]
}

type WithRequest<T> = T & { readonly request: Visit | null }

/** Social login signals and their payloads, without the sender (6.1 of the reference). */
export interface SocialSignals {
  /** The identity at the provider is known, but nothing is stored yet. A receiver can throw `ImmediateResponse`. */
  pre_social_login: WithRequest<{ readonly sociallogin: SocialLogin }>
  /** The same as `pre_social_login`, under another name. */
  social_login: WithRequest<{ readonly sociallogin: SocialLogin }>
  /** An account was connected, or linked by email address (`EMAIL_AUTHENTICATION_AUTO_CONNECT`). Not at sign-up. */
  social_account_added: WithRequest<{ readonly sociallogin: SocialLogin }>
  /** A visitor returned with an account that is already linked. */
  social_account_updated: WithRequest<{ readonly sociallogin: SocialLogin }>
  /** The same as `social_account_updated`, but its sender is the account class. Also emitted after the update. */
  pre_update: WithRequest<{ readonly sociallogin: SocialLogin }>
  social_account_removed: WithRequest<{ readonly user: User; readonly socialaccount: SocialAccount }>
}

/** What `save` of each social login form returns, by form ID. */
export interface SocialFormResults {
  socialaccount_signup: LoginOutcome
  disconnect: void
}
