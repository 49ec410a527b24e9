import type { Auth, PageRoute, User } from '@gatepost/auth'
import type { HostParts } from '@gatepost/auth/extend'
import { takeOwnerAccount } from './account-store.sql.ts'
import { isSameSecret } from './secret-text.ts'
import type { GatewayTables } from './schema.ts'
import type { Database } from '@gatepost/sql'

/** Route name of the page that signs demo visitors in. */
const DEMO_PAGE = 'gateway_demo'
/** Email address of the demo account; mail to it goes nowhere. */
const EMAIL = 'demo@example.org'
const CONSOLE = '/console/demo'

/** Returns the path that signs a demo visitor in. */
export const demoPath = (auth: HostParts, key: string): string => auth.kernel.url(DEMO_PAGE, { key })

/** Creates the demo's only account, a staff account that owns the owner token's channels. */
export async function ensureVisitor(auth: Auth, database: Database<GatewayTables>): Promise<void> {
  if ((await auth.accounts.byEmail(EMAIL)).length > 0) return
  const { id } = await auth.accounts.create({ email: EMAIL, username: 'demo', verified: true, isStaff: true })
  await takeOwnerAccount(database.db, String(id))
}

/**
 * Page `/demo/{key}`: signs in anyone with the link while the demo runs. A demo only listens on this machine; the key
 * keeps out other users and pages on it.
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
