import { z } from 'zod'
import type { Channels, SetupRef, Principal } from '../channels.ts'
import { PLATFORM_IDS } from '../platform-names.ts'
import type { SetupField, SetupView, SetupWay } from '../setup/guide.ts'
import { okResponse, jsonResponse, requirePlatform, route, type Route } from './route.ts'
import { okBody } from './shapes.ts'

const startBody = z.strictObject({
  kind: z.enum(['qr', 'paste', 'portal', 'invite']).optional().describe('Setup method. Default: the easiest one'),
  fields: z
    .record(z.string().max(64), z.string().max(4_096))
    .optional()
    .describe('Saved together with the credentials, e.g. the `base_url` of a self-hosted server'),
})
const answerBody = z.strictObject({
  values: z.record(z.string().max(64), z.string().max(4_096)).describe('A value for each of `fields`'),
})
/** Longest wait for a change, in seconds: below the idle timeout of proxies. */
const MAX_WAIT_SECONDS = 50
const waitQuery = z.strictObject({
  wait: z.coerce.number().min(0).max(MAX_WAIT_SECONDS).default(0).describe('Seconds to wait for a change'),
  version: z.coerce
    .number()
    .int()
    .min(0)
    .optional()
    .describe('Wait until the version is above this one. Default: the current version'),
})

const SETUP_NEEDED = ['unknown_platform', 'unknown_setup']
const view = (description: string): Route['answers'] => okResponse(description, setupView)

const readSetupRef = ({ accountId }: Principal, params: Readonly<Record<string, string>>): SetupRef => ({
  accountId,
  platform: requirePlatform(params),
  id: params['id'] ?? '',
})

/** Creates the routes for guided setups. */
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
    summary: 'List the setup methods of a platform, easiest first',
    answers: okResponse('The setup methods', z.strictObject({ ways: z.array(setupWay) })),
    errors: ['unknown_platform'],
    handle: async ({ params }) => jsonResponse({ ways: channels.setups.ways(requirePlatform(params)) }),
  })

const startRoute = (channels: Channels): Route =>
  route({
    method: 'POST',
    path: '/api/channels/{platform}/setup',
    id: 'startSetup',
    scope: 'channels:write',
    summary: 'Start a guided setup; responds when there is something to scan, open or enter',
    body: { schema: startBody, optional: true },
    answers: view('Started; `GET` it to follow its progress'),
    errors: ['unknown_platform', 'config_broken', 'credentials_invalid', 'setup_kind_unknown', 'too_many_setups'],
    handle: async ({ principal, params, body }) =>
      jsonResponse(
        await channels.setups.start(principal, requirePlatform(params), {
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
    summary: 'Get a setup; with `wait`, as soon as it changes',
    query: waitQuery,
    waits: true,
    answers: view('The setup'),
    errors: SETUP_NEEDED,
    handle: async ({ principal, params, query, signal }) => {
      const of = readSetupRef(principal, params)
      const { version } = query
      return jsonResponse(
        await channels.setups.view(of, { version: version ?? null, waitMs: query.wait * 1_000, signal }),
      )
    },
  })

const answerRoute = (channels: Channels): Route =>
  route({
    method: 'POST',
    path: '/api/channels/{platform}/setup/{id}',
    id: 'answerSetup',
    scope: 'channels:write',
    summary: 'Submit the values that a setup asks for',
    body: { schema: answerBody },
    answers: view('Accepted; `GET` it to see the result'),
    errors: [...SETUP_NEEDED, 'setup_input_unexpected'],
    handle: async ({ principal, params, body }) => {
      const of = readSetupRef(principal, params)
      return jsonResponse(channels.setups.answer(of, body.values))
    },
  })

const cancelRoute = (channels: Channels): Route =>
  route({
    method: 'DELETE',
    path: '/api/channels/{platform}/setup/{id}',
    id: 'cancelSetup',
    scope: 'channels:write',
    summary: 'Cancel a setup',
    answers: okResponse('Cancelled, or already ended', okBody),
    errors: SETUP_NEEDED,
    handle: async ({ principal, params }) => {
      channels.setups.cancel(readSetupRef(principal, params))
      return jsonResponse({ ok: true })
    },
  })

const kind = z.enum(['qr', 'paste', 'portal', 'invite'])
const instructions = z.array(z.string()).describe('Steps for the user, in order')

const field: z.ZodType<SetupField> = z.strictObject({
  name: z.string(),
  label: z.string(),
  secret: z.boolean().describe('Hide the value while it is typed'),
})

const setupWay: z.ZodType<SetupWay> = z
  .strictObject({ kind, title: z.string(), instructions })
  .meta({ id: 'SetupWay', description: 'A setup method of a platform' })

const setupView: z.ZodType<SetupView> = z
  .strictObject({
    id: z.string(),
    platform: z.enum(PLATFORM_IDS),
    kind,
    title: z.string(),
    instructions,
    state: z.enum(['starting', 'waiting', 'scanned', 'input_needed', 'working', 'watching', 'done', 'failed']),
    version: z.number().int().describe('Increases with every change'),
    message: z.string().describe('Current step, as a sentence for the user'),
    url: z.exactOptional(z.string().describe('URL to scan or open')),
    qr: z.exactOptional(z.string().describe('`url` as a QR code (SVG)')),
    codes: z.number().int().describe('Number of QR codes shown so far; above 1, the first has expired'),
    started_at: z.number().int().describe('Start time, milliseconds since the Unix epoch'),
    expires_at: z
      .number()
      .int()
      .nullable()
      .describe('When `url` expires, milliseconds since the Unix epoch; null when unknown'),
    fields: z.array(field).describe('Requested values, while `input_needed`'),
    facts: z.record(z.string(), z.union([z.string(), z.number()])).describe('Machine-readable results'),
    saved: z.boolean().describe('Whether credentials have been saved'),
    first_user: z
      .strictObject({ id: z.string(), name: z.string().nullable() })
      .nullable()
      .describe(
        'Who confirmed it, where the platform reports it; becomes the first of `allowed_users` if that list is empty',
      ),
    error: z.string().nullable().describe('Stable code of the failure'),
  })
  .meta({ id: 'Setup', description: 'A guided setup' })
