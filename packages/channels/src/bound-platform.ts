import type { StoredChannel } from './config/credential-store.ts'
import { ChannelError } from './errors.ts'
import type { ChannelCheck, Platform, Validation } from './platform.ts'
import type { PlatformIo } from './platform-io.ts'
import type { Connection } from './connection.ts'
import type { PlatformId } from './platform-names.ts'

/** A platform as the core sees it, without the type of its credentials. */
export interface ChannelPlatform
  extends Pick<
    Platform<unknown>,
    'id' | 'label' | 'limits' | 'dialect' | 'setups' | 'provedByConnecting' | 'answersSomeOnly'
  > {
  readonly secrets: readonly string[]
  readonly bound: readonly string[]
  /** Names of all credential fields. */
  readonly fields: readonly string[]
  /** Parses stored credentials. @throws {ZodError} when `raw` is not what the platform stores. */
  read(raw: unknown): Credentials
  /** Returns the platform's own fields of a channel entry. `null` or unreadable values count as not configured. */
  describe(raw: unknown, io: PlatformIo): Readonly<Record<string, unknown>>
}

/** Parsed credentials, with the operations they allow. */
export interface Credentials {
  /** As stored: trimmed, without defaults. */
  readonly stored: Readonly<Record<string, unknown>>
  readonly identity: string
  /** Returns the bot's own server; `null`: the vendor's or the configured one. */
  customServer(io: Pick<PlatformIo, 'host'>): URL | null
  /** Returns the name of the bot's lease. Includes its own server, which could otherwise claim any bot id. */
  leaseName(io: Pick<PlatformIo, 'host'>): string
  validate(io: PlatformIo, signal: AbortSignal): Promise<Validation>
  connect(io: PlatformIo): Connection
  diagnose(io: PlatformIo, signal: AbortSignal): Promise<readonly ChannelCheck[]>
}

/** Every platform by its id. */
export type Platforms = Readonly<Record<PlatformId, ChannelPlatform>>

/** Parses a channel's stored credentials. @throws {ChannelError} `config_broken`, without the values */
export function readStored(platform: ChannelPlatform, channel: StoredChannel): Credentials {
  try {
    return platform.read(channel.credentials)
  } catch {
    // the cause would quote the value, which may be a secret
    throw new ChannelError('config_broken', {
      message: `The stored credentials of ${platform.id} are malformed. Save them again.`,
    })
  }
}

/** Parses a channel's stored credentials, or returns the error. */
export function readOrWhy(platform: ChannelPlatform, channel: StoredChannel): Credentials | ChannelError {
  try {
    return readStored(platform, channel)
  } catch (error) {
    if (error instanceof ChannelError) return error
    throw error
  }
}

/**
 * Wraps a platform so that the core need not know the type of its credentials.
 * @param fields Names of all its credential fields.
 */
export function bindPlatform<C extends object>(
  platform: Platform<C>,
  fields: readonly (keyof C & string)[],
): ChannelPlatform {
  const { schema, secrets, bound } = platform.credentials
  return {
    id: platform.id,
    label: platform.label,
    limits: platform.limits,
    dialect: platform.dialect,
    setups: platform.setups,
    ...(platform.provedByConnecting && { provedByConnecting: true }),
    ...(platform.answersSomeOnly && { answersSomeOnly: true }),
    secrets,
    bound,
    fields,
    read(raw) {
      const credentials = schema.parse(raw)
      const identity = platform.identity(credentials)
      const customServer: Credentials['customServer'] = (io) => platform.customServer?.(credentials, io) ?? null
      return {
        stored: Object.fromEntries(Object.entries(credentials)),
        identity,
        customServer,
        leaseName(io) {
          const server = customServer(io)
          return `${platform.id}/${identity}${server === null ? '' : `@${server.host}${server.pathname}`}`
        },
        validate: (io, signal) => platform.validate(credentials, io, signal),
        connect: (io) => platform.connect(credentials, io),
        diagnose: (io, signal) => platform.diagnose(credentials, io, signal),
      }
    },
    describe(raw, io) {
      const credentials = raw === null ? null : schema.safeParse(raw)
      return platform.describe(credentials?.success ? credentials.data : null, io)
    },
  }
}
