import type { Connection } from './connection.ts'
import type { CheckId } from './doctor/check-ids.ts'
import type { Finding, FindingValue } from './doctor/findings.ts'
import type { Dialect } from './markdown/dialect.ts'
import type { PlatformIo } from './platform-io.ts'
import type { PlatformId } from './platform-names.ts'
import type { SetupGuide } from './setup/guide.ts'
import type { z } from 'zod'

/**
 * The contract between the core and a platform.
 *
 * A platform is a folder under `platforms/`: pure halves that know the platform and no socket (`decode`, `encode`,
 * `outcome`) around one thin connection. Timers, retries, pacing, storage and the assistant belong to the core, which
 * reads `limits` and `can` and never compares `id` with a name.
 */
export interface Platform<C> {
  readonly id: PlatformId
  /** The product's own name, e.g. `Telegram`. */
  readonly label: string
  readonly limits: PlatformLimits
  /** How Markdown is written on this platform. */
  readonly dialect: Dialect
  readonly credentials: CredentialSchema<C>
  /** Returns the bot's stable, non-secret id. Messages, contacts and the lease are stored under it. */
  identity(credentials: C): string
  /** Returns the server that the credentials name, unless it is the vendor's or the configured one; absent: they name none. */
  customServer?(credentials: C, io: Pick<PlatformIo, 'host'>): URL | null
  /** Returns this platform's own fields of a channel entry; `null`: not configured. Never a secret. */
  describe(credentials: C | null, io: PlatformIo): Readonly<Record<string, unknown>>
  /** Asks the platform whether it accepts these credentials. Saves and starts nothing. */
  validate(credentials: C, io: PlatformIo, signal: AbortSignal): Promise<Validation>
  /**
   * `validate` would replace a running connection of the same bot, so new credentials are validated by connecting with
   * them, and rolled back when the platform rejects them.
   */
  readonly provedByConnecting?: true
  /** The channel entry shows `allowed_users`. @see contract, channel entry */
  readonly answersSomeOnly?: true
  /** Setup methods, easiest first. */
  readonly setups: readonly SetupGuide[]
  connect(credentials: C, io: PlatformIo): Connection
  /** Runs checks that a user can act on, each with a remedy. Never throws for a failing remote. */
  diagnose(credentials: C, io: PlatformIo, signal: AbortSignal): Promise<readonly ChannelCheck[]>
}

/** How a platform's credentials are stored. */
export interface CredentialSchema<C> {
  /** The fields stored in `channels.yml` for this platform, without `enabled` and the access rules. */
  readonly schema: z.ZodType<C>
  /** Keys whose values are secrets: masked wherever they are shown. */
  readonly secrets: readonly (keyof C & string)[]
  /** Keys of the body of a save request that must come together with a secret, because they decide where it is sent. */
  readonly bound: readonly (keyof C & string)[]
}

/** Result of validating credentials. */
export type Validation =
  | { readonly ok: true; readonly identity: string; readonly name: string }
  /** `rejected`: the platform refused them. `unreachable`: no response from the platform. */
  | { readonly ok: false; readonly reason: 'rejected' | 'unreachable'; readonly message: string }

/** A check of the doctor with its result. */
export interface Diagnosis<Id extends string = string> {
  /** Stable, e.g. `token_accepted`. */
  readonly id: Id
  readonly title: string
  /** `warn`: it works, but may need attention. */
  readonly status: 'pass' | 'warn' | 'fail'
  /** What the check found, in English. */
  readonly detail: string
  /** Code of what it found, e.g. `server_unreachable`; absent in checks that only English clients show. */
  readonly finding?: string
  /** Values of `finding`, by name. */
  readonly values?: Readonly<Record<string, FindingValue>>
  /** When the result was obtained, milliseconds since the Unix epoch; absent: now. */
  readonly at?: number
  /** The command or page that fixes it; always present when `status` is `fail`. */
  readonly remedy?: string
  /** An automatic fix, where one exists. */
  readonly fix?: Fix
}

/** A check of this package. */
export type ChannelCheck = Diagnosis<CheckId> & Finding

/** An automatic fix for a failed check. */
export interface Fix {
  /**
   * `enable`: enable the channel; `restart`: disable and enable it; `set_up`: enter new credentials; `invite`: start the
   * setup of that kind; `dead_letters`: review failed messages.
   */
  readonly kind: 'enable' | 'restart' | 'set_up' | 'dead_letters' | 'invite'
}

/** A rate: `count` times per `perMs`, with bursts of up to `burst`. */
export interface Rate {
  readonly count: number
  readonly perMs: number
  readonly burst: number
}

/** Limits of a platform. */
export interface PlatformLimits {
  /** The size of one message, in the platform's own unit, after rendering as `Dialect` measures it. */
  readonly text: {
    readonly max: number
    readonly unit: 'utf16' | 'code_points' | 'bytes'
    /** A reply of more than `parts` messages is split at `max` instead, on platforms that limit their number. */
    readonly stretch?: { readonly parts: number; readonly max: number }
  }
  /** Largest file that can be fetched, and sent, in bytes. */
  readonly fileBytes: { readonly inbound: number; readonly image: number; readonly file: number }
  readonly pace: { readonly channel: Rate; readonly direct: Rate; readonly group: Rate }
  /**
   * Minimum interval between previews of a streaming reply; absent: no such preview. `free`: editing a live message does
   * not count as a send and is not paced.
   */
  readonly previewEveryMs: { readonly draft?: number; readonly edit?: number; readonly free?: true }
  /** How long the platform keeps undelivered messages, in milliseconds; `null`: unknown. */
  readonly replayMs: number | null
  /** Interval at which the typing indicator is repeated while the assistant works. */
  readonly typingEveryMs: number
}
