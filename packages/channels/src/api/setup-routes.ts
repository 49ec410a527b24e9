import { z } from 'zod'
import type { Channels, OfSetup, Principal } from '../channels.ts'
import { PLATFORM_IDS } from '../platform-names.ts'
import type { SetupField, SetupView, SetupWay } from '../setup/guide.ts'
import { answers, ok, platformOf, route, type Route } from './route.ts'
import { done } from './shapes.ts'

const startBody = z.strictObject({
  kind: z.enum(['qr', 'paste', 'portal', 'invite']).optional().describe('One of the ways; default: the easiest'),
  fields: z
    .record(z.string().max(64), z.string().max(4_096))
    .optional()
    .describe('Saved together with what is found, e.g. the `base_url` of an own server'),
})
const answerBody = z.strictObject({
  values: z.record(z.string().max(64), z.string().max(4_096)).describe('A value for each of `fields`'),
})
/** Longest a caller can wait for a change, in seconds: less than proxies keep a silent connection open. */
const MOST_WAIT = 50
const waitQuery = z.strictObject({
  wait: z.coerce.number().min(0).max(MOST_WAIT).default(0).describe('Seconds to wait for a change'),
  version: z.coerce.number().int().min(0).optional().describe('Wait until it is above this one; default: the current'),
})

const SETUP_NEEDED = ['unknown_platform', 'unknown_setup']
const view = (description: string): Route['answers'] => answers(description, setupView)

const setupOf = ({ accountId }: Principal, params: Readonly<Record<string, string>>): OfSetup => ({
  accountId,
  platform: platformOf(params),
  id: params['id'] ?? '',
})

/** Guided set-ups: begun, watched, answered and cancelled as resources, so that every client leads a person alike. */
export const setupRoutes = (channels: Channels): readonly Route[] => [
  waysRoute(channels),
  startRoute(channels),
  viewRoute(channels),
  answerRoute(channels),
  cancelRoute(channels),
]

const waysRoute = (channels: Channels): Route =>
  route({
    method: 'GET',
    path: '/api/channels/{platform}/setup',
    id: 'listSetupWays',
    scope: 'channels:read',
    summary: 'The ways in which this platform can be set up, the easiest first',
    answers: answers('The ways', z.strictObject({ ways: z.array(setupWay) })),
    errors: ['unknown_platform'],
    handle: async ({ params }) => ok({ ways: channels.setups.ways(platformOf(params)) }),
  })

const startRoute = (channels: Channels): Route =>
  route({
    method: 'POST',
    path: '/api/channels/{platform}/setup',
    id: 'startSetup',
    scope: 'channels:write',
    summary: 'Begin a guided set-up; answers when there is something to scan, to open or to answer',
    body: { schema: startBody, optional: true },
    answers: view('Begun; `GET` it to follow'),
    errors: ['unknown_platform', 'config_broken', 'credentials_invalid', 'setup_kind_unknown', 'too_many_setups'],
    handle: async ({ principal, params, body }) =>
      ok(
        await channels.setups.start(principal, platformOf(params), {
          kind: body?.kind ?? null,
          fields: body?.fields ?? {},
        }),
      ),
  })

const viewRoute = (channels: Channels): Route =>
  route({
    method: 'GET',
    path: '/api/channels/{platform}/setup/{id}',
    id: 'getSetup',
    scope: 'channels:write',
    summary: 'How a set-up stands; with `wait` as soon as it changes',
    query: waitQuery,
    waits: true,
    answers: view('The set-up'),
    errors: SETUP_NEEDED,
    handle: async ({ principal, params, query, signal }) => {
      const of = setupOf(principal, params)
      const { version } = query
      return ok(await channels.setups.view(of, { version: version ?? null, waitMs: query.wait * 1_000, signal }))
    },
  })

const answerRoute = (channels: Channels): Route =>
  route({
    method: 'POST',
    path: '/api/channels/{platform}/setup/{id}',
    id: 'answerSetup',
    scope: 'channels:write',
    summary: 'Give what a set-up asks for',
    body: { schema: answerBody },
    answers: view('Taken; `GET` it to see what came of it'),
    errors: [...SETUP_NEEDED, 'setup_input_unexpected'],
    handle: async ({ principal, params, body }) => {
      const of = setupOf(principal, params)
      return ok(channels.setups.answer(of, body.values))
    },
  })

const cancelRoute = (channels: Channels): Route =>
  route({
    method: 'DELETE',
    path: '/api/channels/{platform}/setup/{id}',
    id: 'cancelSetup',
    scope: 'channels:write',
    summary: 'Cancel a set-up',
    answers: answers('Cancelled, or ended before', done),
    errors: SETUP_NEEDED,
    handle: async ({ principal, params }) => {
      channels.setups.cancel(setupOf(principal, params))
      return ok({ ok: true })
    },
  })

const kind = z.enum(['qr', 'paste', 'portal', 'invite'])
const instructions = z.array(z.string()).describe('What the person does, in order')

const field: z.ZodType<SetupField> = z.strictObject({
  name: z.string(),
  label: z.string(),
  secret: z.boolean().describe('Its value must not be shown while it is typed'),
})

const setupWay: z.ZodType<SetupWay> = z
  .strictObject({ kind, title: z.string(), instructions })
  .meta({ id: 'SetupWay', description: 'One way to set a platform up' })

const setupView: z.ZodType<SetupView> = z
  .strictObject({
    id: z.string(),
    platform: z.enum(PLATFORM_IDS),
    kind,
    title: z.string(),
    instructions,
    state: z.enum(['starting', 'waiting', 'scanned', 'input_needed', 'working', 'watching', 'done', 'failed']),
    version: z.number().int().describe('Rises with every change'),
    message: z.string().describe('Where the person stands, as a sentence'),
    url: z.exactOptional(z.string().describe('What to scan or open')),
    qr: z.exactOptional(z.string().describe('`url` as a QR code: an SVG document')),
    codes: z.number().int().describe('How many codes to scan have been shown so far: above 1, the first has expired'),
    started_at: z.number().int().describe('When it was begun, milliseconds since the Unix epoch'),
    expires_at: z
      .number()
      .int()
      .nullable()
      .describe('When `url` ends to be valid, milliseconds since the Unix epoch; null when nobody knows'),
    fields: z.array(field).describe('What is asked for, while `input_needed`'),
    facts: z.record(z.string(), z.union([z.string(), z.number()])).describe('What was found, for programs'),
    saved: z.boolean().describe('Credentials have been saved'),
    first_user: z
      .strictObject({ id: z.string(), name: z.string().nullable() })
      .nullable()
      .describe('Who confirmed it, where the platform tells: the first of `allowed_users` if nobody stood there'),
    error: z.string().nullable().describe('Stable code of why it failed'),
  })
  .meta({ id: 'Setup', description: 'A guided set-up' })
