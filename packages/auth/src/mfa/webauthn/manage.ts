import type { Mfa } from '../second-factors.ts'
import { AuthError } from '../../errors.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { User } from '../../kernel/users/user.ts'
import { announceRemoved, removeAuthenticators } from '../changes.ts'
import type { Authenticator } from '../mfa.ts'
import { cleanName } from './name.ts'
import { keysOf } from './options.ts'

/** `rename` of the flow. @throws {AuthError} `not_found`: it was removed meanwhile */
export async function renameKey(
  mfa: Mfa,
  request: Visit,
  user: User,
  { id }: Authenticator,
  given: string,
): Promise<Authenticator> {
  const name = cleanName(mfa.account, given)
  return request.transaction(async () => {
    await mfa.authenticators.claim(request.db, user.id)
    const present = (await keysOf(mfa, request, user)).find((row) => row.id === id)
    const changes = present && { data: { ...present.data, name } }
    const renamed = changes && (await mfa.authenticators.update(request.db, id, changes))
    if (!renamed) throw new AuthError('not_found')
    return renamed
  })
}

/** `remove` of the flow. Keys that are gone already are passed over. */
export async function removeKeys(mfa: Mfa, request: Visit, user: User, list: readonly Authenticator[]): Promise<void> {
  await request.transaction(async () => {
    await mfa.authenticators.claim(request.db, user.id)
    const present = (await keysOf(mfa, request, user)).filter(({ id }) => list.some((given) => given.id === id))
    if (present.length === 0) return
    await removeAuthenticators(mfa, request, user, present)
    await announceRemoved(mfa, request, user, 'webauthn_removed')
  })
}
