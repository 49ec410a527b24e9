import { z } from 'zod'
import { GatewayError } from '../server/errors.ts'
import { gatewayRoute, answers, type GatewayRoute, ok } from '../server/gateway-route.ts'
import { parseInput } from '../server/request-body.ts'
import { demoBlock, DEMO_OPERATIONS, type DemoOperation, type DemoPlatform, type RunningDemo } from './demo.ts'

/** Dependencies of the demo routes. */
export interface DemoParts {
  /** `null`: no demo runs in this process. */
  readonly demo: RunningDemo | null
  /**
   * Starts a separate demo, or returns the link of the running one. `null`: not possible from here.
   * @throws {GatewayError} `demo_failed`
   */
  readonly startDemo: (() => Promise<{ readonly url: string }>) | null
}

const actBody = z.looseObject({}).meta({ description: 'Options of the operation', examples: [{ act: 'confirm' }] })

/** Routes below `/api/demo`. */
export const demoRoutes = (parts: DemoParts): readonly GatewayRoute[] =>
  [startRoute(parts), ...runningRoutes(parts)].map((route) => ({ ...route, tag: 'demo' as const }))

const startRoute = ({ startDemo }: DemoParts): GatewayRoute =>
  gatewayRoute({
    method: 'POST',
    path: '/api/demo',
    id: 'startDemo',
    scope: 'admin',
    summary: 'Start a separate demo with its own data; it stops with the service',
    answers: answers('Link that signs a visitor in', z.strictObject({ url: z.string() })),
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
    summary: 'Emulated platforms and people of the demo',
    answers: answers('The demo', demoShape),
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
    summary: 'Run an operation on an emulated platform',
    body: { schema: actBody },
    answers: answers('Result of the operation', z.strictObject({ result: z.unknown() })),
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
    summary: 'Emulated chats as people see them, first in full, then changes, as server-sent events',
    stream: true,
    answers: answers('One event: `event:` is its type, `data:` its JSON', demoEvent),
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

/** Parses an operation's options. @throws {GatewayError} `invalid_body` */
const parseOptions = (operation: DemoOperation, body: unknown): Readonly<Record<string, unknown>> =>
  parseInput(OPTIONS[operation], body, 'invalid_body') as Readonly<Record<string, unknown>> // the schema's own type

const demoSwitch = z
  .strictObject({
    id: z.string().describe('Stable, for programs'),
    label: z.string(),
    hint: z.string(),
    fault: z.record(z.string(), z.unknown()).describe('As `injectFault` takes it'),
    lasting: z.boolean().describe('Stays active until it is turned off'),
  })
  .meta({ id: 'DemoSwitch', description: 'A fault that a visitor can inject' })

const demoPlatform = z
  .strictObject({
    platform: z.string(),
    label: z.string(),
    groups: z.boolean().describe('Whether the platform has groups'),
    confirms: z.boolean().describe('Whether the platform receives acknowledgements'),
    acts: z.array(z.string()).describe('What a person can do with a scanned code; empty: the platform has no codes'),
    page: z.string().describe("Address of the emulator's own page"),
    switches: z.array(demoSwitch),
  })
  .meta({ id: 'DemoPlatform', description: 'An emulated platform' }) satisfies z.ZodType<DemoPlatform>

const named = z.strictObject({ id: z.string(), name: z.string() })

/** Response of `GET /api/demo`. */
const demoShape = z.strictObject({
  running: z.literal(true),
  platforms: z.array(demoPlatform),
  people: z.array(named).describe('People that a visitor can play'),
  group: z.strictObject({ id: z.string(), title: z.string() }),
})

const demoLine = z
  .strictObject({
    id: z.string(),
    by: z.enum(['person', 'bot']),
    name: z.string(),
    at: z.number(),
    text: z.string().describe("In the platform's markup"),
    blocks: z.array(demoBlock),
    unfinished: z.boolean().describe('Still being written'),
    edited: z.boolean(),
    files: z.array(z.string()),
    way: z.enum(['sent', 'delivered', 'confirmed']).nullable().describe('Delivery state of a message from a person'),
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
      code: z.enum(['waiting', 'scanned']).nullable().describe('State of a setup code that is waiting to be scanned'),
      faults: z.array(z.strictObject({ switch: z.string().nullable(), id: z.int(), left: z.int().nullable() })),
    }),
    z.strictObject({
      type: z.literal('chat'),
      platform: z.string(),
      chat: z.string().describe('Id of a person or the group'),
      typing: z.boolean(),
      ids: z.array(z.string()).describe('Ids of all shown messages, oldest first'),
      lines: z.array(demoLine).describe('New or changed messages'),
    }),
  ])
  .meta({ id: 'DemoEvent', description: 'A change on an emulated platform' })
