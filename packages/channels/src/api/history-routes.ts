import type { Channels } from '../channels.ts'
import {
  addressedDelivery,
  chatKind,
  conversationRecord,
  deliveryRecord,
  deliveryState,
  messageRecord,
  pageOf,
  platform,
  traffic,
  transcript,
} from './history-shapes.ts'
import { answers, CHANNEL_NEEDED, ok, platformOf, route, type Route } from './route.ts'
import { z } from 'zod'

const pageQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(200).default(50).describe('Entries on a page'),
  before: z.string().min(1).max(256).optional().describe('`next` of the page before'),
})
const dead = z.enum(['true', 'false']).default('false').describe('Only those that failed for good')
const deliveriesQuery = pageQuery.extend({ dead })
const allDeliveriesQuery = pageQuery.extend({
  platform: platform.optional(),
  dead,
  state: deliveryState.optional(),
})
const conversationsQuery = pageQuery.extend({
  platform: platform.optional(),
  q: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('Found in names, titles, and texts of either side, whatever the case of its letters; no pattern'),
  kind: chatKind.optional(),
  state: z
    .enum(['waiting', 'failed'])
    .optional()
    .describe('`waiting`: has messages that wait. `failed`: has messages that failed or deliveries that are dead'),
})
const instant = z.coerce.number().int().min(0).max(8.64e15).optional()
const trafficQuery = z.strictObject({
  from: instant.describe('Milliseconds since the Unix epoch; default: 24 hours before `to`'),
  to: instant.describe('At most 92 days after `from`; default: now'),
})

/** What was received and sent: of one channel, of all of them, and in numbers. */
export const historyRoutes = (channels: Channels): readonly Route[] => [
  ...ofOneChannel(channels),
  conversationsRoute(channels),
  conversationRoute(channels),
  allDeliveriesRoute(channels),
  figuresRoute(channels),
]

const ofOneChannel = (channels: Channels): readonly Route[] => [
  route({
    method: 'GET',
    path: '/api/channels/{platform}/messages',
    id: 'listMessages',
    scope: 'channels:read',
    summary: 'Received messages, newest first',
    query: pageQuery,
    answers: answers('A page of messages', pageOf(messageRecord)),
    errors: CHANNEL_NEEDED,
    handle: async ({ principal, params, query }) => {
      const page = { limit: query.limit, before: query.before ?? null }
      return ok(await channels.messages(principal, platformOf(params), page))
    },
  }),
  route({
    method: 'GET',
    path: '/api/channels/{platform}/deliveries/{id}',
    id: 'getDelivery',
    scope: 'channels:read',
    summary: 'One delivery and what became of it',
    answers: answers('The delivery', deliveryRecord),
    errors: [...CHANNEL_NEEDED, 'unknown_delivery'],
    handle: async ({ principal, params }) =>
      ok(await channels.delivery(principal, platformOf(params), params['id'] ?? '')),
  }),
  route({
    method: 'GET',
    path: '/api/channels/{platform}/deliveries',
    id: 'listDeliveries',
    scope: 'channels:read',
    summary: 'What was sent and what became of it, newest first',
    query: deliveriesQuery,
    answers: answers('A page of deliveries', pageOf(deliveryRecord)),
    errors: CHANNEL_NEEDED,
    handle: async ({ principal, params, query }) => {
      const page = { limit: query.limit, before: query.before ?? null, dead: query.dead === 'true' }
      return ok(await channels.deliveries(principal, platformOf(params), page))
    },
  }),
]

const conversationsRoute = (channels: Channels): Route =>
  route({
    method: 'GET',
    path: '/api/conversations',
    id: 'listConversations',
    scope: 'channels:read',
    summary: 'The conversations of all configured bots, newest activity first',
    query: conversationsQuery,
    answers: answers('A page of conversations', pageOf(conversationRecord)),
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
      return ok(await channels.history.conversations(principal.accountId, request, signal))
    },
  })

const conversationRoute = (channels: Channels): Route =>
  route({
    method: 'GET',
    path: '/api/conversations/{id}',
    id: 'getConversation',
    scope: 'channels:read',
    summary: 'Both sides of a conversation, newest first',
    query: pageQuery,
    answers: answers('The conversation, and a page of what was said in it', transcript),
    errors: ['unknown_conversation', 'config_broken'],
    handle: async ({ principal, params, query }) => {
      const page = { limit: query.limit, before: query.before ?? null }
      return ok(await channels.history.conversation(principal.accountId, params['id'] ?? '', page))
    },
  })

const allDeliveriesRoute = (channels: Channels): Route =>
  route({
    method: 'GET',
    path: '/api/deliveries',
    id: 'listAllDeliveries',
    scope: 'channels:read',
    summary: 'What all configured bots have sent and what became of it, newest first',
    query: allDeliveriesQuery,
    answers: answers('A page of deliveries', pageOf(addressedDelivery)),
    errors: ['config_broken'],
    handle: async ({ principal, query }) =>
      ok(
        await channels.history.deliveries(principal.accountId, {
          limit: query.limit,
          before: query.before ?? null,
          platform: query.platform ?? null,
          dead: query.dead === 'true',
          state: query.state ?? null,
        }),
      ),
  })

const figuresRoute = (channels: Channels): Route =>
  route({
    method: 'GET',
    path: '/api/figures',
    id: 'getFigures',
    scope: 'channels:read',
    summary: 'How much was received, answered and sent in a span of time, and how fast',
    query: trafficQuery,
    answers: answers('Counted in at most about 100 steps', traffic),
    errors: ['span_invalid', 'config_broken'],
    handle: async ({ principal, query }) =>
      ok(await channels.history.traffic(principal.accountId, { from: query.from ?? null, to: query.to ?? null })),
  })
