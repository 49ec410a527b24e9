import { type TestDatabase, testDatabases } from '@gatepost/sql/testing'
import { type Auth, createAuth } from '../auth.ts'
import type { LogFields } from '../kernel/io.ts'
import type { MailMessage } from '../kernel/mail/mail.ts'
import type { AuthOptions } from '../options.ts'
import type { AuthTables } from '../kernel/schema/tables.ts'
import type { NewUser, User } from '../kernel/users/user.ts'
import { preparedFor } from './prepared-accounts.ts'
import { checkAnswer } from './checked-answer.ts'
import { type ManualClock, manualClock } from './clock.ts'
import type { ApiClient } from '../kernel/operations/declaration.ts'
import { type ApiVisitor, apiVisitor } from './api-visitor.ts'
import { quickenPasswords } from './quick-passwords.ts'
import { type Visitor, visitor } from './visitor.ts'

/** A complete instance with its own database. The test controls its clock, mail, and log. */
export interface AuthWorld {
  readonly auth: Auth
  readonly clock: ManualClock
  /** The logged warnings and errors. */
  readonly logged: readonly { readonly level: string; readonly message: string; readonly fields: LogFields }[]
  /** Creates a browser with its own cookies. */
  visitor(options?: { readonly ip?: string; readonly language?: string; readonly userAgent?: string }): Visitor
  /**
   * Creates a client of the JSON API with its own cookies or session token. The API must be on (`headless.enabled`).
   */
  api(
    client: ApiClient,
    options?: { readonly ip?: string; readonly language?: string; readonly userAgent?: string },
  ): ApiVisitor
  /** Resolves to all mail so far, after the queue has been sent. */
  mails(): Promise<readonly MailMessage[]>
  /** Resolves to the latest mail to `to`. @throws {Error} if there is none */
  mailTo(to: string): Promise<MailMessage>
  /** Adds a user. Their email address is verified unless `verified` is `false`. */
  addUser(user: NewUser & { readonly password?: string; readonly verified?: boolean }): Promise<User>
  close(): Promise<void>
}

export const ORIGIN = 'http://auth.test'
const TEST_SECRET_KEY = 'a made-up key that only tests use, long enough'

type OpenDatabase = (typeof testDatabases)[number][1]
type Options = Omit<Partial<AuthOptions<AuthTables>>, 'database' | 'clock' | 'mail' | 'log'>

/** Creates a world. @param open One of `testDatabases`; default: SQLite. Cookies work over HTTP, as in development. */
export async function authWorld(options: Options = {}, open?: OpenDatabase): Promise<AuthWorld> {
  const clock = manualClock()
  const settings = { development: true, siteName: 'Example', ...options.settings }
  const db = await (open ?? sqlite())<AuthTables>(preparedFor(settings, clock.now()))
  const sent: MailMessage[] = []
  const logged: { level: string; message: string; fields: LogFields }[] = []
  const line =
    (level: string) =>
    (message: string, fields: LogFields = {}) =>
      void logged.push({ level, message, fields })
  const auth = await createAuth({
    secretKey: TEST_SECRET_KEY,
    origin: ORIGIN,
    ...options,
    settings,
    database: db.database,
    clock,
    mail: { send: async (message) => void sent.push(message) },
    log: { debug: () => {}, info: () => {}, warn: line('warn'), error: line('error') },
  })
  quickenPasswords(auth, options.isBreached)
  const mails = async (): Promise<readonly MailMessage[]> => {
    await emptyDatabase(db)
    return sent
  }
  return {
    auth,
    clock,
    logged,
    visitor: (as = {}) => visitor(auth, ORIGIN, as),
    api: (client, as) => apiVisitor(auth, ORIGIN, client, as, (answer) => checkAnswer(auth, answer)),
    mails,
    async mailTo(to) {
      const mail = (await mails()).findLast((message) => message.to === to)
      if (mail === undefined) throw new Error(`no mail to ${to}`)
      return mail
    },
    addUser: (user) => addUser(auth, user),
    async close() {
      await auth.close()
      await db.close()
    },
  }
}

function sqlite(): OpenDatabase {
  const [first] = testDatabases
  if (first === undefined) throw new Error('no test database')
  return first[1]
}

async function emptyDatabase(db: TestDatabase<AuthTables>): Promise<void> {
  for (;;) {
    const row = await db.database.db.selectFrom('gatepost_mail').select('id').limit(1).executeTakeFirst()
    if (row === undefined) return
    await new Promise((resolve) => setImmediate(resolve))
  }
}

async function addUser(auth: Auth, user: NewUser & { password?: string; verified?: boolean }): Promise<User> {
  const { password, verified = true, ...fields } = user
  const encoded = password === undefined ? auth.kernel.passwords.unusable() : await auth.kernel.passwords.hash(password)
  return auth.kernel.database.transaction(async (tx) => {
    const stored = await auth.kernel.users.insert(tx, fields, encoded, auth.kernel.clock.now())
    if (stored.email !== '') {
      await auth.account.emails.insert(tx, { userId: stored.id, email: stored.email, verified, primary: true })
    }
    return stored
  })
}
