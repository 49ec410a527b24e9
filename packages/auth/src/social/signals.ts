import type { User } from '../kernel/users/user.ts'
import type { Visit } from '../kernel/visit.ts'
import type { SocialAccount, SocialLogin } from './social-login.ts'

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
