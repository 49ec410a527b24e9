import type { HostedAuth } from '@gatepost/auth'
import { channelRoutes, type Channels, type Diagnosis, type DoctorReport } from '@gatepost/channels'
import type { AssistantDesk } from '../assistant/assistant-desk.ts'
import { assistantRoutes } from '../assistant/assistant-routes.ts'
import { type DemoParts, demoRoutes } from '../demo/demo-routes.ts'
import type { KeyRotation } from '../keys/key-rotation.ts'
import { keyRoutes } from '../keys/key-routes.ts'
import type { LogPages } from '../log/log-pages.ts'
import { logRoutes } from '../log/log-routes.ts'
import { type GatewayAnswer, type GatewayRoute, perAccount } from '../server/gateway-route.ts'
import { type ServiceFacts, serviceRoutes } from '../service/service-routes.ts'
import { type ClientParts, clientRoutes } from './oauth/client-routes.ts'
import { type InvitationParts, invitationRoutes } from './invitations/invitation-routes.ts'
import { type PeopleParts, peopleRoutes } from './account-routes.ts'
import type { SecondFactors } from './second-factors.ts'
import { type SocialAppParts, socialAppRoutes } from './oauth/social-login-routes.ts'
import { tokenRoutes } from './tokens/token-routes.ts'
import type { Tokens } from './tokens/tokens.ts'

/** Dependencies of the gateway's routes. */
export interface RouteParts extends InvitationParts, PeopleParts, SocialAppParts, ClientParts, DemoParts {
  readonly auth: HostedAuth
  readonly channels: Channels
  readonly tokens: Tokens
  readonly service: ServiceFacts
  readonly assistant: AssistantDesk
  readonly keyRotation: KeyRotation
  readonly logs: LogPages
}

/** Returns all routes of the API. */
export const gatewayRoutes = (parts: RouteParts): readonly GatewayRoute[] => [
  ...channelRoutes(parts.channels).map((route) => withAccountChecks(perAccount(route), parts)),
  ...tokenRoutes(parts.tokens),
  ...invitationRoutes(parts),
  ...peopleRoutes(parts),
  ...(parts.auth.kernel.settings.socialaccount.enabled ? socialAppRoutes(parts) : []),
  ...(parts.auth.kernel.settings.idpOidc.enabled ? clientRoutes(parts) : []),
  ...serviceRoutes(parts.service),
  ...assistantRoutes(parts.assistant),
  ...keyRoutes(parts.keyRotation),
  ...logRoutes(parts.logs),
  ...demoRoutes(parts),
]

/** Dependencies of the account checks. */
interface AccountCheckParts {
  readonly auth: HostedAuth
  readonly factors: Pick<SecondFactors, 'isMissing'>
}

/** Adds the account checks to the doctor's report, for callers who can see all accounts. */
function withAccountChecks(route: GatewayRoute, parts: AccountCheckParts): GatewayRoute {
  if (route.id !== 'diagnose') return route
  return {
    ...route,
    async handle(request): Promise<GatewayAnswer> {
      const answer = await route.handle(request)
      const isStaff = request.caller.isStaff && request.caller.scopes.has('admin')
      if (!isStaff || !('body' in answer)) return answer
      const report = answer.body as DoctorReport // as described by the route's schema
      const [service, ...others] = report.sections
      const accounts = { platform: null, subject: 'accounts', title: 'Accounts', checks: await accountChecks(parts) }
      return { ...answer, body: { ...report, sections: [...(service ? [service] : []), accounts, ...others] } }
    },
  }
}

const accountChecks = async (parts: AccountCheckParts): Promise<readonly Diagnosis[]> => [
  mailCheck(parts.auth),
  await factorCheck(parts),
]

function mailCheck({ kernel: { settings } }: HostedAuth): Diagnosis {
  const check = { id: 'mail', title: 'Mail' } as const
  const backend = typeof settings.emailBackend === 'string' ? settings.emailBackend : 'host'
  const remedy = 'Set EMAIL_HOST to a mail server.'
  if (backend === 'dummy' || backend === 'locmem')
    return { ...check, status: 'warn', detail: 'Mail is discarded.', finding: 'mail_discarded', values: {}, remedy }
  if (backend !== 'console')
    return {
      ...check,
      status: 'pass',
      detail: `sent through ${backend}`,
      finding: 'mail_sent',
      values: { backend },
    }
  const detail = 'Mail is only printed to the terminal of the server.'
  return {
    ...check,
    status: 'warn',
    detail,
    finding: 'mail_printed',
    values: {},
    remedy,
  }
}

const PAGE = 500
/** Maximum number of users to check. */
const LOOKED_AT_MAX = 10_000

async function factorCheck({ auth, factors }: AccountCheckParts): Promise<Diagnosis> {
  const check = { id: 'staff_second_factor', title: 'Staff' } as const
  const lacking: string[] = []
  let after: Parameters<HostedAuth['kernel']['users']['list']>[1]['after'] = null
  for (let seen = 0; seen < LOOKED_AT_MAX; seen += PAGE) {
    const users = await auth.kernel.users.list(auth.kernel.database.db, { limit: PAGE, after })
    for (const user of users)
      if (user.isActive && (await factors.isMissing(user))) lacking.push(user.email || user.username)
    after = users.at(-1)?.id ?? null
    if (users.length < PAGE) break
  }
  if (lacking.length === 0)
    return {
      ...check,
      status: 'pass',
      detail: 'No staff member lacks a required second factor.',
      finding: 'staff_complete',
      values: {},
    }
  const names =
    lacking.length > 5 ? `${lacking.slice(0, 5).join(', ')} and ${lacking.length - 5} more` : lacking.join(', ')
  const detail = `Without staff permissions until they set up a second factor: ${names}.`
  return {
    ...check,
    status: 'warn',
    detail,
    finding: 'staff_incomplete',
    values: { names },
    remedy: 'Ask them to sign in and set one up at /accounts/2fa/.',
  }
}
