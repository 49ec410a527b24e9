import { botName } from '../bot-handle.ts'
import { type Platforms, readOrWhy } from '../bound-platform.ts'
import type { CredentialStore } from '../config/credential-store.ts'
import { ChannelError } from '../errors.ts'
import { PLATFORM_IDS, type PlatformId } from '../platform-names.ts'

/** A bot whose credentials are stored now. */
export interface ConfiguredBot {
  readonly platform: PlatformId
  /** What its messages are kept under. */
  readonly bot: string
}

/**
 * The bots of an account; whose credentials cannot be read, that one is not known.
 * @throws {ChannelError} `config_broken`
 */
export async function configuredBots(
  store: Pick<CredentialStore, 'read'>,
  platforms: Platforms,
  accountId: string,
): Promise<readonly ConfiguredBot[]> {
  const channels = await store.read(accountId)
  return PLATFORM_IDS.flatMap((platform) => {
    const channel = channels[platform]
    const credentials = channel && readOrWhy(platforms[platform], channel)
    if (credentials === undefined || credentials instanceof ChannelError) return []
    return [{ platform, bot: botName(accountId, platform, credentials.identity) }]
  })
}
