import type { Connection } from './connection.ts'
import type { CheckId } from './doctor/check-ids.ts'
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
  /** Which bot these credentials speak for: stable, not secret. Messages, contacts and the lease are kept by it. */
  identity(credentials: C): string
  /** This platform's own fields of a channel entry; `null` when nothing is configured. Never a secret. */
  describe(credentials: C | null, io: PlatformIo): Readonly<Record<string, unknown>>
  /** Asks the platform whether it accepts these. Stores nothing, starts nothing. */
  validate(credentials: C, io: PlatformIo, signal: AbortSignal): Promise<Validation>
  /**
   * `validate` would take a running connection of the same bot over: saved credentials are proved by the connection
   * itself instead, and put back when the platform rejects them.
   */
  readonly provedByConnecting?: true
  /** The channel entry shows `allowed_users`. @see contract, channel entry */
  readonly answersSomeOnly?: true
  /** How a person gets credentials, the easiest way first. */
  readonly setups: readonly SetupGuide[]
  connect(credentials: C, io: PlatformIo): Connection
  /** Checks that a person can act on, each with a remedy. Never throws for a failing remote. */
  diagnose(credentials: C, io: PlatformIo, signal: AbortSignal): Promise<readonly ChannelCheck[]>
}

export interface CredentialSchema<C> {
  /** What is stored in `channels.yml` for this platform, without `enabled` and the access rules. */
  readonly schema: z.ZodType<C>
  /** Keys whose values are secrets: masked wherever they are shown. */
  readonly secrets: readonly (keyof C & string)[]
  /** Keys of the body of a save request that must come together with a secret, because they decide where it is sent. */
  readonly bound: readonly (keyof C & string)[]
}

export type Validation =
  | { readonly ok: true; readonly identity: string; readonly name: string }
  /** `rejected`: the platform said no. `unreachable`: it could not be asked. */
  | { readonly ok: false; readonly reason: 'rejected' | 'unreachable'; readonly message: string }

/** A check of a doctor, and what came of it. */
export interface Diagnosis<Id extends string = string> {
  /** Stable, e.g. `token_accepted`. */
  readonly id: Id
  readonly title: string
  /** `warn`: it works, but something may need a person. */
  readonly status: 'pass' | 'warn' | 'fail'
  /** What was proven. */
  readonly detail: string
  /** When it was proven, milliseconds since the Unix epoch; absent: now. */
  readonly at?: number
  /** The one command or page that mends it; always there when `status` is `fail`. */
  readonly remedy?: string
  /** The same where a program can do it. */
  readonly fix?: Fix
}

/** A check of this package's own. */
export type ChannelCheck = Diagnosis<CheckId>

/** What one click can do about a check. */
export interface Fix {
  /**
   * `enable`: enable the channel; `restart`: disable and enable it; `set_up`: give it new credentials; `invite`: the
   * set-up of that kind; `dead_letters`: look at the deliveries that failed.
   */
  readonly kind: 'enable' | 'restart' | 'set_up' | 'dead_letters' | 'invite'
}

/** How often something may be done: `count` times per `perMs`, saved up to `burst`. */
export interface Rate {
  readonly count: number
  readonly perMs: number
  readonly burst: number
}

export interface PlatformLimits {
  /** The size of one message, in the platform's own unit, after rendering as `Dialect` measures it. */
  readonly text: {
    readonly max: number
    readonly unit: 'utf16' | 'code_points' | 'bytes'
    /** An answer that needs more than `parts` messages is split at `max` instead: there, messages are counted. */
    readonly stretch?: { readonly parts: number; readonly max: number }
  }
  /** Largest file that can be fetched, and sent, in bytes. */
  readonly fileBytes: { readonly inbound: number; readonly image: number; readonly file: number }
  readonly pace: { readonly channel: Rate; readonly direct: Rate; readonly group: Rate }
  /**
   * Shortest time between two previews of one streaming answer; absent: the platform has no such preview. `free`:
   * replacing the text of a live message is no send, and is not paced as one.
   */
  readonly previewEveryMs: { readonly draft?: number; readonly edit?: number; readonly free?: true }
  /** How long the platform keeps what nobody has received, in milliseconds; `null`: nobody knows. */
  readonly replayMs: number | null
  /** A typing sign is repeated this often while the assistant works. */
  readonly typingEveryMs: number
}
