import type { Caller } from '../accounts/caller.ts'
import { type Channels, PLATFORM_IDS, type Scope } from '@gatepost/channels'
import { z } from 'zod'

/** Context of a tool call: the caller, and the signal that ends it. */
export interface ToolCall {
  readonly caller: Caller
  readonly signal: AbortSignal
}

/** One tool of the Model Context Protocol server. */
export interface Tool {
  readonly name: string
  readonly title: string
  /** Description for the model. */
  readonly description: string
  readonly scope: Scope
  readonly input: z.ZodObject
  readonly output: z.ZodObject
  /** Hints for clients: whether it changes anything, and whether it's idempotent. */
  readonly annotations: {
    readonly readOnlyHint: boolean
    readonly idempotentHint: boolean
    readonly openWorldHint: boolean
  }
  /** @throws {ChannelError} */
  run(call: ToolCall, input: unknown): Promise<Readonly<Record<string, unknown>>>
}

const READS = { readOnlyHint: true, idempotentHint: true, openWorldHint: false } as const

const platform = z.enum(PLATFORM_IDS)

/** A tool whose `run` receives the input as its schema parses it. */
function tool<Input extends z.ZodObject>(
  typed: Omit<Tool, 'input' | 'run'> & {
    readonly input: Input
    run(call: ToolCall, input: z.output<Input>): Promise<Readonly<Record<string, unknown>>>
  },
): Tool {
  return { ...typed, run: (call, input) => typed.run(call, typed.input.parse(input)) }
}

/** Returns the tools for an account's channels. */
export const createTools = (channels: Channels): readonly Tool[] => [
  listChannels(channels),
  listUsers(channels),
  sendMessage(channels),
  channelDoctor(channels),
]

const listChannels = (channels: Channels): Tool =>
  tool({
    name: 'list_channels',
    title: 'List channels',
    description:
      'Lists the chat platforms of this account and whether each is set up, enabled and running. Only a running channel can send.',
    scope: 'channels:read',
    input: z.strictObject({}),
    output: z.object({
      channels: z.array(
        z.object({ platform: z.string(), enabled: z.boolean(), running: z.boolean(), has_config: z.boolean() }),
      ),
    }),
    annotations: READS,
    async run({ caller }) {
      const entries = await channels.list(caller.principal)
      return {
        channels: entries.map(({ platform: name, enabled, running, has_config }) => ({
          platform: name,
          enabled,
          running,
          has_config,
        })),
      }
    },
  })

const listUsers = (channels: Channels): Tool =>
  tool({
    name: 'list_users',
    title: 'List people',
    description:
      'Lists the people who have messaged the bot on one platform, with their `user_id` and whether a message can reach them now.',
    scope: 'channels:read',
    input: z.strictObject({ platform }),
    output: z.object({
      users: z.array(
        z.object({
          user_id: z.string(),
          name: z.string().nullable(),
          username: z.string().nullable(),
          last_seen_at: z.number(),
          reachable: z.boolean(),
          reason: z.string().nullable(),
        }),
      ),
    }),
    annotations: READS,
    async run({ caller }, input) {
      const users = await channels.users(caller.principal, input.platform)
      return {
        users: users.map(({ user_id, name, username, last_seen_at, reachable, reason }) => ({
          user_id,
          name,
          username,
          last_seen_at,
          reachable,
          reason,
        })),
      }
    },
  })

const sendMessage = (channels: Channels): Tool =>
  tool({
    name: 'send_message',
    title: 'Send a message',
    description:
      'Sends a message (Markdown) to a person on one platform and waits for the platform to confirm it. A person can only be reached after messaging the bot once. Do not repeat a call whose outcome is unknown without looking.',
    scope: 'channels:send',
    input: z.strictObject({
      platform,
      message: z.string().min(1).max(100_000),
      user_id: z
        .string()
        .min(1)
        .max(256)
        .optional()
        .describe('User id from list_users; optional if exactly one person is known'),
    }),
    output: z.object({ delivery_id: z.string() }),
    annotations: { readOnlyHint: false, idempotentHint: false, openWorldHint: true },
    async run({ caller }, input) {
      const { principal } = caller
      const sent = await channels.send(principal, input.platform, input.message, input.user_id ?? null)
      return { delivery_id: sent.deliveryId }
    },
  })

const channelDoctor = (channels: Channels): Tool =>
  tool({
    name: 'channel_doctor',
    title: 'Check a channel',
    description: 'Checks one channel and returns what to do about each problem.',
    scope: 'channels:read',
    input: z.strictObject({ platform }),
    output: z.object({
      checks: z.array(
        z.object({
          id: z.string(),
          title: z.string(),
          status: z.enum(['pass', 'warn', 'fail']),
          detail: z.string(),
          at: z.number().optional(),
          remedy: z.string().optional(),
        }),
      ),
    }),
    annotations: { ...READS, openWorldHint: true },
    run: async ({ caller, signal }, input) => ({
      checks: await channels.diagnose(caller.principal, input.platform, signal),
    }),
  })
