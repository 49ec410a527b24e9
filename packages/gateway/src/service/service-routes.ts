import { ASSISTANT_KINDS, type AssistantKind } from '../assistant/assistant-desk.ts'
import { answers, type GatewayRoute, ok, serviceRoute } from '../server/gateway-route.ts'
import { z } from 'zod'

/** Facts about the service. */
export interface ServiceFacts {
  readonly version: string
  /** `null`: reached directly. */
  readonly publicUrl: string | null
  readonly database: 'sqlite' | 'postgresql'
  readonly isDemo: boolean
  /** Whether staff can start a separate demo. */
  readonly canStartDemo: boolean
  readonly isSecondFactorRequired: boolean
  nowMs(): number
  assistantKind(): Promise<AssistantKind>
}

const serviceShape = z
  .strictObject({
    version: z.string(),
    public_url: z.string().nullable().describe('null: only reachable on this machine'),
    database: z.enum(['sqlite', 'postgresql']),
    now: z.int().describe('Time of the service, milliseconds since the Unix epoch'),
    demo: z.boolean().describe('Whether the platforms of this service are emulated'),
    can_start_demo: z.boolean().describe('Whether the caller can start a separate demo'),
    assistant: z.strictObject({ kind: z.enum(ASSISTANT_KINDS) }),
    sign_in: z.strictObject({
      second_factor_required: z.boolean().describe('Whether staff permissions require a second factor'),
    }),
  })
  .meta({ id: 'Service', description: 'Facts about the service' })

/** Route `/api/service`. */
export const serviceRoutes = (service: ServiceFacts): readonly GatewayRoute[] => [
  serviceRoute({
    method: 'GET',
    path: '/api/service',
    id: 'getService',
    scope: 'account',
    summary: 'Version, address and rules of this service',
    answers: answers('The current state', serviceShape),
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
