import type { Kysely } from 'kysely'
import type { AuthTables } from '../schema/tables.ts'
import type { UserIdType } from '../settings/user-table.ts'

/** A key of the user table: a number for integer keys, otherwise text (UUIDs with 36 characters). */
export type UserId = number | string

/** The database or the current transaction. */
export type AuthDb = Kysely<AuthTables>

/** A user. Doesn't include the password hash; see `UserStore.loadPasswordHash`. */
export interface User {
  readonly id: UserId
  /** Empty if the site has no usernames. */
  readonly username: string
  /**
   * Copy of the primary email address; may be empty. This package writes it in lower case, but an existing site may not
   * have.
   */
  readonly email: string
  readonly firstName: string
  readonly lastName: string
  readonly isActive: boolean
  readonly isStaff: boolean
  readonly isSuperuser: boolean
  /** Milliseconds since the Unix epoch; `null` if the user never signed in. */
  readonly lastLoginMs: number | null
  /** Milliseconds since the Unix epoch; 0 if unknown. */
  readonly dateJoinedMs: number
  readonly hasUsablePassword: boolean
}

/** The fields of a new user. The defaults are empty texts, active, and without staff or superuser status. */
export interface NewUser {
  readonly username?: string
  readonly email?: string
  readonly firstName?: string
  readonly lastName?: string
  readonly isActive?: boolean
  readonly isStaff?: boolean
  readonly isSuperuser?: boolean
}

/** The fields of a user to change. */
export type UserChanges = Partial<Omit<User, 'id' | 'hasUsablePassword' | 'dateJoinedMs'>>

/**
 * Stores users. Text is truncated to its column, and `email` is stored in lower case. Every call runs on the given
 * handle.
 */
export interface UserStore {
  byId(db: AuthDb, id: UserId): Promise<User | null>
  /** Finds a user by username, ignoring case, after NFKC. */
  byUsername(db: AuthDb, username: string): Promise<User | null>
  /**
   * Returns all users with this email address, in an address row or in the user's `email`, compared after NFKC and case
   * folding. With `preferVerified`, returns only users who verified it, if any did.
   */
  byEmail(
    db: AuthDb,
    email: string,
    options: { preferVerified: boolean; activeOnly: boolean },
  ): Promise<readonly User[]>
  /**
   * Inserts a user. Rejects with `row_exists` if the username is taken.
   * @param password Encoded hash, or an unusable password.
   */
  insert(db: AuthDb, user: NewUser, password: string, nowMs: number): Promise<User>
  update(db: AuthDb, id: UserId, changes: UserChanges): Promise<User>
  /** Returns the encoded hash, empty if none is stored, or `null` if the user doesn't exist. */
  loadPasswordHash(db: AuthDb, id: UserId): Promise<string | null>
  /**
   * Sets the encoded hash. Returns whether it did.
   * @param expected If given, writes only if it equals the stored hash, so that a rehash can't undo a change.
   */
  setPassword(db: AuthDb, id: UserId, encoded: string, expected?: string): Promise<boolean>
  /** Returns whether any user exists. */
  any(db: AuthDb): Promise<boolean>
  /** Returns users in ID order, starting after `after`. */
  list(db: AuthDb, page: { limit: number; after: UserId | null }): Promise<readonly User[]>
  remove(db: AuthDb, id: UserId): Promise<void>
  /** Indexes the usernames and email addresses that another program wrote, such as the old site of an adopted database. */
  sweep(): Promise<void>
}

const UUID = /^([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})$/
const LARGEST_INTEGER = 2 ** 31 - 1

/** Returns a user ID for use in links: numbers in base 36, UUIDs as 32 hex digits, other IDs as they are. */
export function userIdText(id: UserId, idType: UserIdType): string {
  if (typeof id === 'number') return id.toString(36)
  return idType === 'uuid' ? id.toLowerCase().replaceAll('-', '') : id
}

/** Parses a user ID from a link; `null` if no user can have it. */
export function userIdFromText(text: string, idType: UserIdType): UserId | null {
  if (idType === 'text') return text !== '' && text.length <= 255 && isStorable(text) ? text : null
  if (idType === 'uuid') {
    const groups = UUID.exec(text.toLowerCase())
    return groups ? groups.slice(1).join('-') : null
  }
  if (!/^[0-9a-z]{1,11}$/i.test(text)) return null
  const id = Number.parseInt(text, 36)
  return id <= (idType === 'integer' ? LARGEST_INTEGER : Number.MAX_SAFE_INTEGER) ? id : null
}

const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0')
