import { z } from 'zod'
import { GatewayError } from '../server/errors.ts'
import { gatewayRoute, answers, type GatewayRoute, ok } from '../server/gateway-route.ts'
import { parseInput } from '../server/request-body.ts'
import { demoBlock, DEMO_OPERATIONS, type DemoOperation, type DemoPlatform, type RunningDemo } from './demo.ts'

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
  gatewayRoute({
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
  gatewayRoute({
    method: 'GET',
    path: '/api/demo',
    id: 'getDemo',
    scope: 'channels:read',
    summary: 'The emulated platforms of a demo, and who writes there',
    answers: answers('What a visitor can do', demoShape),
    errors: ['no_demo'],
    async handle() {
      const { platforms, people, group } = requireDemo(demo)
      return ok({ running: true, platforms, people, group })
    },
  }),
  gatewayRoute({
    method: 'POST',
    path: '/api/demo/{platform}/{operation}',
    id: 'actInDemo',
    scope: 'channels:write',
    summary: 'Do something on an emulated platform, as a person there or to the platform itself',
    body: { schema: actBody },
    answers: answers('What the operation gives', z.strictObject({ result: z.unknown() })),
    errors: ['no_demo', 'unknown_platform', 'not_found', 'demo_refused'],
    async handle({ params, body }) {
      const { act } = requireDemo(demo)
      const operation = DEMO_OPERATIONS.find((name) => name === params['operation'])
      if (operation === undefined) throw new GatewayError('not_found')
      return ok({ result: (await act(params['platform'] ?? '', operation, parseOptions(operation, body))) ?? null })
    },
  }),
  gatewayRoute({
    method: 'GET',
    path: '/api/demo/stream',
    id: 'streamDemo',
    scope: 'channels:read',
    summary: 'The emulated chats as people see them: all at first, then what changes, as server-sent events',
    stream: true,
    answers: answers('One event: `event:` is its type, `data:` the whole of it as JSON', demoEvent),
    errors: ['no_demo'],
    handle: async ({ signal }) => ({ events: requireDemo(demo).events(signal) }),
  }),
]

function requireDemo(demo: RunningDemo | null): RunningDemo {
  if (demo === null) throw new GatewayError('no_demo')
  return demo
}

const id = z.string().min(1).max(100)
const nothing = z.strictObject({})

const OPTIONS: Readonly<Record<DemoOperation, z.ZodType<Readonly<Record<string, unknown>>>>> = {
  say: z.strictObject({
    from: z.strictObject({ id, name: id.optional() }),
    group: z.strictObject({ id, title: id.optional() }).optional(),
    text: z.string().trim().min(1).max(20_000),
    mention: z.boolean().optional(),
    replyTo: id.optional(),
  }),
  conversation: z.strictObject({ chatId: id, limit: z.int().min(1).max(1_000).optional() }),
  scan: z.strictObject({ act: z.string().max(20), userId: id.optional() }),
  injectFault: z.looseObject({ kind: z.string().max(100) }),
  clearFaults: z.strictObject({ id: z.int().optional() }),
  faults: nothing,
  switches: nothing,
  dropConnections: nothing,
  revoke: nothing,
  bot: nothing,
}

/** Options as the operation takes them. @throws {GatewayError} `invalid_body` */
const parseOptions = (operation: DemoOperation, body: unknown): Readonly<Record<string, unknown>> =>
  parseInput(OPTIONS[operation], body, 'invalid_body') as Readonly<Record<string, unknown>> // the schema's own type

const demoSwitch = z
  .strictObject({
    id: z.string().describe('Stable, for programs'),
    label: z.string(),
    hint: z.string(),
    fault: z.record(z.string(), z.unknown()).describe('As `injectFault` takes it'),
    lasting: z.boolean().describe('Stays on until it is switched off'),
  })
  .meta({ id: 'DemoSwitch', description: 'A fault that a visitor may try' })

const demoPlatform = z
  .strictObject({
    platform: z.string(),
    label: z.string(),
    groups: z.boolean().describe('Whether people and the bot can be together in a group'),
    confirms: z.boolean().describe('Whether the platform hears that a message was received'),
    acts: z.array(z.string()).describe('What a person with a phone can do with a code; empty: there are no codes'),
    page: z.string().describe("Address of the emulator's own page"),
    switches: z.array(demoSwitch),
  })
  .meta({ id: 'DemoPlatform', description: 'An emulated platform' }) satisfies z.ZodType<DemoPlatform>

const named = z.strictObject({ id: z.string(), name: z.string() })

/** Answer of `GET /api/demo`. */
const demoShape = z.strictObject({
  running: z.literal(true),
  platforms: z.array(demoPlatform),
  people: z.array(named).describe('Whom a visitor can be'),
  group: z.strictObject({ id: z.string(), title: z.string() }),
})

const demoLine = z
  .strictObject({
    id: z.string(),
    by: z.enum(['person', 'bot']),
    name: z.string(),
    at: z.number(),
    text: z.string().describe('In the markup of the platform'),
    blocks: z.array(demoBlock),
    unfinished: z.boolean().describe('It is still being written'),
    edited: z.boolean(),
    files: z.array(z.string()),
    way: z.enum(['sent', 'delivered', 'confirmed']).nullable().describe('Of a person: how far it has come'),
  })
  .meta({ id: 'DemoLine', description: 'A message as people see it' })

/** An event of `GET /api/demo/stream`. */
export const demoEvent = z
  .discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('pane'),
      platform: z.string(),
      bot: z.string(),
      connected: z.boolean(),
      code: z.enum(['waiting', 'scanned']).nullable().describe('A code that waits for the person with the phone'),
      faults: z.array(z.strictObject({ switch: z.string().nullable(), id: z.int(), left: z.int().nullable() })),
    }),
    z.strictObject({
      type: z.literal('chat'),
      platform: z.string(),
      chat: z.string().describe("A person's id, or the group's"),
      typing: z.boolean(),
      ids: z.array(z.string()).describe('All that are shown, oldest first'),
      lines: z.array(demoLine).describe('Those that are new or look different now'),
    }),
  ])
  .meta({ id: 'DemoEvent', description: 'What has changed on an emulated platform' })
