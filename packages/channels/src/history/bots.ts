import { toBotKey } from '../storage/bot-handle.ts'
import { type Platforms, readOrWhy } from '../bound-platform.ts'
import type { CredentialStore } from '../config/credential-store.ts'
import { ChannelError } from '../errors.ts'
import { PLATFORM_IDS, type PlatformId } from '../platform-names.ts'

/** A bot whose credentials are stored now. */
export interface ConfiguredBot {
  readonly platform: PlatformId
  /** Key of its data. */
  readonly bot: string
}

/**
 * Returns the configured bots of an account, without those whose credentials are malformed.
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
    return [{ platform, bot: toBotKey(accountId, platform, credentials.identity) }]
  })
}

/**
 * Merges lists that are each sorted newest first, reading no more of each than needed.
 * @param isNewer Whether `a` comes before `b`.
 * @returns at most `limit`.
 */
export async function mergeNewest<T>(
  lists: readonly AsyncGenerator<T, void, undefined>[],
  isNewer: (a: T, b: T) => boolean,
  limit: number,
): Promise<readonly T[]> {
  const heads = await Promise.all(lists.map(async (list) => ({ list, head: await list.next() })))
  const out: T[] = []
  while (out.length < limit) {
    let first: (typeof heads)[number] | null = null
    for (const one of heads) {
      if (one.head.done) continue
      if (first === null || first.head.done || isNewer(one.head.value, first.head.value)) first = one
    }
    if (first === null || first.head.done) break
    out.push(first.head.value)
    if (out.length < limit) first.head = await first.list.next()
  }
  return out
}
