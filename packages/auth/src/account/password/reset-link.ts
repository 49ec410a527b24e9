import type { Core } from '../../core.ts'
import { createResetKey, isResetKey, type ResetKeySubject, userOfResetKey } from '../../kernel/crypto/reset-key.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { User } from '../../kernel/users/user.ts'
import { storedAddress } from '../login/stored-address.ts'

/** Mails a link to choose a new password, to the address as it is stored. */
export async function mailResetLink(core: Core, request: Visit, user: User, typed: string): Promise<void> {
  const email = await storedAddress(core, request, user, typed)
  if (email === null) return
  const subject = await subjectOf(core, request, user)
  const { idType } = core.settings.userTable
  const key = createResetKey(core.signer, subject, idType, request.nowMs)
  const [uid, token] = partsOf(key)
  const isNamed = core.settings.account.loginMethods.includes('username')
  await core.adapter.sendPasswordResetMail(request, user, email, {
    user,
    password_reset_url: core.adapter.getResetPasswordFromKeyUrl(request, key),
    uid,
    key: token,
    ...(isNamed ? { username: user.username } : {}),
  })
}

/** The active user of a key that is neither used, nor too old, nor changed; else `null`. */
export async function userWithKey(core: Core, request: Visit, key: string): Promise<User | null> {
  const { idType } = core.settings.userTable
  const id = userOfResetKey(key, idType)
  const user = id === null ? null : await core.users.byId(request.db, id)
  if (user === null || !user.isActive) return null
  const subject = await subjectOf(core, request, user)
  const limits = { nowMs: request.nowMs, maxAgeSeconds: core.settings.passwordResetTimeout }
  return isResetKey(core.signer, key, subject, idType, limits) ? user : null
}

/** `{uid}` and the rest of a key; only the last two dashes divide. */
export function partsOf(key: string): readonly [uid: string, token: string] {
  const [, uid = '', token = ''] = /^(.*)-([^-]*-[^-]*)$/s.exec(key) ?? []
  return [uid, token]
}

async function subjectOf(core: Core, request: Visit, user: User): Promise<ResetKeySubject> {
  const rows = await core.emails.ofUser(request.db, user.id)
  // With the mirrored address, which may get its row at any time.
  const addresses = new Set([...rows.map(({ email }) => email), user.email.toLowerCase()])
  return {
    id: user.id,
    password: (await core.users.passwordOf(request.db, user.id)) ?? '',
    lastLoginMs: user.lastLoginMs,
    email: user.email,
    addresses: [...addresses],
  }
}
