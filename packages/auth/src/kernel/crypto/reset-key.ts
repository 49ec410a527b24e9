import type { UserIdType } from '../settings/user-table.ts'
import { userIdFromText, userIdText, type UserId } from '../users/user.ts'
import { equalsConstantTime, type Signer } from './crypto.ts'

/** 2001-01-01T00:00:00Z, in seconds since the Unix epoch. */
const EPOCH_SECONDS = 978_307_200
const CLOCK_SKEW_SECONDS = 60
const SALT = 'gatepost.account.password_reset_key'

/** What a key is made from: when any of it changes, by a login, a new password or address, the key is dead. */
export interface ResetKeySubject {
  readonly id: UserId
  /** Encoded hash, as stored. */
  readonly password: string
  readonly lastLoginMs: number | null
  /** Mirrored e-mail. */
  readonly email: string
  /** All addresses, in any order. */
  readonly addresses: readonly string[]
}

/** `{uid}-{seconds since 2001, base36}-{32 hex digits}`: the key of a password reset link, of which nothing is stored. */
export function createResetKey(signer: Signer, subject: ResetKeySubject, idType: UserIdType, nowMs: number): string {
  const seconds = Math.floor(nowMs / 1000) - EPOCH_SECONDS
  const hash = shortenHash(signer.fingerprint(buildSignedContent(subject, seconds), SALT))
  return `${userIdText(subject.id, idType)}-${seconds.toString(36)}-${hash}`
}

/** Returns the user id in a key before anything is verified; `null` for a malformed key. */
export function readResetKeyUid(key: string, idType: UserIdType): UserId | null {
  const parts = parseResetKey(key)
  return parts && userIdFromText(parts.uid, idType)
}

/** Whether the key is the subject's, and neither too old nor from the future. */
export function isResetKey(
  signer: Signer,
  key: string,
  subject: ResetKeySubject,
  idType: UserIdType,
  limits: { readonly nowMs: number; readonly maxAgeSeconds: number },
): boolean {
  const parts = parseResetKey(key)
  if (!parts) return false
  const age = limits.nowMs / 1000 - EPOCH_SECONDS - parts.seconds
  if (age > limits.maxAgeSeconds || age < -CLOCK_SKEW_SECONDS) return false
  const start = `${userIdText(subject.id, idType)}-${parts.seconds.toString(36)}`
  const hashes = signer.fingerprints(buildSignedContent(subject, parts.seconds), SALT).map(shortenHash)
  return hashes.some((hash) => equalsConstantTime(`${start}-${hash}`, key))
}

/** Every second of 64 hex digits: 128 bits make a link that mail programs do not break. */
const shortenHash = (hex: string): string => hex.replaceAll(/(.)./g, '$1')

function parseResetKey(key: string): { uid: string; seconds: number; hash: string } | null {
  const [, uid, time, hash] = /^(.{1,255})-([0-9a-z]{1,8})-([0-9a-f]{32})$/s.exec(key) ?? []
  if (uid === undefined || time === undefined || hash === undefined) return null
  return { uid, seconds: Number.parseInt(time, 36), hash }
}

function buildSignedContent(subject: ResetKeySubject, seconds: number): string {
  const lastLogin = subject.lastLoginMs === null ? null : Math.floor(subject.lastLoginMs / 1000)
  const addresses = subject.addresses.toSorted((left, right) => (left < right ? -1 : 1))
  return JSON.stringify([subject.id, subject.password, lastLogin, seconds, subject.email, addresses])
}
