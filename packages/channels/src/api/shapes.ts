import type { ChannelDetails, ChannelEntry, ChannelEvent, DoctorReport, KnownUser } from '../channels.ts'
import { GROUP_POLICIES } from '../config/credential-store.ts'
import type { Diagnosis } from '../platform.ts'
import { deliveryRecord, messageRecord, platform, time } from './history-shapes.ts'
import { z } from 'zod'

/**
 * The shapes of what the channel API answers, as the OpenAPI document shows them. The types
 * hold each to what the service answers with; a test holds real answers to them.
 */

const maybeTime = time.nullable()
const state = z.enum(['stopped', 'connecting', 'running', 'degraded', 'backing_off', 'standby', 'rejected'])

const entryFields = {
  platform,
  enabled: z.boolean(),
  running: z.boolean().describe('True only while the adapter can really receive'),
  has_config: z.boolean().describe('Credentials are stored'),
  app_id: z.string().optional().describe('Feishu only: the id of the app'),
  domain: z.string().optional().describe('Feishu only: the host of its API'),
  bot_id: z.string().optional().describe('WeCom only: the id of the bot, empty when nothing is configured'),
  has_token: z
    .boolean()
    .optional()
    .describe('Weixin, Discord and Telegram only: a token is stored; it is never answered'),
  base_url: z.string().optional().describe('Weixin and Telegram only: the server that is asked'),
  parse_mode: z.string().optional().describe('Telegram only: how answers are written'),
  client_id: z.string().optional().describe('DingTalk only: the id of the client'),
  allowed_users: z
    .array(z.string())
    .optional()
    .describe('Feishu, Weixin, Discord and Telegram only: whom the bot answers; empty means everybody'),
}

export const channelEntry: z.ZodType<ChannelEntry> = z.strictObject(entryFields).meta({
  id: 'ChannelEntry',
  description: 'A channel: one platform of this account',
})

export const channelDetails: z.ZodType<ChannelDetails> = z
  .strictObject({
    ...entryFields,
    state,
    reason: z.string().nullable().describe('Stable code of why it is in this state'),
    message: z.string().nullable().describe('The same as a sentence'),
    since: time,
    bot: z.strictObject({ id: z.string(), name: z.string().nullable() }).nullable(),
    group_policy: z
      .enum(GROUP_POLICIES)
      .describe('Who is answered in groups: those who are answered at all, everybody there, or nobody'),
    secrets: z
      .record(z.string(), z.string())
      .describe('Stored secrets by the names of their fields: asterisks and the last four characters, nothing more'),
    retry_at: maybeTime.describe('Next attempt, while backing off; milliseconds since the Unix epoch'),
    last_heard_at: maybeTime.describe('The last sign of life of the platform: a frame, a poll, a heartbeat'),
    last_inbound_at: maybeTime,
    last_delivered_at: maybeTime,
    gaps: z
      .array(z.strictObject({ from: time, to: time, why: z.string() }))
      .describe('Spans in which the platform may have lost messages, newest first'),
    send_budget: z
      .strictObject({
        available: z.number().describe('Messages that could be sent at once now'),
        per_second: z.number(),
        paused_until: maybeTime.describe('Until when the platform asked us to wait'),
      })
      .nullable(),
    queued: z.number().int().describe('Deliveries that wait to be sent'),
    dead: z.number().int().describe('Deliveries that failed for good and wait for a person'),
  })
  .meta({ id: 'ChannelDetails' })

export const knownUser: z.ZodType<KnownUser> = z
  .strictObject({
    user_id: z.string(),
    name: z.string().nullable(),
    username: z.string().nullable(),
    last_seen_at: time,
    reachable: z.boolean().describe('A message can be sent to this person now'),
    reason: z.string().nullable().describe('Why not; null when reachable'),
    sends_left: z
      .number()
      .int()
      .nullable()
      .describe('Messages that can be sent until the person writes again; null when the platform counts none'),
    allowed: z.boolean().describe('The assistant answers this person'),
  })
  .meta({ id: 'KnownUser', description: 'Somebody who has written to the bot' })

const fix = z
  .strictObject({
    kind: z
      .enum(['enable', 'restart', 'set_up', 'dead_letters', 'invite'])
      .describe(
        [
          '`enable`: enable the channel. `restart`: disable and enable it. `set_up`: give it new credentials.',
          '`invite`: the set-up of that kind. `dead_letters`: look at the deliveries that failed.',
        ].join(' '),
      ),
  })
  .meta({ id: 'Fix', description: 'What mends it, where a program can do it' })

export const check: z.ZodType<Diagnosis> = z
  .strictObject({
    id: z.string().describe('Stable name of the check'),
    title: z.string(),
    status: z.enum(['pass', 'warn', 'fail']),
    detail: z.string().describe('What was proven'),
    at: z.int().exactOptional().describe('When it was proven, milliseconds since the Unix epoch'),
    remedy: z.string().exactOptional().describe('The one command or page that mends it'),
    fix: fix.exactOptional(),
  })
  .meta({ id: 'Check', description: 'One check of the doctor' })

export const doctorReport: z.ZodType<DoctorReport> = z
  .strictObject({
    ok: z.boolean().describe('Nothing failed'),
    sections: z.array(
      z.strictObject({
        platform: platform.nullable().describe('null: the service itself'),
        title: z.string(),
        checks: z.array(check),
      }),
    ),
  })
  .meta({ id: 'DoctorReport', description: 'Everything that was checked' })

const happened = { platform, at: time }
export const channelEvent: z.ZodType<ChannelEvent> = z
  .discriminatedUnion('type', [
    z.strictObject({
      ...happened,
      type: z.literal('state'),
      state,
      reason: z.string().nullable(),
      message: z.string().nullable(),
    }),
    z.strictObject({ ...happened, type: z.literal('message'), message: messageRecord }),
    z.strictObject({ ...happened, type: z.literal('delivery'), delivery: deliveryRecord }),
  ])
  .meta({ id: 'Event' })

export const done: z.ZodType<{ readonly ok: true }> = z.strictObject({ ok: z.literal(true) }).meta({ id: 'Done' })
