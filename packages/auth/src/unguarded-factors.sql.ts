import type { Database } from '@gatepost/sql'
import { AuthError } from './errors.ts'
import type { AuthTables } from './kernel/schema/tables.ts'
import type { AuthSettings } from './kernel/settings/settings.ts'

/**
 * Refuses to start a site on which a password alone would sign in users who have a second factor: the MFA module is off,
 * but the database has authenticators. Recovery codes alone don't count, nor does a site that has no password logins
 * (SOCIALACCOUNT_ONLY).
 * @throws {AuthError} `settings_invalid`
 */
export async function refuseUnguardedFactors(
  { mfa, socialaccount }: AuthSettings,
  { db }: Database<AuthTables>,
): Promise<void> {
  if (mfa.enabled || socialaccount.only) return
  const found = await db
    .selectFrom('mfa_authenticator')
    .select(({ fn }) => fn.count<number | string>('user_id').distinct().as('users'))
    .where('type', '!=', 'recovery_codes')
    .executeTakeFirstOrThrow()
  const users = Number(found.users)
  if (users === 0) return
  const who = users === 1 ? 'A user of this database has' : `${users} users of this database have`
  throw new AuthError('settings_invalid', {
    message:
      `${who} a second factor, but MFA_ENABLED is off, so a password alone would sign them in. Set MFA_ENABLED to true, ` +
      'or delete the rows of mfa_authenticator to give up these second factors.',
  })
}
