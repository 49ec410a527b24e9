import type { Kernel } from '../../kernel/kernel.ts'
import { parseNullableTime, timeText } from '../../kernel/schema/values.ts'
import type { AuthDb } from '../../kernel/users/user.ts'
import { openText, sealText } from '../apps/sealed-text.ts'
import type { SocialTokenStore } from '../social-accounts.ts'

const TABLE = 'socialaccount_socialtoken'

type Parts = Pick<Kernel, 'database' | 'sealer'>

/** Port: `SocialTokenStore`. Written in a transaction. */
export function sqlSocialTokenStore(parts: Parts): SocialTokenStore {
  return {
    async ofAccount(db, accountId) {
      const rows = await db
        .selectFrom(TABLE)
        .select(['token', 'token_secret', 'expires_at', 'app_id'])
        .where('account_id', '=', accountId)
        .orderBy('id')
        .execute()
      const { sealer } = parts
      return rows.map((row) => ({
        token: openText(sealer, row.token, 'provider token'),
        tokenSecret: openText(sealer, row.token_secret, 'provider token'),
        expiresAtMs: parseNullableTime(row.expires_at),
        appId: row.app_id,
      }))
    },
    async save(db, accountId, appId, { token, tokenSecret, expiresAtMs }) {
      const { sealer, database } = parts
      await lockAccount(parts, db, accountId)
      const secret = sealText(sealer, tokenSecret, 'provider token')
      const expires = expiresAtMs === null ? null : timeText(expiresAtMs, database.dialect)
      const changes = { token: sealText(sealer, token, 'provider token'), expires_at: expires }
      const updated = await db
        .updateTable(TABLE)
        .set(secret === '' ? changes : { ...changes, token_secret: secret })
        .where('account_id', '=', accountId)
        .where('app_id', appId === null ? 'is' : '=', appId)
        .returning('id')
        .execute()
      if (updated.length > 0) return
      const row = { ...changes, token_secret: secret, account_id: accountId, app_id: appId }
      await db.insertInto(TABLE).values(row).execute()
    },
  }
}

/** The unique constraint lets two rows without an app stand side by side: so one writes after the other. */
async function lockAccount({ database }: Parts, db: AuthDb, accountId: number): Promise<void> {
  if (database.dialect === 'sqlite') return
  await db.selectFrom('socialaccount_socialaccount').select('id').where('id', '=', accountId).forUpdate().execute()
}
