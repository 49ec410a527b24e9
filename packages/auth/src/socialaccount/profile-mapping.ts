import type { JsonObject } from '../settings/json-object.ts'

/** A place in a profile, as `valueAt` reads it: `data.users[0].id`. */
export type ProfilePath = string

/**
 * Where a value is in a profile: a place, several of which the first that is there counts, or a small pure function
 * for what no place can say.
 */
export type ProfileValue = ProfilePath | readonly ProfilePath[] | ((profile: JsonObject) => unknown)

/** Several addresses in a list of the profile. */
export interface ProfileEmailList {
  readonly list: ProfilePath
  /** Members of an item; items may be plain texts too. */
  readonly email?: ProfilePath
  readonly verified?: ProfilePath
  readonly primary?: ProfilePath
}

/** Who somebody is, read from the profile of a provider. */
export interface ProfileMapping {
  /** The immutable id. The setting `uid_field` of an app names another place. */
  readonly uid: ProfileValue
  readonly email?: ProfileValue
  /**
   * Whether the provider says that it verified the address: `true` or `"true"`. Absent: it does not say, however
   * much it may be trusted; `VERIFIED_EMAIL` is there for that.
   */
  readonly emailVerified?: ProfileValue
  readonly emails?: ProfileEmailList
  readonly username?: ProfileValue
  readonly firstName?: ProfileValue
  readonly lastName?: ProfileValue
  /** In one piece. */
  readonly displayName?: ProfileValue
  readonly phone?: ProfileValue
}
