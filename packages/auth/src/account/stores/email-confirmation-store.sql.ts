import { isStorable } from '../../kernel/users/fold-case.sql.ts'
import { parseNullableTime, timeText } from '../../kernel/schema/values.ts'
import { userRows } from '../../kernel/users/user-rows.sql.ts'
import type { EmailConfirmationStore } from '../email-address.ts'
import { type EmailStoreParts, readAddress } from './email-address-store.sql.ts'

/** Port: `EmailConfirmationStore`. Keys are kept as the old site keeps them, in lower case. */
export function sqlEmailConfirmationStore({ database, settings }: EmailStoreParts): EmailConfirmationStore {
  const { dialect } = database
  const rows = userRows(settings.userTable, dialect)
  return {
    async insert(db, emailAddressId, key, nowMs) {
      const now = timeText(nowMs, dialect)
      const row = { email_address_id: emailAddressId, key: key.toLowerCase(), created: now, sent: now }
      await db.insertInto('account_emailconfirmation').values(row).execute()
    },
    async find(db, key, sentAfterMs) {
      if (!isStorable(key)) return null
      const row = await db
        .selectFrom('account_emailconfirmation as c')
        .innerJoin('account_emailaddress as e', 'e.id', 'c.email_address_id')
        .select(['e.id', 'e.user_id', 'e.email', 'e.verified', 'e.primary', 'c.sent'])
        .where('c.key', '=', key.toLowerCase())
        .executeTakeFirst()
      if (row === undefined) return null
      const sentMs = parseNullableTime(row.sent)
      return sentMs !== null && sentMs > sentAfterMs ? readAddress(rows, row) : null
    },
    async removeOlder(db, sentBeforeMs) {
      await db.deleteFrom('account_emailconfirmation').where('sent', '<', timeText(sentBeforeMs, dialect)).execute()
    },
  }
}
