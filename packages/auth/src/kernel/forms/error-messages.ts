import { PASSWORD_MESSAGES } from '../passwords/rules.ts'

/** English messages of validation errors by code, in ICU MessageFormat. The table in `docs/` is generated from it. */
export const ERROR_MESSAGES = {
  account_inactive: 'This account has been disabled.',
  cannot_remove_primary_email: "You can't remove your primary email address.",
  duplicate_email: 'This email address is already on your account.',
  email_password_mismatch: 'Incorrect email address or password.',
  username_password_mismatch: 'Incorrect username or password.',
  phone_password_mismatch: 'Incorrect phone number or password.',
  email_taken: 'An account with this email address already exists.',
  enter_current_password: 'Your current password is incorrect.',
  incorrect_code: 'Incorrect code.',
  incorrect_password: 'Incorrect password.',
  invalid_or_expired_key: 'This link is invalid or has expired.',
  invalid_login: 'Enter only one of these: username, email address, or phone number.',
  invalid_password_reset: 'This password reset link is invalid or has expired.',
  max_email_addresses:
    '{max, plural, one {You can have only one email address.} other {You can have up to # email addresses.}}',
  phone_taken: 'An account with this phone number already exists.',
  too_many_login_attempts: 'Too many attempts. Try again later.',
  unknown_email: 'No account found with this email address.',
  unknown_phone: 'No account found with this phone number.',
  unverified_primary_email: 'Your primary email address must be verified.',
  username_blacklisted: "This username isn't allowed. Choose another one.",
  username_taken: 'This username is already taken. Choose another one.',
  select_only_one: 'Enter an email address or a phone number, not both.',
  same_as_current: "Enter a value that's different from your current one.",
  rate_limited: 'Too many requests. Try again later.',
  required: 'This field is required.',
  invalid: 'Enter a valid value.',
  invalid_phone: 'Enter the phone number with a plus sign and the country code, for example +49 30 901820.',
  max_length: 'Use no more than {max, plural, one {# character} other {# characters}}.',
  min_length: 'Use at least {min, plural, one {# character} other {# characters}}.',
  null_characters_not_allowed: "This contains a character that isn't allowed.",
  invalid_choice: 'Select one of the available options.',
  invalid_list: 'Enter a list of values.',
  invalid_pk_value: 'Enter a valid ID.',
  password_too_similar: 'This password is too similar to your personal information.',
  add_email_blocked: "You can't add an email address while two-factor authentication is enabled.",
  cannot_delete_authenticator: "This sign-in method can't be removed.",
  cannot_generate_recovery_codes: 'Before you can generate recovery codes, set up another second step.',
  unverified_email: 'Verify all your email addresses before you set up two-factor authentication.',
  account_not_found: "This account isn't connected to yours.",
  social_email_taken:
    'An account with this email address already exists. Sign in to it first, then connect your {provider} account.',
  invalid_token: 'This token is invalid.',
  client_id_mismatch: "This value isn't valid.",
  client_id_required: 'The client ID is missing.',
  token_required: 'The token is missing.',
  token_authentication_not_supported: "This provider doesn't support tokens.",
  unknown_provider: 'Unknown provider.',
  no_password: "Set a password first. Otherwise, you won't be able to sign in.",
  no_verified_email: "Verify an email address first. Otherwise, you won't be able to sign in.",
  disconnect_last: "You can't disconnect the only account you sign in with.",
  connected_other: 'This account is already connected to another user.',
  ...PASSWORD_MESSAGES,
} as const satisfies Readonly<Record<string, string>>
/** The code of a validation error. Hooks of the host may throw others. */
export type InputErrorCode = keyof typeof ERROR_MESSAGES

/** Codes of the rules for new passwords. */
export const PASSWORD_ERRORS: readonly PasswordErrorCode[] = [
  'password_too_similar',
  ...(Object.keys(PASSWORD_MESSAGES) as (keyof typeof PASSWORD_MESSAGES)[]), // its own keys
]
type PasswordErrorCode = 'password_too_similar' | keyof typeof PASSWORD_MESSAGES
