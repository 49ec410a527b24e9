import { ASSISTANT_KINDS, type AssistantKind } from '../assistant/assistant-desk.ts'
import { answers, type GatewayRoute, ok, serviceRoute } from '../server/gateway-route.ts'
import { z } from 'zod'

/** What the service says of itself. */
export interface ServiceFacts {
  readonly version: string
  /** `null`: reached directly. */
  readonly publicUrl: string | null
  readonly database: 'sqlite' | 'postgresql'
  readonly isDemo: boolean
  /** Whether staff can start a demo beside it. */
  readonly canStartDemo: boolean
  readonly isSecondFactorRequired: boolean
  nowMs(): number
  assistantKind(): Promise<AssistantKind>
}

const serviceShape = z
  .strictObject({
    version: z.string(),
    public_url: z.string().nullable().describe('null: reached directly, on this machine'),
    database: z.enum(['sqlite', 'postgresql']),
    now: z.int().describe('Time of the service, milliseconds since the Unix epoch'),
    demo: z.boolean().describe('The platforms of this service are stand-ins, for trying things out'),
    can_start_demo: z.boolean().describe('Whether the caller can start a demo beside this service'),
    assistant: z.strictObject({ kind: z.enum(ASSISTANT_KINDS) }),
    sign_in: z.strictObject({
      second_factor_required: z.boolean().describe('Staff without a second factor have no rights of staff'),
    }),
  })
  .meta({ id: 'Service', description: 'What the service says of itself' })

/** `/api/service` */
export const serviceRoutes = (service: ServiceFacts): readonly GatewayRoute[] => [
  serviceRoute({
    method: 'GET',
    path: '/api/service',
    id: 'getService',
    scope: 'account',
    summary: 'Version, address and rules of this service',
    answers: answers('As it is now', serviceShape),
    errors: [],
    handle: async ({ caller }) =>
      ok({
        version: service.version,
        public_url: service.publicUrl,
        database: service.database,
        now: service.nowMs(),
        demo: service.isDemo,
        can_start_demo: service.canStartDemo && caller.scopes.has('admin'),
        assistant: { kind: await service.assistantKind() },
        sign_in: { second_factor_required: service.isSecondFactorRequired },
      }),
  }),
]
