import type { ChannelEntry, KnownUser } from '../../../api/gateway-api.ts'
import { useCall } from '../../../api/queries.ts'
import { PLATFORMS, type Platform } from '../../../parts/platform.tsx'
import { nameOrId } from '../said/names.ts'

/** A person who has messaged the bot of a platform. */
export interface Person {
  /** Unique per person and platform. */
  readonly key: string
  readonly platform: Platform
  readonly userId: string
  readonly name: string
  readonly user: KnownUser
  /** Can be messaged now. */
  readonly reachable: boolean
}

/** The people of a connected platform. */
export interface PlatformPeople {
  readonly platform: Platform
  readonly running: boolean
  readonly people: readonly Person[]
  readonly isLoading: boolean
  readonly error: unknown
  retry(): void
}

/** Returns the key of a person on a platform. */
export const personKey = (platform: string, userId: string): string => `${platform} ${userId}`

const toPerson = (platform: Platform, running: boolean, user: KnownUser): Person => ({
  key: personKey(platform, user.user_id),
  platform,
  userId: user.user_id,
  name: nameOrId(user.name, user.username ?? user.user_id),
  user,
  reachable: running && user.reachable,
})

/** Reports whether a text is part of a person's names or ID. */
export function matchesPerson({ name, user }: Person, words: string): boolean {
  const wanted = words.trim().toLowerCase()
  return [name, user.username ?? '', user.user_id].some((text) => text.toLowerCase().includes(wanted))
}

/** Returns the known people by platform; `null` until the connected platforms are known. */
export function usePeople(): { readonly of: readonly PlatformPeople[] | null; readonly error: unknown; retry(): void } {
  const channels = useCall('listChannels', {})
  const entries = new Map(channels.data?.channels.map((one) => [one.platform, one]))
  const lists: Readonly<Record<Platform, PlatformPeople>> = {
    feishu: usePlatformPeople('feishu', entries.get('feishu')),
    wecom: usePlatformPeople('wecom', entries.get('wecom')),
    weixin: usePlatformPeople('weixin', entries.get('weixin')),
    discord: usePlatformPeople('discord', entries.get('discord')),
    telegram: usePlatformPeople('telegram', entries.get('telegram')),
    dingtalk: usePlatformPeople('dingtalk', entries.get('dingtalk')),
  }
  const connected = PLATFORMS.filter((one) => entries.get(one)?.has_config === true)
  return {
    of: channels.data === undefined ? null : connected.map((one) => lists[one]),
    error: channels.error,
    retry: () => void channels.refetch(),
  }
}

function usePlatformPeople(platform: Platform, entry: ChannelEntry | undefined): PlatformPeople {
  const isConnected = entry?.has_config === true
  const { data, error, refetch } = useCall('listUsers', { params: { platform } }, { when: isConnected })
  const running = entry?.running === true
  return {
    platform,
    running,
    people: data?.users.map((user) => toPerson(platform, running, user)) ?? [],
    isLoading: isConnected && data === undefined && error === null,
    error: data === undefined ? error : null,
    retry: () => void refetch(),
  }
}
