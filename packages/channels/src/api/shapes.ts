import type { ChannelDetails, ChannelEntry, ChannelEvent, DoctorReport, KnownUser } from '../channels.ts'
import { GROUP_POLICIES } from '../config/credential-store.ts'
import type { Diagnosis } from '../platform.ts'
import { deliveryRecord, messageRecord, platform, time } from './history-shapes.ts'
import { z } from 'zod'

/**
 * Schemas for the responses of the channel API, as the OpenAPI document shows them. The types keep them in line with
 * the service, and a test checks real responses against them.
 */

const maybeTime = time.nullable()
const state = z.enum(['stopped', 'connecting', 'running', 'degraded', 'backing_off', 'standby', 'rejected'])

const entryFields = {
  platform,
  enabled: z.boolean(),
  running: z.boolean().describe('True only while the channel can actually receive messages'),
  has_config: z.boolean().describe('Credentials are stored'),
  app_id: z.string().optional().describe('Feishu only: App ID'),
  domain: z.string().optional().describe('Feishu only: base URL of the API'),
  bot_id: z.string().optional().describe('WeCom only: Bot ID; empty when nothing is configured'),
  has_token: z
    .boolean()
    .optional()
    .describe('Weixin, Discord and Telegram only: whether a token is stored; the token itself is never returned'),
  base_url: z.string().optional().describe('Weixin and Telegram only: base URL of the server'),
  parse_mode: z.string().optional().describe('Telegram only: parse mode'),
  client_id: z.string().optional().describe('DingTalk only: Client ID'),
  allowed_users: z
    .array(z.string())
    .optional()
    .describe('Feishu, Weixin, Discord and Telegram only: users the bot replies to; empty means everyone'),
}

/** Schema of an entry of the channel list. */
export const channelEntry: z.ZodType<ChannelEntry> = z.strictObject(entryFields).meta({
  id: 'ChannelEntry',
  description: 'A channel: one platform of this account',
})

/** Schema of one channel. */
export const channelDetails: z.ZodType<ChannelDetails> = z
  .strictObject({
    ...entryFields,
    state,
    reason: z.string().nullable().describe('Stable code of the reason for this state'),
    message: z.string().nullable().describe('The reason as a sentence'),
    since: time,
    bot: z.strictObject({ id: z.string(), name: z.string().nullable() }).nullable(),
    group_policy: z.enum(GROUP_POLICIES).describe('Who gets replies in groups: the allowed users, everyone, or no one'),
    secrets: z
      .record(z.string(), z.string())
      .describe('Stored secrets by field name, masked except for the last four characters'),
    retry_at: maybeTime.describe('Next connection attempt while backing off, milliseconds since the Unix epoch'),
    last_heard_at: maybeTime.describe('Last heartbeat of the platform: a frame, poll or ping'),
    last_inbound_at: maybeTime,
    last_delivered_at: maybeTime,
    gaps: z
      .array(
        z.strictObject({
          from: time,
          to: time,
          why: z.string(),
          reason_code: z.string().nullable().describe('Code of `why`; null in gaps that were stored without one'),
          values: z
            .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
            .describe('Values of `reason_code`, by name'),
        }),
      )
      .describe('Time ranges in which messages may have been lost, newest first'),
    send_budget: z
      .strictObject({
        available: z.number().describe('Messages that can be sent right now without waiting'),
        per_second: z.number(),
        paused_until: maybeTime.describe('End of the pause that the platform asked for'),
      })
      .nullable(),
    queued: z.number().int().describe('Queued deliveries'),
    dead: z.number().int().describe('Failed deliveries that need attention'),
  })
  .meta({ id: 'ChannelDetails' })

/** Schema of a user who has written to the bot. */
export const knownUser: z.ZodType<KnownUser> = z
  .strictObject({
    user_id: z.string(),
    name: z.string().nullable(),
    username: z.string().nullable(),
    last_seen_at: time,
    reachable: z.boolean().describe('Whether a message can be sent to this user now'),
    reason: z.string().nullable().describe('Why the user is unreachable; null when reachable'),
    reason_code: z
      .string()
      .nullable()
      .describe("Code of `reason`; null when reachable, or when `reason` is the platform's own text"),
    sends_left: z
      .number()
      .int()
      .nullable()
      .describe(
        'Messages that can be sent before the user has to write again; null when the platform has no such limit',
      ),
    allowed: z.boolean().describe('Whether the assistant replies to this user'),
  })
  .meta({ id: 'KnownUser', description: 'A user who has written to the bot' })

const fix = z
  .strictObject({
    kind: z
      .enum(['enable', 'restart', 'set_up', 'dead_letters', 'invite'])
      .describe(
        [
          '`enable`: enable the channel. `restart`: disable and enable it. `set_up`: enter new credentials.',
          '`invite`: start the setup of that kind. `dead_letters`: review failed messages.',
        ].join(' '),
      ),
  })
  .meta({ id: 'Fix', description: 'An automatic fix for a failed check' })

/** Schema of a check of the doctor. */
export const check: z.ZodType<Diagnosis> = z
  .strictObject({
    id: z.string().describe('Stable name of the check'),
    title: z.string(),
    status: z.enum(['pass', 'warn', 'fail']),
    detail: z.string().describe('Result of the check'),
    finding: z.string().exactOptional().describe('Stable code of the result'),
    values: z
      .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(z.string()).readonly()]))
      .exactOptional()
      .describe('Values of `finding`, by name'),
    at: z.int().exactOptional().describe('When the result was obtained, milliseconds since the Unix epoch'),
    remedy: z.string().exactOptional().describe('The command or page that fixes it'),
    fix: fix.exactOptional(),
  })
  .meta({ id: 'Check', description: 'A check of the doctor' })

/** Schema of the doctor's report. */
export const doctorReport: z.ZodType<DoctorReport> = z
  .strictObject({
    ok: z.boolean().describe('False when a check failed'),
    sections: z.array(
      z.strictObject({
        platform: platform.nullable().describe('null: the service itself'),
        subject: z.enum(['service', 'accounts']).exactOptional().describe('What is checked, where `platform` is null'),
        title: z.string(),
        checks: z.array(check),
      }),
    ),
  })
  .meta({ id: 'DoctorReport', description: 'All checks of the doctor' })

const eventBase = { platform, at: time }
/** Schema of a server-sent event. */
export const channelEvent: z.ZodType<ChannelEvent> = z
  .discriminatedUnion('type', [
    z.strictObject({
      ...eventBase,
      type: z.literal('state'),
      state,
      reason: z.string().nullable(),
      message: z.string().nullable(),
    }),
    z.strictObject({ ...eventBase, type: z.literal('message'), message: messageRecord }),
    z.strictObject({ ...eventBase, type: z.literal('delivery'), delivery: deliveryRecord }),
  ])
  .meta({ id: 'Event' })

/** Schema of a successful response without data. */
export const okBody: z.ZodType<{ readonly ok: true }> = z.strictObject({ ok: z.literal(true) }).meta({ id: 'Done' })
