import { nullOnUniqueViolation } from '../../kernel/schema/in-transaction.sql.ts'
import { isStorable } from '../../kernel/users/fold-case.sql.ts'
import { userRows } from '../../kernel/users/user-rows.sql.ts'
import type { PhoneStore } from '../email-address.ts'
import type { EmailStoreParts } from './email-address-store.sql.ts'

/** Port: `PhoneStore`. An index lets only one user have a phone verified. */
export function sqlPhoneStore({ database, settings }: EmailStoreParts): PhoneStore {
  const rows = userRows(settings.userTable, database.dialect)
  return {
    async ofUser(db, userId) {
      const query = db.selectFrom('gatepost_phone').select(['phone', 'verified'])
      const row = await query.where('user_id', '=', rows.keyText(userId)).executeTakeFirst()
      return row === undefined ? null : { phone: row.phone, verified: row.verified === 1 }
    },
    async owner(db, phone) {
      if (!isStorable(phone)) return null
      const query = db.selectFrom('gatepost_phone').select('user_id').where('phone', '=', phone)
      const row = await query.orderBy('verified', 'desc').orderBy('user_id').executeTakeFirst()
      return row === undefined ? null : rows.parseId(row.user_id)
    },
    async set(db, userId, phone, verified) {
      const values = { phone, verified: verified ? 1 : 0 }
      const query = db
        .insertInto('gatepost_phone')
        .values({ user_id: rows.keyText(userId), ...values })
        .onConflict((conflict) => conflict.column('user_id').doUpdateSet(values))
      if (!verified) {
        const owners = db
          .selectFrom('gatepost_phone')
          .select('user_id')
          .where('phone', '=', phone)
          .where('verified', '=', 1)
        const owner = await owners.executeTakeFirst()
        if (owner !== undefined && owner.user_id !== rows.keyText(userId)) return false
      }
      return (await nullOnUniqueViolation(db, async () => query.execute())) !== null
    },
  }
}
