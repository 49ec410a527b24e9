import { z } from 'zod'
import type { ChannelPlatform } from '../bound-platform.ts'
import { ChannelError } from '../errors.ts'
import { GROUP_POLICIES, type GroupPolicy, type StoredChannel } from './credential-store.ts'

/** A parsed save request. */
export interface SaveRequest {
  readonly enabled?: boolean | undefined
  readonly allowedUsers?: readonly string[] | undefined
  readonly groupPolicy?: GroupPolicy | undefined
  /** The platform's own fields that were given. */
  readonly fields: Readonly<Record<string, unknown>>
  /** A secret was given: the body is a complete new set of credentials. */
  readonly credentials: boolean
}

const common = z.object({
  enabled: z.boolean().optional(),
  allowed_users: z
    .array(z.union([z.string().trim().min(1).max(200), z.number().int().transform(String)]))
    .max(10_000)
    .optional(),
  group_policy: z.enum(GROUP_POLICIES).optional(),
})

/** Parses the body of a save request. @throws {ChannelError} `credentials_invalid` naming the field */
export function readSave(platform: ChannelPlatform, body: unknown): SaveRequest {
  const given = z.record(z.string(), z.unknown()).safeParse(body)
  if (!given.success) throw invalid('body', 'must be a JSON object')
  const { enabled, allowed_users, group_policy, ...fields } = given.data
  const parsed = common.safeParse({ enabled, allowed_users, group_policy })
  if (!parsed.success) throw invalid(String(parsed.error.issues[0]?.path[0]), 'is malformed')
  const unknown = Object.keys(fields).find((name) => !platform.fields.includes(name))
  if (unknown !== undefined) throw invalid(unknown, `is not a field of ${platform.id}`)
  const secret = platform.secrets.find((name) => name in fields)
  const bound = platform.bound.find((name) => name in fields)
  if (secret === undefined && bound !== undefined) {
    // it decides where the stored secret is sent
    throw invalid(bound, `can only be changed together with ${platform.secrets.join(' and ')}`)
  }
  if (Object.keys(given.data).length === 0) throw invalid(platform.secrets[0] ?? 'body', 'is missing')
  return {
    enabled: parsed.data.enabled,
    allowedUsers: parsed.data.allowed_users && [...new Set(parsed.data.allowed_users)],
    groupPolicy: parsed.data.group_policy,
    fields,
    credentials: secret !== undefined,
  }
}

/**
 * Returns the channel as it will be stored. New credentials keep the settings that do not depend on them.
 * @throws {ChannelError} `credentials_invalid` naming the field, `no_credentials`
 */
export function applySave(
  platform: ChannelPlatform,
  current: StoredChannel | undefined,
  request: SaveRequest,
): StoredChannel {
  const stored = current?.credentials ?? {}
  if (!request.credentials && !platform.secrets.every((name) => isGiven(stored[name])))
    throw new ChannelError('no_credentials')
  const groupPolicy = request.groupPolicy ?? current?.groupPolicy ?? 'allowed'
  const tied = new Set([...platform.secrets, ...platform.bound])
  const before = Object.entries(stored)
  const kept = request.credentials
    ? before.filter(([name]) => platform.fields.includes(name) && !tied.has(name))
    : before
  return {
    enabled: request.enabled ?? (request.credentials || current?.enabled === true),
    allowedUsers: request.allowedUsers ?? current?.allowedUsers ?? [],
    // the default is not written to files that people read
    ...(groupPolicy !== 'allowed' && { groupPolicy }),
    credentials: readFields(platform, { ...Object.fromEntries(kept), ...request.fields }),
  }
}

/** Returns whether a field has a value: in a file edited by hand it may be present but empty. */
export const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== ''

function readFields(platform: ChannelPlatform, fields: Record<string, unknown>): StoredChannel['credentials'] {
  try {
    return platform.read(fields).stored
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error
    const issue = error.issues[0]
    const field = String(issue?.path[0] ?? 'body')
    if (!(field in fields)) throw invalid(field, 'is missing')
    // a platform's message is a complete sentence without the value; the schema library's is not
    if (issue?.message.startsWith(field) && issue.message.endsWith('.'))
      throw new ChannelError('credentials_invalid', { message: issue.message, details: { field } })
    throw invalid(field, 'is malformed')
  }
}

const invalid = (field: string, why: string): ChannelError =>
  new ChannelError('credentials_invalid', { message: `${field} ${why}.`, details: { field } })
