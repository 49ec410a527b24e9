import type { Channels } from '../channels.ts'
import { answers, CHANNEL_NEEDED, ok, platformOf, route, type Route } from './route.ts'
import { historyRoutes } from './history-routes.ts'
import { previewPart } from './history-shapes.ts'
import { setupRoutes } from './setup-routes.ts'
import { channelDetails, channelEntry, channelEvent, check, doctorReport, done, knownUser } from './shapes.ts'
import { z } from 'zod'

const CREDENTIAL_ERRORS = [...CHANNEL_NEEDED, 'credentials_invalid', 'credentials_rejected', 'platform_unreachable']
const SEND_ERRORS = [
  'not_running',
  'no_context',
  'quota_used_up',
  'delivery_refused',
  'delivery_unknown',
  'delivery_pending',
]

/** Longest message that `POST …/send` takes, in UTF-16 units; it is split as the platform needs. */
const MESSAGE_MAX = 100_000

const saveBody = z.looseObject({}).meta({
  description: [
    'Credentials of the platform, or settings of what is stored, or both. Credentials are checked with the platform first.',
    'feishu: `app_id`, `app_secret`, `domain`; wecom: `bot_id`, `secret`; weixin: `token`; discord: `bot_token`;',
    'telegram: `bot_token`, optional `base_url`. Settings: `enabled`, `allowed_users`, `group_policy` (`allowed`, `everybody`, `nobody`); telegram also `parse_mode`.',
  ].join(' '),
  examples: [{ bot_token: '123456789:your-token-from-BotFather' }, { enabled: true }],
})

const sendBody = z.strictObject({
  message: z.string().min(1).max(MESSAGE_MAX).describe('Markdown; split and rendered as the platform needs'),
  user_id: z.string().min(1).max(256).optional().describe('May be left out when exactly one user is known'),
})
const previewBody = z.strictObject({ message: z.string().max(MESSAGE_MAX).describe('Markdown') })

/** The routes over the service. */
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
    summary: 'All platforms, with what is configured and running',
    answers: answers('One entry for each platform', z.strictObject({ channels: z.array(channelEntry) })),
    errors: ['config_broken'],
    handle: async ({ principal }) => ok({ channels: await channels.list(principal) }),
  }),
  route({
    method: 'GET',
    path: '/api/channels/{platform}',
    id: 'getChannel',
    scope: 'channels:read',
    summary: 'One channel with its state, the reason for it and its latest traffic',
    answers: answers('The channel', channelDetails),
    errors: ['unknown_platform', 'config_broken'],
    handle: async ({ principal, params }) => ok(await channels.details(principal, platformOf(params))),
  }),
  route({
    method: 'GET',
    path: '/api/channels/{platform}/doctor',
    id: 'diagnoseChannel',
    scope: 'channels:read',
    summary: 'Check a channel and say what to do about each failure',
    answers: answers('The checks', z.strictObject({ checks: z.array(check) })),
    errors: ['unknown_platform'],
    handle: async ({ principal, params, signal }) =>
      ok({ checks: await channels.diagnose(principal, platformOf(params), signal) }),
  }),
]

const doctorRoute = (channels: Channels): Route =>
  route({
    method: 'GET',
    path: '/api/doctor',
    id: 'diagnose',
    scope: 'channels:read',
    summary: 'Check the service and every platform that has credentials',
    answers: answers('What was checked; `ok` is false when something failed', doctorReport),
    errors: [],
    handle: async ({ principal, signal }) => ok(await channels.doctor(principal, signal)),
  })

const credentialRoutes = (channels: Channels): readonly Route[] => [
  route({
    method: 'POST',
    path: '/api/channels/{platform}',
    id: 'saveChannel',
    scope: 'channels:write',
    summary: 'Save credentials or settings',
    body: { schema: saveBody },
    answers: answers('Checked with the platform, stored, and swapped in', done),
    errors: [...CREDENTIAL_ERRORS, 'bot_in_use', 'config_unwritable'],
    handle: async ({ principal, params, body }) => {
      await channels.save(principal, platformOf(params), body)
      return ok({ ok: true })
    },
  }),
  route({
    method: 'DELETE',
    path: '/api/channels/{platform}',
    id: 'disableChannel',
    scope: 'channels:write',
    summary: 'Disable a channel; its credentials are kept',
    answers: answers('Disabled', done),
    errors: [...CHANNEL_NEEDED, 'config_unwritable'],
    handle: async ({ principal, params }) => {
      await channels.disable(principal, platformOf(params))
      return ok({ ok: true })
    },
  }),
  forgetRoute(channels),
  route({
    method: 'POST',
    path: '/api/channels/{platform}/test',
    id: 'testChannel',
    scope: 'channels:write',
    summary: 'Ask the platform whether it accepts credentials, and store nothing',
    body: { schema: saveBody, optional: true },
    answers: answers(
      'Accepted; without a body, what is stored was tested',
      z.strictObject({ ok: z.literal(true), bot: z.strictObject({ id: z.string(), name: z.string() }) }),
    ),
    errors: CREDENTIAL_ERRORS,
    handle: async ({ principal, params, body }) => {
      const { bot } = await channels.test(principal, platformOf(params), body)
      return ok({ ok: true, bot: { id: bot.id, name: bot.name } })
    },
  }),
]

const sendingRoutes = (channels: Channels): readonly Route[] => [
  route({
    method: 'GET',
    path: '/api/channels/{platform}/users',
    id: 'listUsers',
    scope: 'channels:read',
    summary: 'Everybody who has written to the bot',
    answers: answers('The known users', z.strictObject({ users: z.array(knownUser) })),
    errors: CHANNEL_NEEDED,
    handle: async ({ principal, params }) => ok({ users: await channels.users(principal, platformOf(params)) }),
  }),
  route({
    method: 'POST',
    path: '/api/channels/{platform}/send',
    id: 'sendMessage',
    scope: 'channels:send',
    summary: 'Send a message and wait until the platform has confirmed it',
    body: { schema: sendBody },
    answers: answers('Confirmed by the platform; `Location` names the delivery', done),
    errors: ['unknown_platform', 'message_empty', 'no_known_users', 'user_required', ...SEND_ERRORS],
    handle: async ({ principal, params, body }) => {
      const platform = platformOf(params)
      const { deliveryId } = await channels.send(principal, platform, body.message, body.user_id ?? null)
      return ok({ ok: true }, { location: `/api/channels/${platform}/deliveries/${encodeURIComponent(deliveryId)}` })
    },
  }),
  route({
    method: 'POST',
    path: '/api/channels/{platform}/deliveries/{id}/resend',
    id: 'resendDelivery',
    scope: 'channels:send',
    summary: 'Send a failed delivery once more and wait as for a new message',
    answers: answers('Confirmed by the platform', done),
    errors: [...CHANNEL_NEEDED, 'unknown_delivery', 'delivery_not_dead', ...SEND_ERRORS],
    handle: async ({ principal, params }) => {
      await channels.resend(principal, platformOf(params), params['id'] ?? '')
      return ok({ ok: true })
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
    summary: 'State changes, messages and deliveries as they happen, as server-sent events',
    stream: true,
    answers: answers('One event: `event:` is its type, `data:` the whole of it as JSON', channelEvent),
    errors: [],
    handle: async ({ principal, signal }) => ({ events: channels.events(principal, signal) }),
  })

const forgetRoute = (channels: Channels): Route =>
  route({
    method: 'DELETE',
    path: '/api/channels/{platform}/credentials',
    id: 'forgetChannel',
    scope: 'channels:write',
    summary: 'Stop a channel and remove its credentials and settings',
    answers: answers('Removed; the messages stay until retention takes them', done),
    errors: [...CHANNEL_NEEDED, 'config_unwritable'],
    handle: async ({ principal, params }) => {
      await channels.forget(principal, platformOf(params))
      return ok({ ok: true })
    },
  })

const dismissRoute = (channels: Channels): Route =>
  route({
    method: 'POST',
    path: '/api/channels/{platform}/deliveries/{id}/dismiss',
    id: 'dismissDelivery',
    scope: 'channels:send',
    summary: 'Let a failed delivery be',
    answers: answers('It is not among the dead any more', done),
    errors: [...CHANNEL_NEEDED, 'unknown_delivery', 'delivery_not_dead'],
    handle: async ({ principal, params }) => {
      await channels.dismiss(principal, platformOf(params), params['id'] ?? '')
      return ok({ ok: true })
    },
  })

const previewRoute = (channels: Channels): Route =>
  route({
    method: 'POST',
    path: '/api/channels/{platform}/preview',
    id: 'previewMessage',
    scope: 'channels:send',
    summary: 'What the platform will show of a message; no channel is needed',
    body: { schema: previewBody },
    changesNothing: true,
    answers: answers(
      'The messages that it becomes; none when nothing would be seen',
      z.strictObject({ parts: z.array(previewPart) }),
    ),
    errors: ['unknown_platform'],
    handle: async ({ params, body }) => ok({ parts: channels.preview(platformOf(params), body.message) }),
  })
