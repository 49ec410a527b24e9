import type { Channels } from '../channels.ts'
import {
  addressedDelivery,
  chatKind,
  conversationRecord,
  deliveryRecord,
  deliveryState,
  messageRecord,
  pageSchema,
  platform,
  traffic,
  transcript,
} from './history-shapes.ts'
import { okResponse, CHANNEL_NEEDED, jsonResponse, requirePlatform, route, type Route } from './route.ts'
import { z } from 'zod'

const pageQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(200).default(50).describe('Number of items per page'),
  before: z.string().min(1).max(256).optional().describe('`next` from the previous page'),
})
const deadFilter = z.enum(['true', 'false']).default('false').describe('Only failed messages that need attention')
const deliveriesQuery = pageQuery.extend({ dead: deadFilter })
const allDeliveriesQuery = pageQuery.extend({
  platform: platform.optional(),
  dead: deadFilter,
  state: deliveryState.optional(),
})
const conversationsQuery = pageQuery.extend({
  platform: platform.optional(),
  q: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('Case-insensitive text to find in names, titles and messages of either side; not a pattern'),
  kind: chatKind.optional(),
  state: z
    .enum(['waiting', 'failed'])
    .optional()
    .describe('`waiting`: has unanswered messages. `failed`: has messages or deliveries that failed'),
})
const instant = z.coerce.number().int().min(0).max(8.64e15).optional()
const trafficQuery = z.strictObject({
  from: instant.describe('Milliseconds since the Unix epoch. Default: 24 hours before `to`'),
  to: instant.describe('At most 92 days after `from`. Default: now'),
})

/** Creates the routes for messages, deliveries, conversations and analytics. */
export const historyRoutes = (channels: Channels): readonly Route[] => [
  ...channelHistoryRoutes(channels),
  conversationsRoute(channels),
  conversationRoute(channels),
  allDeliveriesRoute(channels),
  analyticsRoute(channels),
]

const channelHistoryRoutes = (channels: Channels): readonly Route[] => [
  route({
    method: 'GET',
    path: '/api/channels/{platform}/messages',
    id: 'listMessages',
    scope: 'channels:read',
    summary: 'List received messages, newest first',
    query: pageQuery,
    answers: okResponse('A page of messages', pageSchema(messageRecord)),
    errors: CHANNEL_NEEDED,
    handle: async ({ principal, params, query }) => {
      const page = { limit: query.limit, before: query.before ?? null }
      return jsonResponse(await channels.messages(principal, requirePlatform(params), page))
    },
  }),
  route({
    method: 'GET',
    path: '/api/channels/{platform}/deliveries/{id}',
    id: 'getDelivery',
    scope: 'channels:read',
    summary: 'Get a delivery and its outcome',
    answers: okResponse('The delivery', deliveryRecord),
    errors: [...CHANNEL_NEEDED, 'unknown_delivery'],
    handle: async ({ principal, params }) =>
      jsonResponse(await channels.delivery(principal, requirePlatform(params), params['id'] ?? '')),
  }),
  route({
    method: 'GET',
    path: '/api/channels/{platform}/deliveries',
    id: 'listDeliveries',
    scope: 'channels:read',
    summary: 'List deliveries and their outcomes, newest first',
    query: deliveriesQuery,
    answers: okResponse('A page of deliveries', pageSchema(deliveryRecord)),
    errors: CHANNEL_NEEDED,
    handle: async ({ principal, params, query }) => {
      const page = { limit: query.limit, before: query.before ?? null, dead: query.dead === 'true' }
      return jsonResponse(await channels.deliveries(principal, requirePlatform(params), page))
    },
  }),
]

const conversationsRoute = (channels: Channels): Route =>
  route({
    method: 'GET',
    path: '/api/conversations',
    id: 'listConversations',
    scope: 'channels:read',
    summary: 'List the conversations of all configured bots, latest activity first',
    query: conversationsQuery,
    answers: okResponse('A page of conversations', pageSchema(conversationRecord)),
    errors: ['config_broken'],
    handle: async ({ principal, query, signal }) => {
      const request = {
        limit: query.limit,
        before: query.before ?? null,
        platform: query.platform ?? null,
        q: query.q ?? null,
        kind: query.kind ?? null,
        state: query.state ?? null,
      }
      return jsonResponse(await channels.history.conversations(principal.accountId, request, signal))
    },
  })

const conversationRoute = (channels: Channels): Route =>
  route({
    method: 'GET',
    path: '/api/conversations/{id}',
    id: 'getConversation',
    scope: 'channels:read',
    summary: 'Get a conversation with its messages and deliveries, newest first',
    query: pageQuery,
    answers: okResponse('The conversation and a page of its messages and deliveries', transcript),
    errors: ['unknown_conversation', 'config_broken'],
    handle: async ({ principal, params, query }) => {
      const page = { limit: query.limit, before: query.before ?? null }
      return jsonResponse(await channels.history.conversation(principal.accountId, params['id'] ?? '', page))
    },
  })

const allDeliveriesRoute = (channels: Channels): Route =>
  route({
    method: 'GET',
    path: '/api/deliveries',
    id: 'listAllDeliveries',
    scope: 'channels:read',
    summary: 'List the deliveries of all configured bots and their outcomes, newest first',
    query: allDeliveriesQuery,
    answers: okResponse('A page of deliveries', pageSchema(addressedDelivery)),
    errors: ['config_broken'],
    handle: async ({ principal, query }) =>
      jsonResponse(
        await channels.history.deliveries(principal.accountId, {
          limit: query.limit,
          before: query.before ?? null,
          platform: query.platform ?? null,
          dead: query.dead === 'true',
          state: query.state ?? null,
        }),
      ),
  })

const analyticsRoute = (channels: Channels): Route =>
  route({
    method: 'GET',
    path: '/api/analytics',
    id: 'getAnalytics',
    scope: 'channels:read',
    summary: 'Count messages, replies and deliveries in a time range, with reply times',
    query: trafficQuery,
    answers: okResponse('Counts in at most about 100 steps', traffic),
    errors: ['span_invalid', 'config_broken'],
    handle: async ({ principal, query }) =>
      jsonResponse(
        await channels.history.traffic(principal.accountId, { from: query.from ?? null, to: query.to ?? null }),
      ),
  })
