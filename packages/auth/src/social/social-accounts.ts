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

/** Rows of `socialaccount_socialaccount`. */
export interface SocialAccountStore {
  ofUser(db: AuthDb, userId: UserId): Promise<readonly SocialAccount[]>
  find(db: AuthDb, provider: string, uid: string): Promise<SocialAccount | null>
  byId(db: AuthDb, id: number): Promise<SocialAccount | null>
  /** `null`: somebody else's by now, by the unique constraint. */
  insert(
    db: AuthDb,
    account: Omit<SocialAccount, 'id' | 'userId'> & { readonly userId: UserId },
  ): Promise<SocialAccount | null>
  /** Writes profile and `last_login`. */
  update(db: AuthDb, id: number, changes: Pick<SocialAccount, 'extraData' | 'lastLoginMs'>): Promise<void>
  /** With its tokens. `false`: it was gone. */
  remove(db: AuthDb, id: number): Promise<boolean>
}

/** Rows of `socialaccount_socialtoken`, sealed; clear ones of an old site are read. */
export interface SocialTokenStore {
  ofAccount(db: AuthDb, accountId: number): Promise<readonly (ProviderTokens & { readonly appId: number | null })[]>
  /** Replaces that of the app; an empty secret keeps the stored one. */
  save(db: AuthDb, accountId: number, appId: number | null, tokens: ProviderTokens): Promise<void>
}

/** What became of a handshake or a token. */
export type SocialOutcome =
  | { readonly kind: 'login'; readonly outcome: LoginOutcome }
  /** The visitor must complete a form: `pendingSignup`. */
  | { readonly kind: 'signup' }
  /** `other`: it belongs to another user, and nothing was done. */
  | {
      readonly kind: 'connected'
      readonly action: 'added' | 'updated' | 'other'
      readonly sociallogin: SocialLogin
      readonly redirectTo: string
    }
  | { readonly kind: 'redirect'; readonly redirectTo: string }
  | { readonly kind: 'signup_closed' }
  /** Nothing was stored. The hook has been told. */
  | { readonly kind: 'failed'; readonly error: SocialAuthError }

/** How a handshake begins. */
export interface SocialStart {
  readonly process: SocialProcess
  /** Checked by the caller: a safe target. */
  readonly next: string | null
  readonly action: ExchangeAction
  readonly scope: readonly string[]
  readonly authParams: Readonly<Record<string, string>>
  /** The JSON API began it. */
  readonly headless?: { readonly callbackUrl: string }
  /** Query of the request, for what single providers read of it. */
  readonly query: URLSearchParams
}

/** Logins at providers: what pages and the JSON API do with them (3.11 of the reference). */
export interface Social {
  readonly kernel: ConnectedKernel
  readonly signals: Signals<SocialSignals>
  readonly account: Account
  readonly adapter: SocialAdapter
  readonly apps: SocialApps
  readonly accounts: SocialAccountStore
  readonly tokens: SocialTokenStore
  /** Every provider of the registry, by name. */
  readonly entries: () => Promise<readonly ProviderEntry[]>
  /** A provider through an app. @throws {AuthError} `not_found` for an id that the registry does not have */
  provider(app: SocialApp): Promise<Provider>
  /**
   * Keeps the state in the session and answers where the visitor goes. Connecting needs somebody who is signed in.
   * @throws {AuthError} `login_required`, `reauthentication_required`; {ProviderError}
   */
  begin(request: Visit, provider: Provider, start: SocialStart): Promise<string>
  /** The visitor is back. Uses the state up first; never throws for what a provider or a visitor sends. */
  finish(
    request: Visit,
    provider: Provider,
    params: URLSearchParams,
  ): Promise<
    SocialOutcome & { readonly headless: { readonly callbackUrl: string; readonly process: SocialProcess } | null }
  >
  /** @throws {InvalidInput} `invalid_token`, `client_id_required`, `token_required`, `token_authentication_not_supported`; {AuthError} `login_required` */
  byToken(request: Visit, provider: Provider, token: GivenToken, process: 'login' | 'connect'): Promise<SocialOutcome>
  /** The login whose sign-up waits in this session. */
  pendingSignup(request: Visit): Promise<SocialLogin | null>
  dropPendingSignup(request: Visit): void
  /** Fields are checked like those of a sign-up. @throws {InvalidInput} `email_taken`, `username_taken` …; {AuthError} `flow_wrong_stage`, `permission_denied` */
  completeSignup(request: Visit, sociallogin: SocialLogin, values: FormValues): Promise<LoginOutcome>
  /** Arguments of a login's signals as receivers see them: a provider's login that waited in a session is read again. */
  signalArguments(request: Visit, given: Readonly<Record<string, unknown>>): Promise<Readonly<Record<string, unknown>>>
  /**
   * Links a login to a user, for a hook or a receiver that knows whose it is: it signs them in then.
   * @returns `false`: it is linked already, and nothing was done
   */
  link(request: Visit, sociallogin: SocialLogin, user: User): Promise<boolean>
  connections(request: Visit, user: User): Promise<readonly SocialAccount[]>
  /** @throws {InvalidInput} `account_not_found`, `no_password`, `no_verified_email`, `disconnect_last` */
  disconnect(request: Visit, user: User, accountId: number): Promise<void>
  /** Text of a linked account (7.7 of the reference). */
  display(account: SocialAccount): string
  /** Name of a provider or sub-provider, for people. */
  loadProviderName(db: AuthDb, id: string): Promise<string>
  /**
   * What is old or not known in `SOCIALACCOUNT_PROVIDERS`: sentences.
   * @throws {AuthError} `settings_invalid`, naming everything that is wrong in it
   */
  warnings(): readonly string[]
}

type With<T> = T & { readonly request: Visit | null }

/** The signals of social login and what each carries besides its sender (6.1 of the reference). */
export interface SocialSignals {
  /** The identity at the provider is known, nothing is stored. A receiver may throw `ImmediateResponse`. */
  pre_social_login: With<{ readonly sociallogin: SocialLogin }>
  /** The same as `pre_social_login`, in the words of the contract. */
  social_login: With<{ readonly sociallogin: SocialLogin }>
  /** A link was made by connecting, or by an address (`EMAIL_AUTHENTICATION_AUTO_CONNECT`); not at a sign-up. */
  social_account_added: With<{ readonly sociallogin: SocialLogin }>
  /** Somebody came back with an account that is linked. */
  social_account_updated: With<{ readonly sociallogin: SocialLogin }>
  /** The same as `social_account_updated`, in the words of the contract: after the update. Its sender is the account class. */
  pre_update: With<{ readonly sociallogin: SocialLogin }>
  social_account_removed: With<{ readonly user: User; readonly socialaccount: SocialAccount }>
}

/** What `save` of each form of social login returns, by form id. */
export interface SocialFormResults {
  socialaccount_signup: LoginOutcome
  disconnect: void
}
