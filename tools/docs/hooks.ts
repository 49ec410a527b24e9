import type { AccountAdapter } from '@gatepost/auth'

/** A hook as the manual describes it. */
export type HookRow = readonly [group: string, takes: string, returns: string, byDefault: string]

const ADDRESSES = 'Email addresses'
const MAIL = 'Email'
const NAVIGATION = 'Redirects and responses'
const SIGN_UP = 'Sign-up'
const LOGIN = 'Sign-in'
const CODES = 'Codes'
const PHONES = 'Phone numbers'
const TEXTS = 'Texts'

/** Every hook of accounts, as its type requires. `errorMessages` is the only one that isn't a function. */
export const HOOKS: Readonly<Record<keyof AccountAdapter, HookRow>> = {
  stashVerifiedEmail: [ADDRESSES, 'request, email', '', 'Keeps a verified address in the session for a sign-up'],
  unstashVerifiedEmail: [ADDRESSES, 'request', 'address or `null`', 'Removes it from the session and returns it'],
  isEmailVerified: [ADDRESSES, 'request, email', 'boolean', "Whether it's the address kept in the session"],
  canDeleteEmail: [
    ADDRESSES,
    'request, address',
    'boolean',
    'Not the primary address while there are others, and not the last one if people can sign in only by address',
  ],
  cleanEmail: [ADDRESSES, 'request, email', 'address', 'Unchanged. Throw `InvalidInput` to reject it'],
  validateUniqueEmail: [ADDRESSES, 'request, email', 'address', 'Unchanged. Called where an address must be unique'],
  confirmEmail: [
    ADDRESSES,
    'request, address',
    'boolean',
    'Marks it as verified; `false` if another account has verified it',
  ],
  getEmailConfirmationUrl: [ADDRESSES, 'request, confirmation', 'absolute URL', 'The page `account_confirm_email`'],
  getEmailVerificationRedirectUrl: [
    ADDRESSES,
    'request, address',
    'path or URL',
    'The two settings `EMAIL_CONFIRMATION_…_REDIRECT_URL`',
  ],
  shouldSendConfirmationMail: [ADDRESSES, 'request, address, signup', 'boolean', 'Yes. Called for links, not codes'],
  generateEmailConfirmationKey: [ADDRESSES, 'email', 'key', '64 random characters, for keys stored in a row'],

  formatEmailSubject: [MAIL, 'request, subject', 'subject', 'Adds the prefix'],
  getFromEmail: [MAIL, 'request', 'sender', '`DEFAULT_FROM_EMAIL`'],
  renderMail: [MAIL, 'request, templatePrefix, email, context', 'message', 'Renders the templates'],
  sendMail: [MAIL, 'request, templatePrefix, email, context', '', 'Renders the email and queues it in the transaction'],
  sendConfirmationMail: [MAIL, 'request, confirmation, signup', '', 'Sends the email with the link or code'],
  sendAccountAlreadyExistsMail: [
    MAIL,
    'request, email',
    '',
    'Tells the owner of an address that someone tried to sign up with it',
  ],
  sendPasswordResetMail: [MAIL, 'request, user, email, context', '', 'Sends the email with the link'],
  sendNotificationMail: [
    MAIL,
    'request, templatePrefix, user, options',
    '',
    'With `ACCOUNT_EMAIL_NOTIFICATIONS`, sends to `options.email` or the primary address',
  ],

  getSignupRedirectUrl: [NAVIGATION, 'request', 'path or URL', '`ACCOUNT_SIGNUP_REDIRECT_URL`'],
  getLoginRedirectUrl: [NAVIGATION, 'request', 'path or URL', '`LOGIN_REDIRECT_URL`'],
  getLogoutRedirectUrl: [NAVIGATION, 'request', 'path or URL', '`ACCOUNT_LOGOUT_REDIRECT_URL`'],
  getPasswordChangeRedirectUrl: [NAVIGATION, 'request', 'path or URL', 'The same page'],
  getResetPasswordFromKeyUrl: [
    NAVIGATION,
    'request, key',
    'absolute URL',
    'The page `account_reset_password_from_key`',
  ],
  isSafeUrl: [
    NAVIGATION,
    'request, url',
    'boolean',
    "Whether it's a safe redirect target: see [Redirects](security.md#redirects)",
  ],
  respondUserInactive: [NAVIGATION, 'request, user', 'path or `Response`', 'The page `account_inactive`'],
  respondEmailVerificationSent: [NAVIGATION, 'request, user', 'path', 'The page `account_email_verification_sent`'],
  addMessage: [
    NAVIGATION,
    'request, level, template, context',
    '',
    'Renders `<template>.txt` for the next page; a blank one shows nothing',
  ],
  isAjax: [NAVIGATION, 'request', 'boolean', 'Whether to respond with JSON instead of a page'],
  ajaxResponse: [NAVIGATION, 'request, answer', '`Response`', 'That JSON: the redirect target, the form, its markup'],
  ajaxResponseForm: [NAVIGATION, 'request, form', 'JSON', 'The form in it: labels, values, errors'],

  isOpenForSignup: [SIGN_UP, 'request', 'boolean', 'Yes'],
  newUser: [SIGN_UP, 'request', 'new user', 'An empty one'],
  saveUser: [
    SIGN_UP,
    'request, user, values',
    'user',
    'Stores the user with password and phone number, in the sign-up transaction',
  ],
  populateUsername: [SIGN_UP, 'request, user', 'new user', 'Generates a username if the user has none'],
  generateUniqueUsername: [SIGN_UP, 'request, texts', 'username', 'An unused one, based on the first suitable text'],
  cleanUsername: [
    SIGN_UP,
    'request, username, shallow',
    'username',
    "Applies the rules; with `shallow`, doesn't check whether it's taken",
  ],
  cleanPassword: [SIGN_UP, 'request, password, user', 'password', 'Applies the password rules'],
  setPassword: [SIGN_UP, 'request, user, password', 'user', 'Hashes and stores it'],
  getUserSearchFields: [SIGN_UP, '', 'columns', 'Username, first and last name, email address'],
  userDisplay: [SIGN_UP, 'user', 'text', 'Username, else email address, else key'],

  preLogin: [LOGIN, 'request, login', 'path, `Response`, or `null`', '`null` to continue; stops inactive users'],
  postLogin: [
    LOGIN,
    'request, login',
    'path or URL',
    'The redirect the login started with, then `next`, then the settings',
  ],
  login: [LOGIN, 'request, user', '', 'Signs the user in with a new session token and CSRF secret'],
  logout: [LOGIN, 'request', '', 'Clears the session'],
  preAuthenticate: [LOGIN, 'request, credentials', '`{ giveBack }`', 'Counts against the limit `login_failed`'],
  authenticate: [LOGIN, 'request, credentials', 'user or `null`', 'The user with this password, even if inactive'],
  authenticationFailed: [LOGIN, 'request, credentials', '', "Nothing. The credentials don't include the password"],
  reauthenticate: [LOGIN, 'request, user, password', 'boolean', "Whether it's this user's password"],
  getLoginStages: [
    LOGIN,
    '',
    'stages',
    '`login_by_code`, `verify_phone`, `verify_email`, `mfa_authenticate`, `mfa_trust`, `mfa_signup_webauthn`',
  ],
  getReauthenticationMethods: [
    LOGIN,
    'request, user',
    'methods',
    'Password, two-factor code, and security key, as far as the user has them',
  ],
  isLoginByCodeRequired: [
    LOGIN,
    'request, login',
    'boolean',
    'Compares `ACCOUNT_LOGIN_BY_CODE_REQUIRED` with the latest authentication method',
  ],
  revokeAccess: [
    LOGIN,
    'db, userId',
    '',
    "Nothing. Revoke your own API tokens of the user here, in the same transaction. Called on a password reset, on an account's first proof of ownership, and by `auth.accounts.setPassword` and `setActive`",
  ],
  mayAdminister: [LOGIN, 'request, user', 'boolean', 'Whether the user is staff; called by every staff page'],
  getClientIp: [
    LOGIN,
    'request, remoteAddress',
    'IP address or `null`',
    'Based on the [proxy settings](security.md#proxies)',
  ],
  getHttpUserAgent: [LOGIN, 'request', 'text', 'The header, up to 200 characters'],

  generateLoginCode: [CODES, '', 'code', 'In the format of its setting'],
  generatePasswordResetCode: [CODES, '', 'code', 'In the format of its setting'],
  generateEmailVerificationCode: [CODES, '', 'code', 'In the format of its setting'],
  generatePhoneVerificationCode: [
    CODES,
    '',
    'code',
    'In the format of its setting; also for sign-in codes by text message',
  ],

  phoneFormField: [PHONES, 'options', 'field', 'The phone number field of every form that has one'],
  cleanPhone: [PHONES, 'request, phone', 'phone', 'Unchanged'],
  sendVerificationCodeSms: [
    PHONES,
    'request, user, phone, code',
    '',
    'None. Required if you use phone numbers; without it, `createAuth` fails',
  ],
  sendUnknownAccountSms: [PHONES, 'request, phone', '', 'Nothing'],
  sendAccountAlreadyExistsSms: [PHONES, 'request, phone', '', 'Nothing'],
  getPhone: [PHONES, 'request, user', '`{ phone, verified }` or `null`', 'Reads the table `gatepost_phone`'],
  setPhone: [PHONES, 'request, user, phone, verified', 'boolean', 'Stores it; `false` if another account has it'],
  setPhoneVerified: [PHONES, 'request, user, phone', 'boolean', "Marks it as verified if it's still the user's"],
  getUserByPhone: [PHONES, 'request, phone', 'user or `null`', 'Reads the table `gatepost_phone`'],

  errorMessages: [
    TEXTS,
    '',
    '',
    'English text, or a function that chooses one, by [error code](errors.md#fields). Yours override the defaults',
  ],
  validationError: [TEXTS, 'code, options', 'error', 'The error for a code with its text, to throw in `InvalidInput`'],
}
