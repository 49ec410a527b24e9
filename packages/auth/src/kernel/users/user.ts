import type { Kysely } from 'kysely'
import type { AuthTables } from '../schema/tables.ts'
import type { UserIdType } from '../settings/user-table.ts'

/** Key of the user table: a number for integer keys, else text (UUIDs in their 36 characters). */
export type UserId = number | string

/** The database or the transaction under way. */
export type AuthDb = Kysely<AuthTables>

/** A person with an account. The password hash is not in it: see `UserStore.passwordOf`. */
export interface User {
  readonly id: UserId
  /** Empty when the site has no user names. */
  readonly username: string
  /** Mirror of the primary address; may be empty. Written in lower case; an older site may have written it otherwise. */
  readonly email: string
  readonly firstName: string
  readonly lastName: string
  readonly isActive: boolean
  readonly isStaff: boolean
  readonly isSuperuser: boolean
  /** Milliseconds since the Unix epoch; `null`: never signed in. */
  readonly lastLoginMs: number | null
  /** Milliseconds since the Unix epoch; 0: not known. */
  readonly dateJoinedMs: number
  readonly hasUsablePassword: boolean
}

/** What a new user starts from; every field has a default (empty, active, no password). */
export interface NewUser {
  readonly username?: string
  readonly email?: string
  readonly firstName?: string
  readonly lastName?: string
  readonly isActive?: boolean
  readonly isStaff?: boolean
  readonly isSuperuser?: boolean
}

/** Columns of a user to change. */
export type UserChanges = Partial<Omit<User, 'id' | 'hasUsablePassword' | 'dateJoinedMs'>>

/** Text is cut to its column; `email` is stored lower-case. Every call runs on the handle that it is given. */
export interface UserStore {
  byId(db: AuthDb, id: UserId): Promise<User | null>
  /** Case-insensitive, after NFKC. */
  byUsername(db: AuthDb, username: string): Promise<User | null>
  /**
   * Returns all users who have this address, in an address row or as mirrored email; compared after NFKC and case
   * folding. With `preferVerified`, returns only users who verified it, if any have.
   */
  byEmail(
    db: AuthDb,
    email: string,
    options: { preferVerified: boolean; activeOnly: boolean },
  ): Promise<readonly User[]>
  /** @param password Encoded hash, or an unusable one. Unique violations of the user name pass through. */
  insert(db: AuthDb, user: NewUser, password: string, nowMs: number): Promise<User>
  update(db: AuthDb, id: UserId, changes: UserChanges): Promise<User>
  /** The encoded hash, empty where nothing is stored; `null` when there is no such user. */
  loadPasswordHash(db: AuthDb, id: UserId): Promise<string | null>
  /** @param expected Writes only while this is the stored one (an upgrade must not undo a change). Answers whether it wrote. */
  setPassword(db: AuthDb, id: UserId, encoded: string, expected?: string): Promise<boolean>
  /** Whether there is any user at all. */
  any(db: AuthDb): Promise<boolean>
  /** Ordered by id, after `after`. */
  list(db: AuthDb, page: { limit: number; after: UserId | null }): Promise<readonly User[]>
  remove(db: AuthDb, id: UserId): Promise<void>
}

const UUID = /^([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})$/
const LARGEST_INTEGER = 2 ** 31 - 1

/** A user's id as it stands in links: base36 for numbers, 32 hex digits for UUIDs, other ids as they are. */
export function userIdText(id: UserId, idType: UserIdType): string {
  if (typeof id === 'number') return id.toString(36)
  return idType === 'uuid' ? id.toLowerCase().replaceAll('-', '') : id
}

/** The id of a text from a link; `null` for one that no user can have. */
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
