import { createResetKey, isResetKey, readResetKeyUid, type ResetKeySubject } from '../../kernel/crypto/reset-key.ts'
import type { User } from '../../kernel/users/user.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { Account } from '../account.ts'
import { findStoredAddress } from '../login/code-delivery.ts'

/** Mails a password reset link to the user's stored address. */
export async function mailResetLink(account: Account, request: Visit, user: User, typed: string): Promise<void> {
  const email = await findStoredAddress(account, request, user, typed)
  if (email === null) return
  // Signed for the mailbox, so that the link proves which of the addresses its visitor has.
  const subject = { ...(await loadResetKeySubject(account, request, user)), email }
  const { idType } = account.kernel.settings.userTable
  const key = createResetKey(account.kernel.signer, subject, idType, request.nowMs)
  const [uid, token] = splitResetKey(key)
  const isNamed = account.kernel.settings.account.loginMethods.includes('username')
  await account.adapter.sendPasswordResetMail(request, user, email, {
    user,
    password_reset_url: account.adapter.getResetPasswordFromKeyUrl(request, key),
    uid,
    key: token,
    ...(isNamed ? { username: user.username } : {}),
  })
}

/** The active user of a reset key, and the address that it was mailed to. */
interface ResetKeyOwner {
  readonly user: User
  readonly mailbox: string
}

/** Returns the owner of a reset key, or `null` if the key is invalid, expired, or already used. */
export async function findResetKeyOwner(account: Account, request: Visit, key: string): Promise<ResetKeyOwner | null> {
  const { idType } = account.kernel.settings.userTable
  const id = readResetKeyUid(key, idType)
  const user = id === null ? null : await account.kernel.users.byId(request.db, id)
  if (user === null || !user.isActive) return null
  const subject = await loadResetKeySubject(account, request, user)
  const limits = { nowMs: request.nowMs, maxAgeSeconds: account.kernel.settings.passwordResetTimeout }
  const mailbox = [subject.email, ...subject.addresses].find((email) =>
    isResetKey(account.kernel.signer, key, { ...subject, email }, idType, limits),
  )
  return mailbox === undefined ? null : { user, mailbox }
}

/** Splits a key into `{uid}`, which can contain dashes, and the rest, which contains one. */
export function splitResetKey(key: string): readonly [uid: string, token: string] {
  const [, uid = '', token = ''] = /^(.*)-([^-]*-[^-]*)$/s.exec(key) ?? []
  return [uid, token]
}

async function loadResetKeySubject(account: Account, request: Visit, user: User): Promise<ResetKeySubject> {
  const rows = await account.emails.ofUser(request.db, user.id)
  // Includes the mirrored address, which can get a row at any time.
  const addresses = new Set([...rows.map(({ email }) => email), user.email.toLowerCase()])
  return {
    id: user.id,
    password: (await account.kernel.users.loadPasswordHash(request.db, user.id)) ?? '',
    lastLoginMs: user.lastLoginMs,
    email: user.email,
    addresses: [...addresses],
  }
}
