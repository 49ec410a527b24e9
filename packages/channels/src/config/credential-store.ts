import type { PlatformId } from '../platform-names.ts'

/** Who is answered in groups: those who are answered at all, everybody there, or nobody. */
export const GROUP_POLICIES = ['allowed', 'everybody', 'nobody'] as const
export type GroupPolicy = (typeof GROUP_POLICIES)[number]

/** One channel as it is stored. */
export interface StoredChannel {
  readonly enabled: boolean
  /** Platform user ids that the assistant answers; empty: everybody. */
  readonly allowedUsers: readonly string[]
  /** Absent: `allowed`. */
  readonly groupPolicy?: GroupPolicy
  /** What the platform's credential schema reads. */
  readonly credentials: Readonly<Record<string, unknown>>
}

export type StoredChannels = Readonly<Partial<Record<PlatformId, StoredChannel>>>

/**
 * Where credentials live: a 0600 file per account, or sealed rows. Reads always go to the store, which is the only
 * truth; a change is re-read, applied and written while nobody else changes it.
 */
export interface CredentialStore {
  /** Accounts that have something stored. */
  accounts(): Promise<readonly string[]>
  /** @throws {ChannelError} `config_broken` with line and column where the store can tell. */
  read(accountId: string): Promise<StoredChannels>
  /**
   * @param change Gets what is stored now; returns the channel as it must be, or `undefined` to remove it.
   * @throws {ChannelError} `config_broken` (nothing is overwritten), `config_unwritable`
   */
  change(
    accountId: string,
    platform: PlatformId,
    change: (current: StoredChannel | undefined) => StoredChannel | undefined,
  ): Promise<void>
  /** A text that changes whenever what is stored for the account changes, also by hand; cheap. */
  revision(accountId: string): Promise<string>
}
