import type { AuthDb, UserId } from '../kernel/users/user.ts'

/** One address of a user. At most one is primary; at most one user has an address verified (`uniqueEmail`). */
export interface EmailAddress {
  readonly id: number
  readonly userId: UserId
  /** Written in lower case; an older site may have written it otherwise. */
  readonly email: string
  readonly verified: boolean
  readonly primary: boolean
}

/** Rows of `account_emailaddress`. The mirrored e-mail of the user is the caller's to keep (`account/email/`). */
export interface EmailAddressStore {
  /** By id. */
  ofUser(db: AuthDb, userId: UserId): Promise<readonly EmailAddress[]>
  byId(db: AuthDb, id: number): Promise<EmailAddress | null>
  find(db: AuthDb, userId: UserId, email: string): Promise<EmailAddress | null>
  /** Whether somebody but `exceptUserId` has it, in a row or as the mirrored e-mail, verified or not. */
  isTaken(db: AuthDb, email: string, exceptUserId: UserId | null): Promise<boolean>
  /** Whether another row has it verified. */
  isVerifiedElsewhere(db: AuthDb, email: string, exceptId: number | null): Promise<boolean>
  insert(db: AuthDb, row: Omit<EmailAddress, 'id'>): Promise<EmailAddress>
  /** `null`: the unique constraint refused it, as another user has verified the address meanwhile. */
  markVerified(db: AuthDb, id: number): Promise<EmailAddress | null>
  /** Makes this the only primary one of its user. */
  makePrimary(db: AuthDb, address: EmailAddress): Promise<void>
  remove(db: AuthDb, id: number): Promise<void>
}

/** A confirmation mail, kept only with `emailConfirmationHmac` off. */
export interface EmailConfirmationStore {
  insert(db: AuthDb, emailAddressId: number, key: string, nowMs: number): Promise<void>
  /** The address of a key that was sent after `sentAfterMs`; looked up in lower case. */
  find(db: AuthDb, key: string, sentAfterMs: number): Promise<EmailAddress | null>
  removeOlder(db: AuthDb, sentBeforeMs: number): Promise<void>
}

/** One phone number per user, in a table of the package. Backs the phone hooks unless the host stores phones itself. */
export interface PhoneStore {
  ofUser(db: AuthDb, userId: UserId): Promise<{ readonly phone: string; readonly verified: boolean } | null>
  /** Returns the user who has verified the number, or any user who has it. */
  owner(db: AuthDb, phone: string): Promise<UserId | null>
  /** Replaces. `false`: another user has it verified. */
  set(db: AuthDb, userId: UserId, phone: string, verified: boolean): Promise<boolean>
}
