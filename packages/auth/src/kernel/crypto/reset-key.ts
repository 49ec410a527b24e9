import type { UserIdType } from '../settings/user-table.ts'
import { userIdFromText, userIdText, type UserId } from '../users/user.ts'
import { equalsConstantTime, type Signer } from './crypto.ts'

/** 2001-01-01T00:00:00Z, in seconds since the Unix epoch. */
const EPOCH_SECONDS = 978_307_200
const CLOCK_SKEW_SECONDS = 60
const SALT = 'gatepost.account.password_reset_key'

/**
 * The data that a password reset key is derived from. If any of it changes, by a login or a new password or email
 * address, the key becomes invalid.
 */
export interface ResetKeySubject {
  readonly id: UserId
  /** Encoded hash, as stored. */
  readonly password: string
  readonly lastLoginMs: number | null
  /** The user's `email`. */
  readonly email: string
  /** All email addresses, in any order. */
  readonly addresses: readonly string[]
}

/**
 * Creates the key of a password reset link: `{uid}-{seconds since 2001, base 36}-{32 hex digits}`. Nothing is stored.
 */
export function createResetKey(signer: Signer, subject: ResetKeySubject, idType: UserIdType, nowMs: number): string {
  const seconds = Math.floor(nowMs / 1000) - EPOCH_SECONDS
  const hash = shortenHash(signer.fingerprint(buildSignedContent(subject, seconds), SALT))
  return `${userIdText(subject.id, idType)}-${seconds.toString(36)}-${hash}`
}

/** Returns the user ID in an unverified key, or `null` if the key is malformed. */
export function readResetKeyUid(key: string, idType: UserIdType): UserId | null {
  const parts = parseResetKey(key)
  return parts && userIdFromText(parts.uid, idType)
}

/** Returns whether the key was created for the subject, and isn't too old or more than a minute in the future. */
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

/** Keeps every second of 64 hex digits: 128 bits, which keeps links short enough that mail clients don't break them. */
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
