import type { AuthSignals, SignalName, SignalSender } from '@gatepost/auth'

interface Described<N extends SignalName> {
  readonly sender: SignalSender
  /** What it carries besides the request: exactly the members of its type. */
  readonly carries: { readonly [A in Exclude<keyof AuthSignals[N], 'request'>]-?: true }
  readonly when: string
}

/** Every signal, in the words of the manual. The type makes sure that none is missing, and no member of one. */
export const SIGNALS: { readonly [N in SignalName]: Described<N> } = {
  user_signed_up: {
    sender: 'User',
    carries: { user: true, sociallogin: true },
    when: 'the account is stored, before verification and login',
  },
  user_logged_in: {
    sender: 'User',
    carries: { user: true, response: true, sociallogin: true },
    when: 'every stage is passed; `response.redirectTo` is where the visitor goes',
  },
  user_logged_out: { sender: 'User', carries: { user: true }, when: 'somebody has signed out' },
  authentication_step_completed: {
    sender: 'User',
    carries: { user: true, method: true },
    when: 'a proof was given, also in the middle of a login and at re-authentication; with the members of its record',
  },
  password_set: { sender: 'User', carries: { user: true }, when: 'a first password' },
  password_changed: { sender: 'User', carries: { user: true }, when: 'changed by somebody who is signed in' },
  password_reset: { sender: 'User', carries: { user: true }, when: 'reset by link or code' },
  email_confirmed: {
    sender: 'EmailAddress',
    carries: { email_address: true, user: true },
    when: 'an address has become verified',
  },
  email_confirmation_sent: {
    sender: 'EmailConfirmation',
    carries: { confirmation: true, signup: true },
    when: 'a mail that verifies an address is certain to leave; with codes the sender is `CodeProcess` and the key `null`',
  },
  email_changed: {
    sender: 'EmailAddress',
    carries: { user: true, from_email_address: true, to_email_address: true },
    when: 'another address is the primary one; before the first one `from_email_address` is `null`',
  },
  email_added: {
    sender: 'EmailAddress',
    carries: { user: true, email_address: true },
    when: 'the user has added an address (not at sign-up)',
  },
  email_removed: {
    sender: 'EmailAddress',
    carries: { user: true, email_address: true },
    when: 'the user has removed an address',
  },
  login_code_rejected: {
    sender: 'CodeProcess',
    carries: { user: true, last_attempt: true },
    when: 'a wrong login code, for a user that exists',
  },
  password_reset_code_rejected: {
    sender: 'CodeProcess',
    carries: { user: true, last_attempt: true },
    when: 'a wrong code of a reset, for a user that exists',
  },
  email_verification_code_rejected: {
    sender: 'CodeProcess',
    carries: { user: true, last_attempt: true },
    when: 'a wrong code of a verification, for a user that exists',
  },
  _add_email: {
    sender: 'User',
    carries: { user: true, email: true },
    when: 'before an address is added: throw `InvalidInput` to refuse it',
  },
  authenticator_added: {
    sender: 'Authenticator',
    carries: { user: true, authenticator: true },
    when: 'an authenticator is stored, also recovery codes that come with the first one',
  },
  authenticator_created: {
    sender: 'User',
    carries: { user: true, authenticator: true },
    when: 'the same as `authenticator_added`',
  },
  authenticator_removed: {
    sender: 'Authenticator',
    carries: { user: true, authenticator: true },
    when: 'an authenticator is removed, also recovery codes that nothing else is left with',
  },
  authenticator_reset: {
    sender: 'Authenticator',
    carries: { user: true, authenticator: true },
    when: 'there is a new set of recovery codes in the place of the old one',
  },
  authenticator_used: {
    sender: 'Authenticator',
    carries: { user: true, authenticator: true, reauthenticated: true, passwordless: true },
    when: 'a code or key was right',
  },
  authentication_failed: {
    sender: 'Authenticator',
    carries: { user: true, authenticator: true, reauthentication: true },
    when: 'a code or key was wrong; `authenticator` is the main one of the user, an app before a key',
  },
  mfa_enabled: {
    sender: 'User',
    carries: { user: true, authenticator: true },
    when: 'the first authenticator besides recovery codes is stored',
  },
  mfa_disabled: {
    sender: 'User',
    carries: { user: true, authenticator: true },
    when: 'the last one is removed',
  },
  pre_social_login: {
    sender: 'SocialLogin',
    carries: { sociallogin: true },
    when: 'a provider has told who somebody is, and nothing is stored yet; throw `ImmediateResponse` to answer otherwise',
  },
  social_login: {
    sender: 'SocialLogin',
    carries: { sociallogin: true },
    when: 'the same as `pre_social_login`',
  },
  social_account_added: {
    sender: 'SocialLogin',
    carries: { sociallogin: true },
    when: 'an account at a provider was connected; not at a sign-up',
  },
  social_account_updated: {
    sender: 'SocialLogin',
    carries: { sociallogin: true },
    when: 'somebody came back with an account that is connected',
  },
  pre_update: {
    sender: 'SocialAccount',
    carries: { sociallogin: true },
    when: 'the same as `social_account_updated`, and like it after the update',
  },
  social_account_removed: {
    sender: 'SocialAccount',
    carries: { user: true, socialaccount: true },
    when: 'an account at a provider was disconnected',
  },
  client_allowed: {
    sender: 'OidcClient',
    carries: { user: true, client: true, scopes: true },
    when: 'somebody let a client of our OpenID Connect provider act for them: by consent, or by the code of a device',
  },
  client_revoked: {
    sender: 'OidcClient',
    carries: { user: true, client: true },
    when: 'they have ended it on the page of applications',
  },
  session_client_changed: {
    sender: 'UserSession',
    carries: { from_session: true, to_session: true },
    when: 'address or browser of a session have changed, with `USERSESSIONS_TRACK_ACTIVITY`',
  },
}
