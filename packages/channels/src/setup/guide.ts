import type { PlatformIo } from '../platform-io.ts'
import type { PlatformId } from '../platform-names.ts'

/** A setup method: leads a user to the credentials of a platform, step by step. */
export interface SetupGuide {
  /**
   * Stable name of the method: `qr` (scan a code), `paste` (copy values from a console), `portal` (a console, then an
   * invitation), `invite` (add a connected bot to a group).
   */
  readonly kind: SetupKind
  readonly title: string
  /** Steps for the user, in order; each is plain text, URLs included. */
  readonly instructions: readonly string[]
  /** Returns whether a URL can be one of this method's QR codes: it points to the platform. */
  readonly isCodeUrl?: (url: string, io: Pick<PlatformIo, 'host'>) => boolean
  /**
   * Runs the setup. `signal` aborts when it is cancelled or abandoned.
   * @throws {SetupFailure} for every failure that a user can understand
   */
  run(world: SetupWorld, signal: AbortSignal): Promise<void>
}

/** Name of a setup method. */
export type SetupKind = 'qr' | 'paste' | 'portal' | 'invite'

/** What a guide works with: the platform, the user, the store. */
export interface SetupWorld {
  readonly io: PlatformIo
  /** The stored credentials of this channel, unparsed; `null`: none. */
  readonly stored: Readonly<Record<string, unknown>> | null
  /** The platform has rejected the stored credentials. */
  readonly isRejected: boolean
  /** The last progress of this setup that was kept before the process restarted; `null`: it just began. */
  readonly resumed: unknown
  /**
   * Keeps what the guide needs to go on after a restart, sealed, until the setup ends. Call it before a code is shown.
   * @param progress JSON. @param expiresAtMs When it's of no use any more, milliseconds since the Unix epoch.
   */
  keep(progress: unknown, expiresAtMs: number): Promise<void>
  /** Shows a step; it replaces the previous one. */
  show(step: SetupStep): void
  /** Asks the user for values and waits for them. */
  ask(question: SetupQuestion, signal: AbortSignal): Promise<Readonly<Record<string, string>>>
  /**
   * Saves credentials like `POST /api/channels/<platform>`: validated, stored, applied. `firstUser` becomes the first of
   * `allowed_users` when that list is empty.
   * @throws {ChannelError} `credentials_invalid`, `credentials_rejected`, `platform_unreachable`, …
   */
  save(
    fields: Readonly<Record<string, unknown>>,
    firstUser?: { readonly id: string; readonly name?: string },
  ): Promise<void>
}

/** A step of a setup, as shown to the user. */
export interface SetupStep {
  /** `waiting`: for a scan or click. `scanned`: for confirmation on the phone. `watching`: for the bot to be invited. */
  readonly state: 'waiting' | 'scanned' | 'watching'
  /** URL to scan or open. */
  readonly url?: string
  /** True: scan `url` with the platform's app. False: open it as a page. */
  readonly scannable?: boolean
  /** When `url` expires, milliseconds since the Unix epoch. */
  readonly expiresAtMs?: number
  /** A sentence for the user. */
  readonly message: string
  /** Machine-readable results, e.g. `guild_id`. */
  readonly facts?: Readonly<Record<string, string | number>>
}

/** Values that a setup asks for. */
export interface SetupQuestion {
  /** A sentence for the user. */
  readonly message: string
  readonly fields: readonly SetupField[]
  /** A page that goes with the question. */
  readonly url?: string
}

/** One value that a setup asks for. */
export interface SetupField {
  /** E.g. `bot_token`, `verify_code`. */
  readonly name: string
  readonly label: string
  /** Hide the value while it is typed. */
  readonly secret: boolean
}

/** How a setup can fail, with the message for the user. */
export const SETUP_FAILURES = {
  expired: 'The code has expired. Start over.',
  refused: 'The request was declined on the phone. Start over.',
  /** The confirmation belongs to an earlier sign-in. */
  stale_session: 'The platform reported an earlier sign-in instead of this one. Start over with a new code.',
  already_bound: 'This account is already connected. Its credentials are unchanged.',
  code_blocked: 'Too many wrong numbers. Start over with a new code.',
  unreachable: "Couldn't reach the platform. Check the network, then try again.",
  not_available: "This setup method isn't available for this account. Use another one.",
} as const satisfies Record<string, string>
type SetupFailureCode = keyof typeof SETUP_FAILURES

/** A setup that failed. `message` is shown to the user and contains no secret. */
export class SetupFailure extends Error {
  override readonly name = 'SetupFailure'
  readonly code: SetupFailureCode
  constructor(code: SetupFailureCode, message: string = SETUP_FAILURES[code], options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/**
 * State of a setup. `starting`: contacting the platform. `waiting`: for a scan. `scanned`: for confirmation on the phone.
 * `input_needed`: for values of `fields`. `working`: checking the values. `watching`: for an invitation.
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

/** A setup as `POST` and `GET /api/channels/{platform}/setup` return it. */
export interface SetupView {
  readonly id: string
  readonly platform: PlatformId
  readonly kind: SetupKind
  readonly title: string
  readonly instructions: readonly string[]
  readonly state: SetupState
  /** Increases with every change. */
  readonly version: number
  /** Current step, as a sentence for the user. */
  readonly message: string
  /** URL to scan or open. */
  readonly url?: string
  /** `url` as a QR code (SVG), only when it is to be scanned. */
  readonly qr?: string
  /** Number of QR codes shown so far; above 1, the first has expired. */
  readonly codes: number
  /** Start time, milliseconds since the Unix epoch. */
  readonly started_at: number
  /** When `url` expires, milliseconds since the Unix epoch; `null`: unknown. */
  readonly expires_at: number | null
  /** Requested values, while `input_needed`. */
  readonly fields: readonly SetupField[]
  readonly saved: boolean
  /** Machine-readable results, e.g. `guild_id`. */
  readonly facts: Readonly<Record<string, string | number>>
  /** Who confirmed it, where the platform reports it. */
  readonly first_user: { readonly id: string; readonly name: string | null } | null
  /** Stable code of the failure. */
  readonly error: string | null
}

/** A setup method of a platform. */
export interface SetupWay {
  readonly kind: SetupKind
  readonly title: string
  readonly instructions: readonly string[]
}

/** Well within the capacity of a QR code that scans from a screen, in bytes. */
const MAX_BYTES = 2_000
/** In a terminal, white space and control characters would act as line breaks and commands. */
const UNPRINTABLE = /[\s\p{C}]/u

/**
 * Returns the step if its URL is safe to show, wherever it came from.
 * @throws {SetupFailure} `unreachable` when it is not an http or https URL that fits in a QR code
 */
export function requireShowableStep(step: SetupStep): SetupStep {
  if (step.url === undefined || isShowable(step.url)) return step
  throw new SetupFailure('unreachable', 'The platform returned an invalid URL.')
}

function isShowable(url: string): boolean {
  if (Buffer.byteLength(url) > MAX_BYTES || UNPRINTABLE.test(url)) return false
  return /^https?:$/.test(URL.parse(url)?.protocol ?? '')
}
