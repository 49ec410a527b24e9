import type { AjaxAnswer } from '../kernel/hooks.ts'
import type { Login, LoginStage, NewLogin, ReauthenticationMethod } from '../kernel/login.ts'
import type { InputError } from '../errors.ts'
import type { BoundForm, Field, FormValues } from '../kernel/forms/form.ts'
import type { MailMessage } from '../kernel/mail/mail.ts'
import type { Visit, MessageLevel } from '../kernel/visit.ts'
import type { AuthDb, NewUser, User, UserId } from '../kernel/users/user.ts'
import type { EmailAddress } from './email-address.ts'

/** Credentials to check: one or more identifiers and a password. */
export interface Credentials {
  readonly username?: string
  readonly email?: string
  readonly phone?: string
  readonly password: string
}

/** A requested confirmation of an email address. `key` is set in link mode, `code` in code mode. */
export interface Confirmation {
  /** `null` if the address isn't stored yet; it will be once confirmed. */
  readonly emailAddress: EmailAddress | null
  readonly email: string
  readonly user: User
  readonly key: string | null
  readonly code: string | null
}

/** The variables of a mail template. */
export type MailContext = Readonly<Record<string, unknown>>

/**
 * The English text of an error, with its `values` as ICU placeholders, or a function that chooses among several texts.
 * The option `translations` has the texts in other languages.
 */
export type ErrorText = string | ((error: Omit<InputError, 'message'>) => string)

/** Error messages by error code. A host can replace any of them with the adapter's `errorMessages`. */
export type ErrorMessages = Readonly<Record<string, ErrorText>>

/**
 * Account behavior that a host can override: section 6.2.1 of the reference, in camelCase. A host passes only the hooks
 * it overrides; the defaults of the others call them.
 */
export interface AccountAdapter
  extends EmailHooks,
    MailHooks,
    RedirectHooks,
    SignupHooks,
    LoginHooks,
    CodeHooks,
    PhoneHooks {
  readonly errorMessages: ErrorMessages
  /** Returns the error for a code, with its message, to throw in an `InvalidInput`. */
  validationError(
    code: string,
    options?: { param?: string; values?: Readonly<Record<string, string | number>> },
  ): InputError
}

/** Hooks for email addresses. */
export interface EmailHooks {
  /** Stores in the session that the visitor has this address, for example because they accepted an invitation. */
  stashVerifiedEmail(request: Visit, email: string): void
  unstashVerifiedEmail(request: Visit): string | null
  isEmailVerified(request: Visit, email: string): boolean
  canDeleteEmail(request: Visit, address: EmailAddress): Promise<boolean>
  /** Cleans an address. @throws {InvalidInput} to reject it, for example because of its domain */
  cleanEmail(request: Visit, email: string): Promise<string>
  validateUniqueEmail(request: Visit, email: string): Promise<string>
  /** Marks the address as verified, with all side effects. Returns `false` if that isn't possible. */
  confirmEmail(request: Visit, address: EmailAddress): Promise<boolean>
  /** Returns an absolute URL. */
  getEmailConfirmationUrl(request: Visit, confirmation: Confirmation): string
  getEmailVerificationRedirectUrl(request: Visit, address: EmailAddress): Promise<string>
  shouldSendConfirmationMail(request: Visit, address: { readonly email: string }, signup: boolean): Promise<boolean>
  generateEmailConfirmationKey(email: string): string
}

/** Hooks for mail: subject, sender, content and delivery. */
export interface MailHooks {
  formatEmailSubject(request: Visit, subject: string): string
  getFromEmail(request: Visit): string
  renderMail(request: Visit, templatePrefix: string, email: string, context: MailContext): Promise<MailMessage>
  /** Renders and queues a mail, which is sent once the transaction has committed. */
  sendMail(request: Visit, templatePrefix: string, email: string, context: MailContext): Promise<void>
  sendConfirmationMail(request: Visit, confirmation: Confirmation, signup: boolean): Promise<void>
  sendAccountAlreadyExistsMail(request: Visit, email: string): Promise<void>
  sendPasswordResetMail(request: Visit, user: User, email: string, context: MailContext): Promise<void>
  /**
   * Sends a notification if `emailNotifications` is on: to `email`, or else to the user's primary address. Without
   * either, sends nothing.
   */
  sendNotificationMail(
    request: Visit,
    templatePrefix: string,
    user: User,
    options?: { context?: MailContext; email?: string },
  ): Promise<void>
}

/** Hooks for the URLs that a flow redirects to. */
export interface RedirectHooks {
  getSignupRedirectUrl(request: Visit): string
  getLoginRedirectUrl(request: Visit): string
  getLogoutRedirectUrl(request: Visit): string
  getPasswordChangeRedirectUrl(request: Visit): string
  /** Returns an absolute URL. `key` is `{uid}-{key}`. */
  getResetPasswordFromKeyUrl(request: Visit, key: string): string
  isSafeUrl(request: Visit, url: string): boolean
  /** Returns a path to redirect to, or a complete response. */
  respondUserInactive(request: Visit, user: User): string | Response
  respondEmailVerificationSent(request: Visit, user: User | null): string
  /**
   * Adds a message to the next page, rendered from `template`, e.g. `account/messages/logged_in`. Adds nothing if the
   * text is blank or the client uses the JSON API.
   */
  addMessage(
    request: Visit,
    level: MessageLevel,
    template: string,
    context?: Readonly<Record<string, unknown>>,
  ): Promise<void>
  isAjax(request: Request): boolean
  /** Returns the response that an XHR client gets instead of a page (legacy XHR mode). */
  ajaxResponse(request: Visit, answer: AjaxAnswer): Response
  /** Returns the JSON for a form in that response. */
  ajaxResponseForm(request: Visit, form: BoundForm): unknown
}

/** Hooks for sign-up and usernames. */
export interface SignupHooks {
  isOpenForSignup(request: Visit): boolean | Promise<boolean>
  newUser(request: Visit): NewUser
  /** Stores a new user with the password and phone of the sign-up. Runs in a transaction. */
  saveUser(request: Visit, user: NewUser, values: FormValues): Promise<User>
  populateUsername(request: Visit, user: NewUser): Promise<NewUser>
  generateUniqueUsername(request: Visit, texts: readonly string[]): Promise<string>
  /** Cleans a username. @param shallow Skips the check whether it's taken. @throws {InvalidInput} */
  cleanUsername(request: Visit, username: string, shallow?: boolean): Promise<string>
  /** Cleans a new password. @throws {InvalidInput} with the codes of the password rules */
  cleanPassword(request: Visit, password: string, user: NewUser): Promise<string>
  /** Hashes and stores a password. */
  setPassword(request: Visit, user: User, password: string): Promise<User>
  getUserSearchFields(): readonly string[]
  userDisplay(user: User): string
}

/** Hooks for signing in and out. */
export interface LoginHooks {
  /** Returns a path or response to stop the login, or `null`. By default, stops inactive users. */
  preLogin(request: Visit, login: NewLogin): Promise<string | Response | null>
  /** Returns where to redirect after a completed login. */
  postLogin(request: Visit, login: Login & { readonly user: User }): Promise<string>
  login(request: Visit, user: User): Promise<void>
  logout(request: Visit): Promise<void>
  /** Takes a `login_failed` slot, which `giveBack` releases. @throws {InvalidInput} `too_many_login_attempts` */
  preAuthenticate(request: Visit, credentials: Credentials): Promise<{ giveBack(): Promise<void> }>
  /**
   * Returns the user if the credentials are correct, even if the user is inactive. An unknown user must take as long as
   * a wrong password.
   */
  authenticate(request: Visit, credentials: Credentials): Promise<User | null>
  authenticationFailed(request: Visit, credentials: Omit<Credentials, 'password'>): Promise<void>
  reauthenticate(request: Visit, user: User, password: string): Promise<boolean>
  getLoginStages(): readonly LoginStage[]
  getReauthenticationMethods(request: Visit, user: User): Promise<readonly ReauthenticationMethod[]>
  isLoginByCodeRequired(request: Visit, login: Login): Promise<boolean>
  /**
   * Revokes the host's own tokens of a user, in the transaction of a password reset, of the first verification of the
   * primary address, or of a deactivation. OAuth clients' tokens are revoked without it.
   */
  revokeAccess(db: AuthDb, userId: UserId): Promise<void>
  /** Returns whether a staff member who has recently reauthenticated may use the admin pages. */
  mayAdminister(request: Visit, user: User): Promise<boolean>
  getClientIp(request: Request, remoteAddress: string | null): string | null
  getHttpUserAgent(request: Request): string
}

/** Hooks that generate one-time codes. */
export interface CodeHooks {
  generateLoginCode(): string
  generatePasswordResetCode(): string
  generateEmailVerificationCode(): string
  generatePhoneVerificationCode(): string
}

/** Hooks for phone numbers and text messages. */
export interface PhoneHooks {
  /** Returns the phone number field of all forms. */
  phoneFormField(options?: Partial<Field>): Field
  cleanPhone(request: Visit, phone: string): Promise<string>
  /** Required if the settings use phone numbers. */
  sendVerificationCodeSms(request: Visit, user: User | null, phone: string, code: string): Promise<void>
  sendUnknownAccountSms(request: Visit, phone: string): Promise<void>
  sendAccountAlreadyExistsSms(request: Visit, phone: string): Promise<void>
  getPhone(request: Visit, user: User): Promise<{ readonly phone: string; readonly verified: boolean } | null>
  setPhone(request: Visit, user: User, phone: string, verified: boolean): Promise<boolean>
  setPhoneVerified(request: Visit, user: User, phone: string): Promise<boolean>
  getUserByPhone(request: Visit, phone: string): Promise<User | null>
}

/**
 * The hooks that a host overrides. Two legacy forms are accepted too: `sendMail(templatePrefix, context, users)` as
 * `sendMailToUsers`, and `getEmailConfirmationRedirectUrl(request)` instead of `getEmailVerificationRedirectUrl`.
 */
export type AccountAdapterOverrides = Partial<AccountAdapter> & {
  getEmailConfirmationRedirectUrl?(request: Visit): string | Promise<string>
  sendMailToUsers?(templatePrefix: string, emailContext: MailContext, users: readonly User[]): Promise<void>
}

/** The host's hooks, or a function that returns them and can call the defaults it gets. Class instances work too. */
export type AccountAdapterInput = AccountAdapterOverrides | ((defaults: AccountAdapter) => AccountAdapterOverrides)
