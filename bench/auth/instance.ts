import { type Auth, type AuthSettingsInput, type AuthTables, createAuth } from '@gatepost/auth'
import { openDatabase } from '@gatepost/sql'
import { SECRET_KEY } from './secret-key.ts'

/** Where it believes to be. */
export const ORIGIN = 'http://127.0.0.1'

/** The package in this process, on a SQLite file of its own. */
export async function instanceOn(
  file: string,
  settings: AuthSettingsInput,
): Promise<{ readonly auth: Auth; close(): Promise<void> }> {
  const database = await openDatabase<AuthTables>({ file })
  const auth = await createAuth({
    database,
    secretKey: SECRET_KEY,
    origin: ORIGIN,
    settings: { development: true, ...settings },
    mail: { send: async () => {} },
  })
  return {
    auth,
    async close() {
      await auth.close()
      await database.close()
    },
  }
}
