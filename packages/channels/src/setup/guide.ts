import type { PlatformIo } from '../platform-io.ts'

/** One way in which a person gets the credentials of a platform, step by step. */
export interface SetupGuide {
  /**
   * Stable name of the way: `qr` (a code is scanned), `paste` (values are copied from a console), `portal` (a console,
   * then an invitation), `invite` (a bot that is connected is to be put into a group).
   */
  readonly kind: SetupKind
  readonly title: string
  /** What the person does, in order; each a sentence of plain text, addresses included. */
  readonly instructions: readonly string[]
  /**
   * Leads the person to credentials.
   * @throws {SetupFailure} for every end that the person can understand; `signal` aborts when nobody waits any more.
   */
  run(world: SetupWorld, signal: AbortSignal): Promise<void>
}

export type SetupKind = 'qr' | 'paste' | 'portal' | 'invite'

/** What a guide may touch: the platform, the person, the store. */
export interface SetupWorld {
  readonly io: PlatformIo
  /** What is stored for this channel now; `null`: nothing. As it was stored: read it with the platform's schema. */
  readonly stored: Readonly<Record<string, unknown>> | null
  /** The platform does not accept what is stored any more. */
  readonly isRejected: boolean
  /** Tells where the person stands; the newest replaces the one before. */
  show(step: SetupStep): void
  /** Asks the person for values and waits for them. */
  ask(question: SetupQuestion, signal: AbortSignal): Promise<Readonly<Record<string, string>>>
  /**
   * Saves credentials as `POST /api/channels/<platform>` does: validated, stored, swapped in. `firstUser` becomes the
   * first of `allowed_users` when nobody stands there.
   * @throws {ChannelError} `credentials_invalid`, `credentials_rejected`, `platform_unreachable`, …
   */
  save(
    fields: Readonly<Record<string, unknown>>,
    firstUser?: { readonly id: string; readonly name?: string },
  ): Promise<void>
}

export interface SetupStep {
  /** `waiting`: for a scan or a click. `scanned`: the person must confirm on the phone. `watching`: for the bot to be invited. */
  readonly state: 'waiting' | 'scanned' | 'watching'
  /** What to scan or open. */
  readonly url?: string
  /** Whether `url` is meant to be scanned with the platform's app, else it is a page to open. */
  readonly scannable?: boolean
  /** When `url` ends to be valid, milliseconds since the Unix epoch. */
  readonly expiresAtMs?: number
  /** A sentence for the person. */
  readonly message: string
  /** What was found, for programs, e.g. `guild_id`. */
  readonly facts?: Readonly<Record<string, string | number>>
}

export interface SetupQuestion {
  /** A sentence for the person. */
  readonly message: string
  readonly fields: readonly SetupField[]
  /** A page that belongs to the question. */
  readonly url?: string
}

export interface SetupField {
  /** E.g. `bot_token`, `verify_code`. */
  readonly name: string
  readonly label: string
  /** Its value must not be shown while it is typed. */
  readonly secret: boolean
}

/** How a set-up can end without credentials. */
export const SETUP_FAILURES = {
  expired: 'The code has expired. Start again.',
  refused: 'The request was refused on the phone. Start again.',
  /** The confirmation belongs to an earlier log-in. */
  stale_session: 'An earlier log-in was reported instead of this one. Start again with a new code.',
  already_bound: 'This account is connected already; its credentials were kept.',
  code_blocked: 'Too many wrong numbers. Start again with a new code.',
  unreachable: 'The platform could not be reached.',
  not_available: 'This way is not available for this account. Use another one.',
} as const satisfies Record<string, string>
export type SetupFailureCode = keyof typeof SETUP_FAILURES

/** `message` is shown to the person: no secret. */
export class SetupFailure extends Error {
  override readonly name = 'SetupFailure'
  readonly code: SetupFailureCode
  constructor(code: SetupFailureCode, message: string = SETUP_FAILURES[code], options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
