import { withAccountChecks } from './account-checks.ts'
import { type InvitationParts, invitationRoutes } from './invitation-routes.ts'
import { type ClientParts, clientRoutes } from './client-routes.ts'
import { peopleRoutes, type PeopleParts } from './people-routes.ts'
import { type SocialAppParts, socialAppRoutes } from './social-app-routes.ts'
import { tokenRoutes } from './token-routes.ts'
import type { Tokens } from './tokens.ts'
import { type DemoParts, demoRoutes } from '../demo/demo-routes.ts'
import type { AssistantDesk } from '../assistant/assistant-desk.ts'
import { assistantRoutes } from '../assistant/assistant-routes.ts'
import type { LogPages } from '../log/log-pages.ts'
import { logRoutes } from '../log/log-routes.ts'
import { type GatewayRoute, perAccount } from '../server/gateway-route.ts'
import { type ServiceFacts, serviceRoutes } from '../service/service-routes.ts'
import type { Core } from '@gatepost/auth'
import { type Channels, channelRoutes } from '@gatepost/channels'

/** What the routes of the gateway call. */
export interface RouteParts extends InvitationParts, PeopleParts, SocialAppParts, ClientParts, DemoParts {
  readonly core: Core
  readonly channels: Channels
  readonly tokens: Tokens
  readonly service: ServiceFacts
  readonly assistant: AssistantDesk
  readonly logs: LogPages
}

/** Every route of the API, as data. */
export const gatewayRoutes = (parts: RouteParts): readonly GatewayRoute[] => [
  ...channelRoutes(parts.channels).map((route) => withAccountChecks(perAccount(route), parts)),
  ...tokenRoutes(parts.tokens),
  ...invitationRoutes(parts),
  ...peopleRoutes(parts),
  ...(parts.core.settings.socialaccount.enabled ? socialAppRoutes(parts) : []),
  ...(parts.core.settings.idpOidc.enabled ? clientRoutes(parts) : []),
  ...serviceRoutes(parts.service),
  ...assistantRoutes(parts.assistant),
  ...logRoutes(parts.logs),
  ...demoRoutes(parts),
]
