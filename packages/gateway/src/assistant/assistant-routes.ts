import { ASSISTANT_FIELDS, ASSISTANT_KINDS, type AssistantDesk, type AssistantView } from './assistant-desk.ts'
import { answers, type GatewayRoute, ok, serviceRoute } from '../server/gateway-route.ts'
import { z } from 'zod'

const assistantShape = z
  .strictObject({
    kind: z.enum(ASSISTANT_KINDS),
    base_url: z.string().nullable(),
    model: z.string().nullable(),
    system_prompt: z.string().describe('System prompt; the default if none is set'),
    url: z.string().nullable(),
    command: z.string().nullable().describe('Name of the program, without its path and arguments'),
    has_api_key: z.boolean(),
    api_key_hint: z.string().nullable().describe('Asterisks and the last four characters'),
    from_environment: z
      .array(z.enum(ASSISTANT_FIELDS))
      .describe("Settings from environment variables, which can't be changed here"),
    changed_at: z.int().nullable().describe('null: never changed here'),
  })
  .meta({ id: 'Assistant', description: "The assistant's settings, without secrets" })

const text = (max: number, about: string, without = 'the default'): z.ZodType<string | null | undefined> =>
  z.string().max(max).nullable().optional().describe(`${about}; null: ${without}`)

const settingsShape = z
  .strictObject({
    kind: z
      .enum(['echo', 'openai', 'http'])
      .nullable()
      .optional()
      .describe('`command` can only be set by an environment variable; null: the default'),
    base_url: text(2000, 'With `openai`: base URL of the endpoint'),
    model: text(200, 'With `openai`: name of the model'),
    system_prompt: text(20_000, 'With `openai`: the system prompt'),
    url: text(2000, 'With `http`: URL that receives each turn as a POST'),
    api_key: text(4000, 'Bearer token, only sent to the host that it was saved with', 'none'),
  })
  .meta({ id: 'AssistantSettings' })

const tryBody = z.strictObject({
  message: z.string().min(1).max(4000),
  settings: settingsShape.optional().describe('Settings to test instead of the current ones; not stored'),
})

const took = {
  files: z.int().describe('Number of files in the reply'),
  first_piece_ms: z.int().describe('Time until the first piece'),
  took_ms: z.int(),
}
const reason = z
  .enum(['unreachable', 'busy', 'timeout', 'refused', 'malformed', 'misconfigured'])
  .describe("The assistant's error code")

const tryEvent = z
  .discriminatedUnion('type', [
    z.strictObject({ type: z.literal('text'), text: z.string() }),
    z.strictObject({ type: z.literal('file'), name: z.string(), mime: z.string(), bytes: z.int() }),
    z.strictObject({ type: z.literal('done'), ...took }),
    z.strictObject({ type: z.literal('failed'), code: z.literal('assistant_failed'), reason, error: z.string() }),
  ])
  .meta({ id: 'AssistantTryEvent', description: 'A piece of a reply, or its end' })

const toAssistantBody = (view: AssistantView): z.input<typeof assistantShape> => ({
  kind: view.kind,
  base_url: view.baseUrl,
  model: view.model,
  system_prompt: view.systemPrompt,
  url: view.url,
  command: view.program,
  has_api_key: view.apiKeyHint !== null,
  api_key_hint: view.apiKeyHint,
  from_environment: [...view.fromEnvironment],
  changed_at: view.changedAtMs,
})

/** Routes below `/api/assistant`. */
export const assistantRoutes = (desk: AssistantDesk): readonly GatewayRoute[] => [
  serviceRoute({
    method: 'GET',
    path: '/api/assistant',
    id: 'getAssistant',
    scope: 'admin',
    summary: "The assistant's settings, without secrets",
    answers: answers('The current settings', assistantShape),
    errors: ['assistant_unreadable'],
    handle: async () => ok(toAssistantBody(await desk.view())),
  }),
  serviceRoute({
    method: 'PATCH',
    path: '/api/assistant',
    id: 'changeAssistant',
    scope: 'admin',
    summary: "Change the assistant's settings on every node at once. Omitted members stay as they are",
    body: { schema: settingsShape },
    answers: answers('The current settings', assistantShape),
    errors: ['set_by_environment', 'assistant_invalid', 'assistant_unreadable'],
    handle: async ({ body }) => ok(toAssistantBody(await desk.change(body))),
  }),
  serviceRoute({
    method: 'DELETE',
    path: '/api/assistant',
    id: 'resetAssistant',
    scope: 'admin',
    summary: 'Reset the assistant to the environment variables and the defaults',
    answers: answers('The current settings', assistantShape),
    errors: [],
    handle: async () => ok(toAssistantBody(await desk.reset())),
  }),
  ...tryRoutes(desk),
]

const TRY_ERRORS = ['set_by_environment', 'assistant_invalid', 'assistant_unreadable'] as const

const tryRoutes = (desk: AssistantDesk): readonly GatewayRoute[] => [
  serviceRoute({
    method: 'POST',
    path: '/api/assistant/try',
    id: 'tryAssistant',
    scope: 'admin',
    summary: 'Test the assistant with a message; nothing is stored',
    body: { schema: tryBody },
    waits: true,
    answers: answers('The reply', z.strictObject({ text: z.string(), ...took })),
    errors: [...TRY_ERRORS, 'assistant_failed'],
    handle: async ({ body, signal }) => ok(await desk.ask(body.message, body.settings ?? {}, signal)),
  }),
  serviceRoute({
    method: 'POST',
    path: '/api/assistant/try/stream',
    id: 'streamAssistant',
    scope: 'admin',
    summary: 'Test the assistant with a message and stream the reply as server-sent events; nothing is stored',
    body: { schema: tryBody },
    stream: true,
    answers: answers('`text` and `file` events, then `done` or `failed`', tryEvent),
    errors: [...TRY_ERRORS, 'stopping'],
    handle: async ({ body, signal }) => ({ events: await desk.stream(body.message, body.settings ?? {}, signal) }),
  }),
]
