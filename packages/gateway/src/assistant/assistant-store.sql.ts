import type { GatewayDb } from '../accounts/database.ts'
import type { GatewayTables } from '../accounts/tables.ts'

/** What is stored of the assistant: one row, or none. */
export type AssistantRow = Readonly<Omit<GatewayTables['gateway_assistant'], 'id'>>

const ID = 'assistant'

/** The row as it is now. */
export async function readAssistant(db: GatewayDb): Promise<AssistantRow | null> {
  const row = await db
    .selectFrom('gateway_assistant')
    .select(['version', 'sealed', 'changed_at_ms'])
    .where('id', '=', ID)
    .executeTakeFirst()
  return row ?? null
}

/** Stores the row in place of the one of version `before`, `null`: of none. `false`: somebody was faster. */
export async function writeAssistant(db: GatewayDb, before: string | null, row: AssistantRow): Promise<boolean> {
  if (before === null) {
    const added = await db
      .insertInto('gateway_assistant')
      .values({ id: ID, ...row })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst()
    return (added.numInsertedOrUpdatedRows ?? 0n) > 0n
  }
  const changed = await db
    .updateTable('gateway_assistant')
    .set(row)
    .where('id', '=', ID)
    .where('version', '=', before)
    .executeTakeFirst()
  return changed.numUpdatedRows > 0n
}

/** Forgets it. */
export async function removeAssistant(db: GatewayDb): Promise<void> {
  await db.deleteFrom('gateway_assistant').where('id', '=', ID).execute()
}
