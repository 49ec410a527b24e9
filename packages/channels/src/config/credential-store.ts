import type { PlatformId } from '../platform-names.ts'

/** Who gets replies in groups: the allowed users, everyone, or no one. */
export const GROUP_POLICIES = ['allowed', 'everybody', 'nobody'] as const
/** Who gets replies in groups. */
export type GroupPolicy = (typeof GROUP_POLICIES)[number]

/** One channel as it is stored. */
export interface StoredChannel {
  readonly enabled: boolean
  /** Platform user ids that get replies; empty: everyone. */
  readonly allowedUsers: readonly string[]
  /** Absent: `allowed`. */
  readonly groupPolicy?: GroupPolicy
  /** As the platform's credential schema parses them. */
  readonly credentials: Readonly<Record<string, unknown>>
}

/** The stored channels of one account. */
export type StoredChannels = Readonly<Partial<Record<PlatformId, StoredChannel>>>

/**
 * Stores credentials: a 0600 file per account, or sealed rows. Reads always go to the store, the only source of truth;
 * a change is re-read, applied and written under a lock.
 */
export interface CredentialStore {
  /** Returns the accounts with stored channels. */
  accounts(): Promise<readonly string[]>
  /** @throws {ChannelError} `config_broken` with line and column where the store can tell. */
  read(accountId: string): Promise<StoredChannels>
  /**
   * Changes one channel. @param change Receives the stored channel; returns the new one, or `undefined` to remove it.
   * @throws {ChannelError} `config_broken` (nothing is overwritten), `config_unwritable`
   */
  change(
    accountId: string,
    platform: PlatformId,
    change: (current: StoredChannel | undefined) => StoredChannel | undefined,
  ): Promise<void>
  /** Returns a string that changes whenever the account's stored channels change, also by hand; cheap. */
  revision(accountId: string): Promise<string>
}
