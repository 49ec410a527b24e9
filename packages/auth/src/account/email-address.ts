import type { AuthDb, UserId } from '../kernel/users/user.ts'

/** A user's email address. At most one per user is primary. With `uniqueEmail`, only one user can have it verified. */
export interface EmailAddress {
  readonly id: number
  readonly userId: UserId
  /** Stored in lower case; rows of existing databases may contain upper case. */
  readonly email: string
  readonly verified: boolean
  readonly primary: boolean
}

/** Stores the rows of `account_emailaddress`. Callers keep the mirrored address (`account/email/mirror.ts`). */
export interface EmailAddressStore {
  /** Returns the user's addresses, ordered by ID. */
  ofUser(db: AuthDb, userId: UserId): Promise<readonly EmailAddress[]>
  byId(db: AuthDb, id: number): Promise<EmailAddress | null>
  find(db: AuthDb, userId: UserId, email: string): Promise<EmailAddress | null>
  /** Returns whether a user other than `exceptUserId` has it, in a row or mirrored, verified or not. */
  isTaken(db: AuthDb, email: string, exceptUserId: UserId | null): Promise<boolean>
  /** Returns whether a row other than `exceptId` has it verified. */
  isVerifiedElsewhere(db: AuthDb, email: string, exceptId: number | null): Promise<boolean>
  insert(db: AuthDb, row: Omit<EmailAddress, 'id'>): Promise<EmailAddress>
  /** Returns `null` if the row is gone or another user has verified the address. */
  markVerified(db: AuthDb, id: number): Promise<EmailAddress | null>
  /** Makes this the user's only primary address. */
  makePrimary(db: AuthDb, address: EmailAddress): Promise<void>
  remove(db: AuthDb, id: number): Promise<void>
}

/** Stores the keys of sent confirmation mails. Used only with `emailConfirmationHmac` off. */
export interface EmailConfirmationStore {
  insert(db: AuthDb, emailAddressId: number, key: string, nowMs: number): Promise<void>
  /** Returns the address of a key sent after `sentAfterMs`. Ignores case. */
  find(db: AuthDb, key: string, sentAfterMs: number): Promise<EmailAddress | null>
  removeOlder(db: AuthDb, sentBeforeMs: number): Promise<void>
}

/** Stores one phone number per user. Backs the phone hooks unless the host stores phone numbers itself. */
export interface PhoneStore {
  ofUser(db: AuthDb, userId: UserId): Promise<{ readonly phone: string; readonly verified: boolean } | null>
  /** Returns the user who has verified the number, or any user who has it. */
  owner(db: AuthDb, phone: string): Promise<UserId | null>
  /** Replaces the user's number. Returns `false` if another user has verified it. */
  set(db: AuthDb, userId: UserId, phone: string, verified: boolean): Promise<boolean>
  remove(db: AuthDb, userId: UserId): Promise<void>
}
