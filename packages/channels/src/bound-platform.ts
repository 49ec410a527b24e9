import type { StoredChannel } from './config/credential-store.ts'
import { ChannelError } from './errors.ts'
import type { ChannelCheck, Platform, Validation } from './platform.ts'
import type { PlatformIo } from './platform-io.ts'
import type { Connection } from './connection.ts'
import type { PlatformId } from './platform-names.ts'

/** A platform as the core holds it: the type of its credentials stays inside. */
export interface ChannelPlatform
  extends Pick<
    Platform<unknown>,
    'id' | 'label' | 'limits' | 'dialect' | 'setups' | 'provedByConnecting' | 'answersSomeOnly'
  > {
  readonly secrets: readonly string[]
  readonly bound: readonly string[]
  /** Names of all fields that may be stored. */
  readonly fields: readonly string[]
  /** @throws {ZodError} when `raw` is not what the platform stores. */
  read(raw: unknown): Credentials
  /** The platform's own fields of a channel entry; `null`, or what cannot be read: as if nothing were configured. */
  describe(raw: unknown, io: PlatformIo): Readonly<Record<string, unknown>>
}

/** Credentials that have been read, with what can be done with them. */
export interface Credentials {
  /** As they are to be stored: trimmed, defaults left out. */
  readonly stored: Readonly<Record<string, unknown>>
  readonly identity: string
  validate(io: PlatformIo, signal: AbortSignal): Promise<Validation>
  connect(io: PlatformIo): Connection
  diagnose(io: PlatformIo, signal: AbortSignal): Promise<readonly ChannelCheck[]>
}

/** Every platform by its id. */
export type Platforms = Readonly<Record<PlatformId, ChannelPlatform>>

/** @throws {ChannelError} `config_broken`, without the values */
export function readStored(platform: ChannelPlatform, channel: StoredChannel): Credentials {
  try {
    return platform.read(channel.credentials)
  } catch {
    // the reason would quote the value, which may be a secret
    throw new ChannelError('config_broken', {
      message: `The stored credentials of ${platform.id} do not have the right form. Save them again.`,
    })
  }
}

/** The same, with the error as a value. */
export function readOrWhy(platform: ChannelPlatform, channel: StoredChannel): Credentials | ChannelError {
  try {
    return readStored(platform, channel)
  } catch (error) {
    if (error instanceof ChannelError) return error
    throw error
  }
}

/**
 * Hides the type of a platform's credentials.
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
      return {
        stored: Object.fromEntries(Object.entries(credentials)),
        identity: platform.identity(credentials),
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
