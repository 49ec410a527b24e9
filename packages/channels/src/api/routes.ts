import type { Channels } from '../channels.ts'
import { okResponse, CHANNEL_NEEDED, jsonResponse, requirePlatform, route, type Route } from './route.ts'
import { historyRoutes } from './history-routes.ts'
import { previewPart } from './history-shapes.ts'
import { setupRoutes } from './setup-routes.ts'
import { channelDetails, channelEntry, channelEvent, check, doctorReport, okBody, knownUser } from './shapes.ts'
import { z } from 'zod'

const CREDENTIAL_ERRORS = [
  ...CHANNEL_NEEDED,
  'credentials_invalid',
  'server_not_public',
  'credentials_rejected',
  'platform_unreachable',
]
const SEND_ERRORS = [
  'not_running',
  'no_context',
  'quota_used_up',
  'delivery_refused',
  'delivery_unknown',
  'delivery_pending',
]

/** Longest message that `POST …/send` accepts, in UTF-16 units; it is split as needed. */
const MESSAGE_MAX = 100_000

const saveBody = z.looseObject({}).meta({
  description: [
    'Platform credentials, channel settings, or both. Credentials are validated with the platform before they are saved.',
    'feishu: `app_id`, `app_secret`, `domain`; wecom: `bot_id`, `secret`; weixin: `token`; discord: `bot_token`;',
    'telegram: `bot_token`, optional `base_url`. Settings: `enabled`, `allowed_users`, `group_policy` (`allowed`, `everybody`, `nobody`); telegram also `parse_mode`.',
  ].join(' '),
  examples: [{ bot_token: '123456789:your-token-from-BotFather' }, { enabled: true }],
})

const sendBody = z.strictObject({
  message: z.string().min(1).max(MESSAGE_MAX).describe('Markdown; rendered and split for the platform'),
  user_id: z.string().min(1).max(256).optional().describe('Optional when the bot has exactly one known user'),
})
const previewBody = z.strictObject({ message: z.string().max(MESSAGE_MAX).describe('Markdown') })

/** Creates all routes of the channel API. */
export function channelRoutes(channels: Channels): readonly Route[] {
  return [
    ...statusRoutes(channels),
    ...credentialRoutes(channels),
    ...setupRoutes(channels),
    ...sendingRoutes(channels),
    ...historyRoutes(channels),
    doctorRoute(channels),
    eventRoute(channels),
  ]
}

const statusRoutes = (channels: Channels): readonly Route[] => [
  route({
    method: 'GET',
    path: '/api/channels',
    id: 'listChannels',
    scope: 'channels:read',
    summary: 'List all platforms with their configuration and status',
    answers: okResponse('One entry per platform', z.strictObject({ channels: z.array(channelEntry) })),
    errors: ['config_broken'],
    handle: async ({ principal }) => jsonResponse({ channels: await channels.list(principal) }),
  }),
  route({
    method: 'GET',
    path: '/api/channels/{platform}',
    id: 'getChannel',
    scope: 'channels:read',
    summary: 'Get a channel with its state, the reason for it, and its latest activity',
    answers: okResponse('The channel', channelDetails),
    errors: ['unknown_platform', 'config_broken'],
    handle: async ({ principal, params }) => jsonResponse(await channels.details(principal, requirePlatform(params))),
  }),
  route({
    method: 'GET',
    path: '/api/channels/{platform}/doctor',
    id: 'diagnoseChannel',
    scope: 'channels:read',
    summary: 'Diagnose a channel',
    answers: okResponse('The checks', z.strictObject({ checks: z.array(check) })),
    errors: ['unknown_platform'],
    handle: async ({ principal, params, signal }) =>
      jsonResponse({ checks: await channels.diagnose(principal, requirePlatform(params), signal) }),
  }),
]

const doctorRoute = (channels: Channels): Route =>
  route({
    method: 'GET',
    path: '/api/doctor',
    id: 'diagnose',
    scope: 'channels:read',
    summary: 'Diagnose the service and every channel with credentials',
    answers: okResponse('The checks; `ok` is false when one of them failed', doctorReport),
    errors: [],
    handle: async ({ principal, signal }) => jsonResponse(await channels.doctor(principal, signal)),
  })

const credentialRoutes = (channels: Channels): readonly Route[] => [
  route({
    method: 'POST',
    path: '/api/channels/{platform}',
    id: 'saveChannel',
    scope: 'channels:write',
    summary: 'Save credentials or settings',
    body: { schema: saveBody },
    answers: okResponse('Validated, saved and applied', okBody),
    errors: [...CREDENTIAL_ERRORS, 'bot_in_use', 'too_many_channels', 'config_unwritable'],
    handle: async ({ principal, params, body }) => {
      await channels.save(principal, requirePlatform(params), body)
      return jsonResponse({ ok: true })
    },
  }),
  route({
    method: 'DELETE',
    path: '/api/channels/{platform}',
    id: 'disableChannel',
    scope: 'channels:write',
    summary: 'Disable a channel and keep its credentials',
    answers: okResponse('Disabled', okBody),
    errors: [...CHANNEL_NEEDED, 'config_unwritable'],
    handle: async ({ principal, params }) => {
      await channels.disable(principal, requirePlatform(params))
      return jsonResponse({ ok: true })
    },
  }),
  removeRoute(channels),
  route({
    method: 'POST',
    path: '/api/channels/{platform}/test',
    id: 'testChannel',
    scope: 'channels:write',
    summary: 'Validate credentials with the platform without saving them',
    body: { schema: saveBody, optional: true },
    answers: okResponse(
      'Accepted. Without a body, the stored credentials were tested',
      z.strictObject({ ok: z.literal(true), bot: z.strictObject({ id: z.string(), name: z.string() }) }),
    ),
    errors: CREDENTIAL_ERRORS,
    handle: async ({ principal, params, body }) => {
      const { bot } = await channels.test(principal, requirePlatform(params), body)
      return jsonResponse({ ok: true, bot: { id: bot.id, name: bot.name } })
    },
  }),
]

const sendingRoutes = (channels: Channels): readonly Route[] => [
  route({
    method: 'GET',
    path: '/api/channels/{platform}/users',
    id: 'listUsers',
    scope: 'channels:read',
    summary: 'List the users who have written to the bot',
    answers: okResponse('The known users', z.strictObject({ users: z.array(knownUser) })),
    errors: CHANNEL_NEEDED,
    handle: async ({ principal, params }) =>
      jsonResponse({ users: await channels.users(principal, requirePlatform(params)) }),
  }),
  route({
    method: 'POST',
    path: '/api/channels/{platform}/send',
    id: 'sendMessage',
    scope: 'channels:send',
    summary: 'Send a message and wait for the platform to confirm it',
    body: { schema: sendBody },
    answers: okResponse('Confirmed by the platform; the `Location` header points to the delivery', okBody),
    errors: ['unknown_platform', 'message_empty', 'no_known_users', 'user_required', ...SEND_ERRORS],
    handle: async ({ principal, params, body }) => {
      const platform = requirePlatform(params)
      const { deliveryId } = await channels.send(principal, platform, body.message, body.user_id ?? null)
      return jsonResponse(
        { ok: true },
        { location: `/api/channels/${platform}/deliveries/${encodeURIComponent(deliveryId)}` },
      )
    },
  }),
  route({
    method: 'POST',
    path: '/api/channels/{platform}/deliveries/{id}/resend',
    id: 'resendDelivery',
    scope: 'channels:send',
    summary: 'Retry a failed delivery and wait for the platform to confirm it',
    answers: okResponse('Confirmed by the platform', okBody),
    errors: [...CHANNEL_NEEDED, 'unknown_delivery', 'delivery_not_dead', ...SEND_ERRORS],
    handle: async ({ principal, params }) => {
      await channels.resend(principal, requirePlatform(params), params['id'] ?? '')
      return jsonResponse({ ok: true })
    },
  }),
  dismissRoute(channels),
  previewRoute(channels),
]

const eventRoute = (channels: Channels): Route =>
  route({
    method: 'GET',
    path: '/api/events',
    id: 'streamEvents',
    scope: 'channels:read',
    summary: 'Stream state changes, messages and deliveries as server-sent events',
    stream: true,
    answers: okResponse('One event: `event:` is its type, `data:` the whole event as JSON', channelEvent),
    errors: [],
    handle: async ({ principal, signal }) => ({ events: channels.events(principal, signal) }),
  })

const removeRoute = (channels: Channels): Route =>
  route({
    method: 'DELETE',
    path: '/api/channels/{platform}/credentials',
    id: 'forgetChannel',
    scope: 'channels:write',
    summary: 'Remove a channel with its credentials and settings',
    answers: okResponse('Removed; messages are kept until retention deletes them', okBody),
    errors: [...CHANNEL_NEEDED, 'config_unwritable'],
    handle: async ({ principal, params }) => {
      await channels.forget(principal, requirePlatform(params))
      return jsonResponse({ ok: true })
    },
  })

const dismissRoute = (channels: Channels): Route =>
  route({
    method: 'POST',
    path: '/api/channels/{platform}/deliveries/{id}/dismiss',
    id: 'dismissDelivery',
    scope: 'channels:send',
    summary: 'Dismiss a failed delivery',
    answers: okResponse('Dismissed', okBody),
    errors: [...CHANNEL_NEEDED, 'unknown_delivery', 'delivery_not_dead'],
    handle: async ({ principal, params }) => {
      await channels.dismiss(principal, requirePlatform(params), params['id'] ?? '')
      return jsonResponse({ ok: true })
    },
  })

const previewRoute = (channels: Channels): Route =>
  route({
    method: 'POST',
    path: '/api/channels/{platform}/preview',
    id: 'previewMessage',
    scope: 'channels:send',
    summary: 'Preview a message as the platform will show it; works without a configured channel',
    body: { schema: previewBody },
    changesNothing: true,
    answers: okResponse(
      'The messages it is split into; empty when it has no visible content',
      z.strictObject({ parts: z.array(previewPart) }),
    ),
    errors: ['unknown_platform'],
    handle: async ({ principal, params, body }) =>
      jsonResponse({ parts: await channels.preview(principal, requirePlatform(params), body.message) }),
  })
