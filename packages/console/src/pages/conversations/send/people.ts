import type { ChannelEntry, KnownUser } from '../../../api/gateway-api.ts'
import { useCall } from '../../../api/queries.ts'
import { PLATFORMS, type Platform } from '../../../parts/platform.tsx'
import { nameOr } from '../said/names.ts'

/** Somebody who has written to the bot of a platform. */
export interface Person {
  /** Of this person on this platform. */
  readonly key: string
  readonly platform: Platform
  readonly userId: string
  readonly name: string
  readonly user: KnownUser
  /** A message can be sent now. */
  readonly reachable: boolean
}

/** The people of a platform that is connected. */
export interface PeopleOf {
  readonly platform: Platform
  readonly running: boolean
  readonly people: readonly Person[]
  readonly isLoading: boolean
  readonly error: unknown
  retry(): void
}

/** Names a person in addresses and choices. */
export const personKey = (platform: string, userId: string): string => `${platform} ${userId}`

const personOf = (platform: Platform, running: boolean, user: KnownUser): Person => ({
  key: personKey(platform, user.user_id),
  platform,
  userId: user.user_id,
  name: nameOr(user.name, user.username ?? user.user_id),
  user,
  reachable: running && user.reachable,
})

/** Whether these words stand in what is known of a person. */
export function isFound({ name, user }: Person, words: string): boolean {
  const wanted = words.trim().toLowerCase()
  return [name, user.username ?? '', user.user_id].some((text) => text.toLowerCase().includes(wanted))
}

/** Everybody who has written, by platform; `null` until it is known which platforms are connected. */
export function usePeople(): { readonly of: readonly PeopleOf[] | null; readonly error: unknown; retry(): void } {
  const channels = useCall('listChannels', {})
  const entries = new Map(channels.data?.channels.map((one) => [one.platform, one]))
  const lists: Readonly<Record<Platform, PeopleOf>> = {
    feishu: usePeopleOf('feishu', entries.get('feishu')),
    wecom: usePeopleOf('wecom', entries.get('wecom')),
    weixin: usePeopleOf('weixin', entries.get('weixin')),
    discord: usePeopleOf('discord', entries.get('discord')),
    telegram: usePeopleOf('telegram', entries.get('telegram')),
    dingtalk: usePeopleOf('dingtalk', entries.get('dingtalk')),
  }
  const connected = PLATFORMS.filter((one) => entries.get(one)?.has_config === true)
  return {
    of: channels.data === undefined ? null : connected.map((one) => lists[one]),
    error: channels.error,
    retry: () => void channels.refetch(),
  }
}

function usePeopleOf(platform: Platform, entry: ChannelEntry | undefined): PeopleOf {
  const isConnected = entry?.has_config === true
  const { data, error, refetch } = useCall('listUsers', { params: { platform } }, { when: isConnected })
  const running = entry?.running === true
  return {
    platform,
    running,
    people: data?.users.map((user) => personOf(platform, running, user)) ?? [],
    isLoading: isConnected && data === undefined && error === null,
    error: data === undefined ? error : null,
    retry: () => void refetch(),
  }
}
