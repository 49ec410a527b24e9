import type { PlatformId } from '../platform-names.ts'
import type { SetupKind } from './guide.ts'

/** A setup with a code that people may scan after the process has ended. */
export interface StoredSetup {
  readonly id: string
  readonly accountId: string
  readonly platform: PlatformId
  readonly kind: SetupKind
  /** Saved together with the credentials. */
  readonly fields: Readonly<Record<string, unknown>>
  /** Milliseconds since the Unix epoch. */
  readonly startedAtMs: number
  /** Number of QR codes before the one in `progress`. */
  readonly codes: number
  /** At least the version that clients have seen. */
  readonly version: number
  /** What the guide needs to go on, as JSON. */
  readonly progress: unknown
}

/** Stores setups in progress, so that they survive the end of the process. */
export interface SetupStore {
  /** Stores or replaces a setup, as held by this process. Removes expired ones. */
  save(setup: StoredSetup, expiresAtMs: number, nowMs: number): Promise<void>
  /** Returns a setup that no live process holds, and makes this process its holder; `null` if there's none. */
  claim(id: string, nowMs: number): Promise<StoredSetup | null>
  remove(id: string): Promise<void>
  /** Removes the setups of a channel. */
  removeAll(accountId: string, platform: PlatformId): Promise<void>
}
