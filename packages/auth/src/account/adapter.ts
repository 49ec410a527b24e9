import type { AjaxAnswer } from '../kernel/hooks.ts'
import type { Login, LoginStage, NewLogin, ReauthenticationMethod } from '../kernel/login.ts'
import type { InputError } from '../errors.ts'
import type { BoundForm, Field, FormValues } from '../kernel/forms/form.ts'
import type { MailMessage } from '../kernel/mail/mail.ts'
import type { Visit, MessageLevel } from '../kernel/visit.ts'
import type { NewUser, User } from '../kernel/users/user.ts'
import type { EmailAddress } from './email-address.ts'

/** What a person gave to sign in: one identifier, and a password. */
export interface Credentials {
  readonly username?: string
  readonly email?: string
  readonly phone?: string
  readonly password: string
}

/** A mail or page that asks to confirm an address. `key` is set in link mode, `code` in code mode. */
export interface Confirmation {
  /** `null`: the address is not stored yet (it will be, once confirmed). */
  readonly emailAddress: EmailAddress | null
  readonly email: string
  readonly user: User
  readonly key: string | null
  readonly code: string | null
}

/** The variables of a mail template. */
export type MailContext = Readonly<Record<string, unknown>>

/** What a wrong input is called, and its text: `errorMessages` of the adapter may change every text. */
export type ErrorMessages = Readonly<Record<string, string>>

/**
 * Everything about accounts that a host may decide otherwise: section 6.2.1 of the reference, in camelCase. A host
 * passes the hooks that it changes; the others keep their defaults, which call the changed ones.
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
  /** The error of a code, with its text, to be thrown in an `InvalidInput`. */
  validationError(
    code: string,
    options?: { param?: string; values?: Readonly<Record<string, string | number>> },
  ): InputError
}

/** Hooks for email addresses. */
export interface EmailHooks {
  /** Remembers in the session that this visitor has this address: from an invitation. */
  stashVerifiedEmail(request: Visit, email: string): void
  unstashVerifiedEmail(request: Visit): string | null
  isEmailVerified(request: Visit, email: string): boolean
  canDeleteEmail(request: Visit, address: EmailAddress): Promise<boolean>
  /** @throws {InvalidInput} to refuse, e.g. a domain */
  cleanEmail(request: Visit, email: string): Promise<string>
  validateUniqueEmail(request: Visit, email: string): Promise<string>
  /** Marks it verified, with everything that follows from it. `false`: it could not be. */
  confirmEmail(request: Visit, address: EmailAddress): Promise<boolean>
  /** Absolute. */
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
  /** Renders and queues: it is sent after the transaction has committed. */
  sendMail(request: Visit, templatePrefix: string, email: string, context: MailContext): Promise<void>
  sendConfirmationMail(request: Visit, confirmation: Confirmation, signup: boolean): Promise<void>
  sendAccountAlreadyExistsMail(request: Visit, email: string): Promise<void>
  sendPasswordResetMail(request: Visit, user: User, email: string, context: MailContext): Promise<void>
  /**
   * Sends a notification, only with `emailNotifications`. Goes to `email`, or to the user's primary address; without
   * either, nothing is sent.
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
  /** Absolute. `key` is `{uid}-{key}`. */
  getResetPasswordFromKeyUrl(request: Visit, key: string): string
  isSafeUrl(request: Visit, url: string): boolean
  /** Path, or a response of its own. */
  respondUserInactive(request: Visit, user: User): string | Response
  respondEmailVerificationSent(request: Visit, user: User | null): string
  /** Renders `account/messages/<name>.txt` (`template` with its folder); blank adds nothing; nothing in JSON. */
  addMessage(
    request: Visit,
    level: MessageLevel,
    template: string,
    context?: Readonly<Record<string, unknown>>,
  ): Promise<void>
  isAjax(request: Request): boolean
  /** What a script gets in place of a page (legacy XHR mode). */
  ajaxResponse(request: Visit, answer: AjaxAnswer): Response
  /** A form in it: JSON. */
  ajaxResponseForm(request: Visit, form: BoundForm): unknown
}

/** Hooks for sign-up and usernames. */
export interface SignupHooks {
  isOpenForSignup(request: Visit): boolean | Promise<boolean>
  newUser(request: Visit): NewUser
  /** Fills and stores the user of a signup, its password and phone. Runs in a transaction. */
  saveUser(request: Visit, user: NewUser, values: FormValues): Promise<User>
  populateUsername(request: Visit, user: NewUser): Promise<NewUser>
  generateUniqueUsername(request: Visit, texts: readonly string[]): Promise<string>
  /** @param shallow Without looking whether it is taken. @throws {InvalidInput} */
  cleanUsername(request: Visit, username: string, shallow?: boolean): Promise<string>
  /** @throws {InvalidInput} with the codes of the password rules */
  cleanPassword(request: Visit, password: string, user: NewUser): Promise<string>
  /** Hashes and stores. */
  setPassword(request: Visit, user: User, password: string): Promise<User>
  getUserSearchFields(): readonly string[]
  userDisplay(user: User): string
}

/** Hooks for signing in and out. */
export interface LoginHooks {
  /** A response stops the login; inactive users are stopped here by default. */
  preLogin(request: Visit, login: NewLogin): Promise<string | Response | null>
  /** Where to go when the login is complete. */
  postLogin(request: Visit, login: Login & { readonly user: User }): Promise<string>
  login(request: Visit, user: User): Promise<void>
  logout(request: Visit): Promise<void>
  /** Takes `login_failed`. @throws {InvalidInput} `too_many_login_attempts` */
  preAuthenticate(request: Visit, credentials: Credentials): Promise<{ giveBack(): Promise<void> }>
  /** The user of right credentials, inactive ones too; `null` for everything else, at the same cost. */
  authenticate(request: Visit, credentials: Credentials): Promise<User | null>
  authenticationFailed(request: Visit, credentials: Omit<Credentials, 'password'>): Promise<void>
  reauthenticate(request: Visit, user: User, password: string): Promise<boolean>
  getLoginStages(): readonly LoginStage[]
  getReauthenticationMethods(request: Visit, user: User): Promise<readonly ReauthenticationMethod[]>
  isLoginByCodeRequired(request: Visit, login: Login): Promise<boolean>
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
  /** The input of a phone number, in every form that has one. */
  phoneFormField(options?: Partial<Field>): Field
  cleanPhone(request: Visit, phone: string): Promise<string>
  /** Must be given by a host that uses phones. */
  sendVerificationCodeSms(request: Visit, user: User | null, phone: string, code: string): Promise<void>
  sendUnknownAccountSms(request: Visit, phone: string): Promise<void>
  sendAccountAlreadyExistsSms(request: Visit, phone: string): Promise<void>
  getPhone(request: Visit, user: User): Promise<{ readonly phone: string; readonly verified: boolean } | null>
  setPhone(request: Visit, user: User, phone: string, verified: boolean): Promise<boolean>
  setPhoneVerified(request: Visit, user: User, phone: string): Promise<boolean>
  getUserByPhone(request: Visit, phone: string): Promise<User | null>
}

/**
 * What a host changes. The forms of the contract are taken too: `sendMail(templatePrefix, context, users)` as
 * `sendMailToUsers`, and `getEmailConfirmationRedirectUrl(request)` in place of `getEmailVerificationRedirectUrl`.
 */
export type AccountAdapterOverrides = Partial<AccountAdapter> & {
  getEmailConfirmationRedirectUrl?(request: Visit): string | Promise<string>
  sendMailToUsers?(templatePrefix: string, emailContext: MailContext, users: readonly User[]): Promise<void>
}

/** A host's changes, or a function that makes them from the defaults (to call these). Instances of classes do too. */
export type AccountAdapterInput = AccountAdapterOverrides | ((defaults: AccountAdapter) => AccountAdapterOverrides)
