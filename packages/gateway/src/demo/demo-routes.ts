import { optionsOf } from './demo-operations.ts'
import { DEMO_OPERATIONS, type RunningDemo } from './demo.ts'
import { demoEvent, demoShape } from './demo-shapes.ts'
import { GatewayError } from '../server/errors.ts'
import { accountRoute, answers, type GatewayRoute, ok } from '../server/gateway-route.ts'
import { z } from 'zod'

/** What the routes of the demo call. */
export interface DemoParts {
  /** `null`: this is no demo. */
  readonly demo: RunningDemo | null
  /**
   * Starts a demo beside this service, or names the one that runs. `null`: it cannot be started from here.
   * @throws {GatewayError} `demo_failed`
   */
  readonly startDemo: (() => Promise<{ readonly url: string }>) | null
}

const actBody = z.looseObject({}).meta({ description: 'The options of the operation', examples: [{ act: 'confirm' }] })

/** `/api/demo` */
export const demoRoutes = (parts: DemoParts): readonly GatewayRoute[] =>
  [startRoute(parts), ...runningRoutes(parts)].map((route) => ({ ...route, tag: 'demo' as const }))

const startRoute = ({ startDemo }: DemoParts): GatewayRoute =>
  accountRoute({
    method: 'POST',
    path: '/api/demo',
    id: 'startDemo',
    scope: 'admin',
    summary: 'Start a demo beside this service, with data of its own; it ends with the service',
    answers: answers('Its link, which signs a visitor in', z.strictObject({ url: z.string() })),
    errors: ['demo_not_here', 'demo_failed'],
    waits: true,
    async handle() {
      if (startDemo === null) throw new GatewayError('demo_not_here')
      return ok(await startDemo())
    },
  })

const runningRoutes = ({ demo }: DemoParts): readonly GatewayRoute[] => [
  accountRoute({
    method: 'GET',
    path: '/api/demo',
    id: 'getDemo',
    scope: 'channels:read',
    summary: 'The emulated platforms of a demo, and who writes there',
    answers: answers('What a visitor can do', demoShape),
    errors: ['no_demo'],
    async handle() {
      const { platforms, people, group } = running(demo)
      return ok({ running: true, platforms, people, group })
    },
  }),
  accountRoute({
    method: 'POST',
    path: '/api/demo/{platform}/{operation}',
    id: 'actInDemo',
    scope: 'channels:write',
    summary: 'Do something on an emulated platform, as a person there or to the platform itself',
    body: { schema: actBody },
    answers: answers('What the operation gives', z.strictObject({ result: z.unknown() })),
    errors: ['no_demo', 'unknown_platform', 'not_found', 'demo_refused'],
    async handle({ params, body }) {
      const { act } = running(demo)
      const operation = DEMO_OPERATIONS.find((name) => name === params['operation'])
      if (operation === undefined) throw new GatewayError('not_found')
      return ok({ result: (await act(params['platform'] ?? '', operation, optionsOf(operation, body))) ?? null })
    },
  }),
  accountRoute({
    method: 'GET',
    path: '/api/demo/stream',
    id: 'streamDemo',
    scope: 'channels:read',
    summary: 'The emulated chats as people see them: all at first, then what changes, as server-sent events',
    stream: true,
    answers: answers('One event: `event:` is its type, `data:` the whole of it as JSON', demoEvent),
    errors: ['no_demo'],
    handle: async ({ signal }) => ({ events: running(demo).events(signal) }),
  }),
]

function running(demo: RunningDemo | null): RunningDemo {
  if (demo === null) throw new GatewayError('no_demo')
  return demo
}
