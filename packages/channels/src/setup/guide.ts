import type { PlatformIo } from '../platform-io.ts'
import type { PlatformId } from '../platform-names.ts'

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
type SetupFailureCode = keyof typeof SETUP_FAILURES

/** `message` is shown to the person: no secret. */
export class SetupFailure extends Error {
  override readonly name = 'SetupFailure'
  readonly code: SetupFailureCode
  constructor(code: SetupFailureCode, message: string = SETUP_FAILURES[code], options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/**
 * `starting`: the platform is being asked. `waiting`: for a scan. `scanned`: to be confirmed on the phone.
 * `input_needed`: `fields` are to be answered. `working`: an answer is being looked at. `watching`: for an invitation.
 */
export type SetupState =
  | 'starting'
  | 'waiting'
  | 'scanned'
  | 'input_needed'
  | 'working'
  | 'watching'
  | 'done'
  | 'failed'

/** A set-up as callers see it: `POST` and `GET /api/channels/{platform}/setup`. */
export interface SetupView {
  readonly id: string
  readonly platform: PlatformId
  readonly kind: SetupKind
  readonly title: string
  readonly instructions: readonly string[]
  readonly state: SetupState
  /** Rises with every change. */
  readonly version: number
  /** Where the person stands, as a sentence. */
  readonly message: string
  /** What to scan or open. */
  readonly url?: string
  /** `url` as a QR code: an SVG document, only when it is to be scanned. */
  readonly qr?: string
  /** How many codes to scan have been shown so far: above 1, the first has expired. */
  readonly codes: number
  /** When it was begun, milliseconds since the Unix epoch. */
  readonly started_at: number
  /** When `url` ends to be valid, milliseconds since the Unix epoch; `null`: nobody knows. */
  readonly expires_at: number | null
  /** What is asked for, while `input_needed`. */
  readonly fields: readonly SetupField[]
  readonly saved: boolean
  /** What was found, for programs, e.g. `guild_id`. */
  readonly facts: Readonly<Record<string, string | number>>
  /** Who confirmed it, where the platform tells. */
  readonly first_user: { readonly id: string; readonly name: string | null } | null
  /** Stable code of why it failed. */
  readonly error: string | null
}

/** One way to set a platform up. */
export interface SetupWay {
  readonly kind: SetupKind
  readonly title: string
  readonly instructions: readonly string[]
}

/** Well within what a code holds that can be scanned from a screen, in bytes. */
const MOST_BYTES = 2_000
/** Blanks and control characters would be lines and commands where a terminal shows it. */
const UNPRINTABLE = /[\s\p{C}]/u

/**
 * A step whose address may be shown to a person, whoever named it.
 * @throws {SetupFailure} `unreachable` when it is no http or https address that a code holds
 */
export function checkedStep(step: SetupStep): SetupStep {
  if (step.url === undefined || isShowable(step.url)) return step
  throw new SetupFailure('unreachable', 'The platform gave no address that could be shown.')
}

function isShowable(url: string): boolean {
  if (Buffer.byteLength(url) > MOST_BYTES || UNPRINTABLE.test(url)) return false
  return /^https?:$/.test(URL.parse(url)?.protocol ?? '')
}
