import type { PlatformId } from '../platform-names.ts'
import type { SetupField, SetupKind } from './guide.ts'

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
