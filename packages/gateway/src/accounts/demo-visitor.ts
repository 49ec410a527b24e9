import type { Auth, HostParts, PageRoute, User } from '@gatepost/auth'
import { takeOwnerAccount } from './account-store.sql.ts'
import { isSameSecret } from './secret-text.ts'
import type { GatewayTables } from './schema.ts'
import type { Database } from '@gatepost/sql'

/** Reverse name of the page that signs a visitor of a demo in. */
const DEMO_PAGE = 'gateway_demo'
/** Nobody reads mail there. */
const EMAIL = 'demo@example.org'
const CONSOLE = '/console/demo'

/** Path of the link that signs a visitor in. */
export const demoPath = (auth: HostParts, key: string): string => auth.kernel.url(DEMO_PAGE, { key })

/** Makes the one account of a demo, which is of staff and has the bots of the owner token. */
export async function ensureVisitor(auth: Auth, database: Database<GatewayTables>): Promise<void> {
  if ((await auth.accounts.byEmail(EMAIL)).length > 0) return
  const { id } = await auth.accounts.create({ email: EMAIL, username: 'demo', verified: true, isStaff: true })
  await takeOwnerAccount(database.db, String(id))
}

/**
 * `/demo/{key}`: signs whoever has the link in, as often as they like while the demo runs. A demo listens on this
 * machine alone, so nobody else can open it; the key keeps other users and pages of this machine out.
 */
export const demoPage = (auth: HostParts, key: string): PageRoute => ({
  name: DEMO_PAGE,
  path: '/demo/{key}',
  access: 'anon',
  withoutPages: true,
  async GET(request, { key: given = '' }) {
    if (!isSameSecret(given, key)) return { kind: 'page', template: 'gateway/demo_over', context: {}, status: 404 }
    if (request.user !== null) return { kind: 'redirect', to: CONSOLE }
    const user = await visitor(auth)
    const login = { user, email: EMAIL, emailVerification: 'none', redirectUrl: CONSOLE } as const
    const outcome = await auth.account.login.begin(request, login)
    return outcome.kind === 'response'
      ? { kind: 'response', response: outcome.response }
      : { kind: 'redirect', to: outcome.redirectTo }
  },
})

async function visitor(auth: HostParts): Promise<User | null> {
  const [user = null] = await auth.kernel.users.byEmail(auth.kernel.database.db, EMAIL, {
    preferVerified: true,
    activeOnly: true,
  })
  return user
}
