import type { AccountAdapter } from '@gatepost/auth'

/** A hook in the words of the manual. */
export type HookRow = readonly [group: string, takes: string, answers: string, byDefault: string]

const ADDRESSES = 'Addresses'
const MAIL = 'Mail'
const WHERE = 'Where people go'
const SIGN_UP = 'Sign-up'
const LOGIN = 'Login'
const CODES = 'Codes'
const PHONES = 'Phones'
const TEXTS = 'Texts'

/** Every hook of accounts: the type makes sure that none is missing. `errorMessages` alone is no function. */
export const HOOKS: Readonly<Record<keyof AccountAdapter, HookRow>> = {
  stashVerifiedEmail: [ADDRESSES, 'request, email', '', 'keeps a proven address in the session, for a sign-up'],
  unstashVerifiedEmail: [ADDRESSES, 'request', 'address or `null`', 'takes it out again'],
  isEmailVerified: [ADDRESSES, 'request, email', 'boolean', 'whether it is the kept one'],
  canDeleteEmail: [
    ADDRESSES,
    'request, address',
    'boolean',
    'not the primary one while there are others; not the last one where only addresses sign in',
  ],
  cleanEmail: [ADDRESSES, 'request, email', 'address', 'as it is; throw `InvalidInput` to refuse it'],
  validateUniqueEmail: [ADDRESSES, 'request, email', 'address', 'as it is; asked where an address must be unique'],
  confirmEmail: [
    ADDRESSES,
    'request, address',
    'boolean',
    'marks it verified; `false` when somebody else has it verified',
  ],
  getEmailConfirmationUrl: [ADDRESSES, 'request, confirmation', 'absolute URL', 'the page `account_confirm_email`'],
  getEmailVerificationRedirectUrl: [
    ADDRESSES,
    'request, address',
    'path or URL',
    'the two settings `EMAIL_CONFIRMATION_…_REDIRECT_URL`',
  ],
  shouldSendConfirmationMail: [ADDRESSES, 'request, address, signup', 'boolean', 'yes; asked for links, not for codes'],
  generateEmailConfirmationKey: [ADDRESSES, 'email', 'key', '64 random characters, for keys that are kept in a row'],

  formatEmailSubject: [MAIL, 'request, subject', 'subject', 'puts the prefix before it'],
  getFromEmail: [MAIL, 'request', 'sender', '`DEFAULT_FROM_EMAIL`'],
  renderMail: [MAIL, 'request, templatePrefix, email, context', 'message', 'renders the templates'],
  sendMail: [MAIL, 'request, templatePrefix, email, context', '', 'renders the mail and queues it in the transaction'],
  sendConfirmationMail: [MAIL, 'request, confirmation, signup', '', 'the mail with the link or the code'],
  sendAccountAlreadyExistsMail: [
    MAIL,
    'request, email',
    '',
    'tells the owner of an address that somebody signed up with it',
  ],
  sendPasswordResetMail: [MAIL, 'request, user, email, context', '', 'the mail with the link'],
  sendNotificationMail: [
    MAIL,
    'request, templatePrefix, user, options',
    '',
    'only with `ACCOUNT_EMAIL_NOTIFICATIONS`: to `options.email`, else to the primary address',
  ],

  getSignupRedirectUrl: [WHERE, 'request', 'path or URL', '`ACCOUNT_SIGNUP_REDIRECT_URL`'],
  getLoginRedirectUrl: [WHERE, 'request', 'path or URL', '`LOGIN_REDIRECT_URL`'],
  getLogoutRedirectUrl: [WHERE, 'request', 'path or URL', '`ACCOUNT_LOGOUT_REDIRECT_URL`'],
  getPasswordChangeRedirectUrl: [WHERE, 'request', 'path or URL', 'the same page'],
  getResetPasswordFromKeyUrl: [WHERE, 'request, key', 'absolute URL', 'the page `account_reset_password_from_key`'],
  isSafeUrl: [
    WHERE,
    'request, url',
    'boolean',
    'whether a visitor may be sent there: [security](security.md#redirects)',
  ],
  respondUserInactive: [WHERE, 'request, user', 'path or `Response`', 'the page `account_inactive`'],
  respondEmailVerificationSent: [WHERE, 'request, user', 'path', 'the page `account_email_verification_sent`'],
  addMessage: [
    WHERE,
    'request, level, template, context',
    '',
    'renders `<template>.txt` for the next page; one that is blank says nothing',
  ],
  isAjax: [WHERE, 'request', 'boolean', 'whether JSON is answered in place of a page'],
  ajaxResponse: [WHERE, 'request, answer', '`Response`', 'that JSON: where the page would lead, its form, its markup'],
  ajaxResponseForm: [WHERE, 'request, form', 'JSON', 'a form in it: labels, values, errors'],

  isOpenForSignup: [SIGN_UP, 'request', 'boolean', 'yes'],
  newUser: [SIGN_UP, 'request', 'new user', 'an empty one'],
  saveUser: [
    SIGN_UP,
    'request, user, values',
    'user',
    'stores the user with password and phone, in the transaction of the sign-up',
  ],
  populateUsername: [SIGN_UP, 'request, user', 'new user', 'gives a user name to who has none'],
  generateUniqueUsername: [SIGN_UP, 'request, texts', 'user name', 'a free one, made of the first text that gives one'],
  cleanUsername: [
    SIGN_UP,
    'request, username, shallow',
    'user name',
    'the rules; with `shallow` without looking who has it',
  ],
  cleanPassword: [SIGN_UP, 'request, password, user', 'password', 'the password rules'],
  setPassword: [SIGN_UP, 'request, user, password', 'user', 'hashes and stores'],
  getUserSearchFields: [SIGN_UP, '', 'columns', 'user name, first and last name, address'],
  userDisplay: [SIGN_UP, 'user', 'text', 'user name, else address, else key'],

  preLogin: [LOGIN, 'request, login', 'path, `Response` or `null`', '`null`: go on; inactive users are stopped'],
  postLogin: [LOGIN, 'request, login', 'path or URL', 'what the login began with, `next`, then the settings'],
  login: [LOGIN, 'request, user', '', 'signs in: a new session token, a new CSRF secret'],
  logout: [LOGIN, 'request', '', 'clears the session'],
  preAuthenticate: [LOGIN, 'request, credentials', '`{ giveBack }`', 'takes from the limit `login_failed`'],
  authenticate: [LOGIN, 'request, credentials', 'user or `null`', 'the user of this password, an inactive one too'],
  authenticationFailed: [LOGIN, 'request, credentials', '', 'nothing; the password is not among the credentials'],
  reauthenticate: [LOGIN, 'request, user, password', 'boolean', 'whether it is the password of this very user'],
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
    'the password, a code of a second factor, a security key: what the user has',
  ],
  isLoginByCodeRequired: [
    LOGIN,
    'request, login',
    'boolean',
    '`ACCOUNT_LOGIN_BY_CODE_REQUIRED` against the newest proof',
  ],
  mayAdminister: [LOGIN, 'request, user', '`true` or `false`', 'whether they are staff; asked by every page for staff'],
  getClientIp: [
    LOGIN,
    'request, remoteAddress',
    'address or `null`',
    'by the settings of [proxies](security.md#proxies)',
  ],
  getHttpUserAgent: [LOGIN, 'request', 'text', 'the header, at most 200 characters'],

  generateLoginCode: [CODES, '', 'code', 'in the form of its setting'],
  generatePasswordResetCode: [CODES, '', 'code', 'in the form of its setting'],
  generateEmailVerificationCode: [CODES, '', 'code', 'in the form of its setting'],
  generatePhoneVerificationCode: [
    CODES,
    '',
    'code',
    'in the form of its setting; also for login codes by text message',
  ],

  phoneFormField: [PHONES, 'options', 'field', 'the input of a phone number, in every form that has one'],
  cleanPhone: [PHONES, 'request, phone', 'phone', 'as it is'],
  sendVerificationCodeSms: [
    PHONES,
    'request, user, phone, code',
    '',
    'none: who uses phones must give it, else `createAuth` fails',
  ],
  sendUnknownAccountSms: [PHONES, 'request, phone', '', 'nothing'],
  sendAccountAlreadyExistsSms: [PHONES, 'request, phone', '', 'nothing'],
  getPhone: [PHONES, 'request, user', '`{ phone, verified }` or `null`', 'from the table `gatepost_phone`'],
  setPhone: [PHONES, 'request, user, phone, verified', 'boolean', 'stores it; `false` when somebody else has it'],
  setPhoneVerified: [PHONES, 'request, user, phone', 'boolean', 'marks it, if it is still the user’s'],
  getUserByPhone: [PHONES, 'request, phone', 'user or `null`', 'from the table `gatepost_phone`'],

  errorMessages: [
    TEXTS,
    '',
    '',
    'English text by [error code](errors.md#fields); what you give goes over the defaults',
  ],
  validationError: [
    TEXTS,
    'code, options',
    'error',
    'the error of a code with its text, to be thrown in `InvalidInput`',
  ],
}
