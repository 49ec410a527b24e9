import type { AuthSignals, SignalName, SignalSender } from '@gatepost/auth'

interface Described<N extends SignalName> {
  readonly sender: SignalSender
  /** The payload besides the request: exactly the members of its type. */
  readonly carries: { readonly [A in Exclude<keyof AuthSignals[N], 'request'>]-?: true }
  readonly when: string
}

/** Every signal as the manual describes it. The type requires every signal and every member of its payload. */
export const SIGNALS: { readonly [N in SignalName]: Described<N> } = {
  user_signed_up: {
    sender: 'User',
    carries: { user: true, sociallogin: true },
    when: 'The account is stored, before verification and sign-in.',
  },
  user_logged_in: {
    sender: 'User',
    carries: { user: true, response: true, sociallogin: true },
    when: 'All login stages have passed. `response.redirectTo` is where the user goes next.',
  },
  user_logged_out: { sender: 'User', carries: { user: true }, when: 'The user signed out.' },
  authentication_step_completed: {
    sender: 'User',
    carries: { user: true, method: true },
    when: "The user completed an authentication method, including in the middle of a login and during reauthentication. The payload also has the members of the method's record.",
  },
  password_set: { sender: 'User', carries: { user: true }, when: 'The user set a first password.' },
  password_changed: { sender: 'User', carries: { user: true }, when: 'A signed-in user changed their password.' },
  password_reset: { sender: 'User', carries: { user: true }, when: 'The password was reset by link or code.' },
  email_confirmed: {
    sender: 'User',
    carries: { email_address: true, user: true },
    when: 'An email address was verified.',
  },
  email_confirmation_sent: {
    sender: 'EmailConfirmation',
    carries: { confirmation: true, signup: true },
    when: 'A verification email is guaranteed to be sent. With codes, the sender is `CodeProcess` and the key is `null`.',
  },
  email_changed: {
    sender: 'EmailAddress',
    carries: { user: true, from_email_address: true, to_email_address: true },
    when: 'The primary address changed. For the first one, `from_email_address` is `null`.',
  },
  email_added: {
    sender: 'User',
    carries: { user: true, email_address: true },
    when: 'The user added an address (not at sign-up).',
  },
  email_removed: {
    sender: 'EmailAddress',
    carries: { user: true, email_address: true },
    when: 'The user removed an address.',
  },
  login_code_rejected: {
    sender: 'CodeProcess',
    carries: { user: true, last_attempt: true },
    when: 'Wrong sign-in code for an existing user.',
  },
  password_reset_code_rejected: {
    sender: 'CodeProcess',
    carries: { user: true, last_attempt: true },
    when: 'Wrong password reset code for an existing user.',
  },
  email_verification_code_rejected: {
    sender: 'CodeProcess',
    carries: { user: true, last_attempt: true },
    when: 'Wrong email verification code for an existing user.',
  },
  _add_email: {
    sender: 'User',
    carries: { user: true, email: true },
    when: 'Before an address is added. Throw `InvalidInput` to refuse it.',
  },
  authenticator_added: {
    sender: 'Authenticator',
    carries: { user: true, authenticator: true },
    when: 'An authenticator is stored, including recovery codes created along with the first one.',
  },
  authenticator_created: {
    sender: 'User',
    carries: { user: true, authenticator: true },
    when: 'Same as `authenticator_added`.',
  },
  authenticator_removed: {
    sender: 'Authenticator',
    carries: { user: true, authenticator: true },
    when: 'An authenticator is removed, including recovery codes left without any other factor.',
  },
  authenticator_reset: {
    sender: 'Authenticator',
    carries: { user: true, authenticator: true },
    when: 'A new set of recovery codes replaced the old one.',
  },
  authenticator_used: {
    sender: 'Authenticator',
    carries: { user: true, authenticator: true, reauthenticated: true, passwordless: true },
    when: 'A code or key was accepted.',
  },
  authentication_failed: {
    sender: 'Authenticator',
    carries: { user: true, authenticator: true, reauthentication: true },
    when: "A code or key was rejected. `authenticator` is the user's main one, an app before a key.",
  },
  mfa_enabled: {
    sender: 'User',
    carries: { user: true, authenticator: true },
    when: 'The first authenticator other than recovery codes is stored.',
  },
  mfa_disabled: {
    sender: 'User',
    carries: { user: true, authenticator: true },
    when: 'The last authenticator is removed.',
  },
  pre_social_login: {
    sender: 'SocialLogin',
    carries: { sociallogin: true },
    when: 'A provider has identified the user and nothing is stored yet. Throw `ImmediateResponse` to respond differently.',
  },
  social_login: {
    sender: 'SocialLogin',
    carries: { sociallogin: true },
    when: 'Same as `pre_social_login`.',
  },
  social_account_added: {
    sender: 'SocialAccount',
    carries: { sociallogin: true },
    when: 'A social account was connected (not at sign-up).',
  },
  social_account_updated: {
    sender: 'SocialLogin',
    carries: { sociallogin: true },
    when: 'A user signed in again with a connected account.',
  },
  pre_update: {
    sender: 'SocialAccount',
    carries: { sociallogin: true },
    when: "Same as `social_account_updated`. Despite its name, it's sent after the update.",
  },
  social_account_removed: {
    sender: 'SocialAccount',
    carries: { user: true, socialaccount: true },
    when: 'A social account was disconnected.',
  },
  client_allowed: {
    sender: 'OidcClient',
    carries: { user: true, client: true, scopes: true },
    when: 'A user authorized a client of your OpenID Connect provider, by consent or by a device code.',
  },
  client_revoked: {
    sender: 'OidcClient',
    carries: { user: true, client: true },
    when: 'A user revoked that access on the applications page.',
  },
  session_client_changed: {
    sender: 'UserSession',
    carries: { from_session: true, to_session: true },
    when: 'The IP address or browser of a session changed, with `USERSESSIONS_TRACK_ACTIVITY`.',
  },
}
