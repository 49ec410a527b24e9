/** The six platforms and their aliases. Responses use the id; an alias is accepted anywhere. */
const NAMES = {
  feishu: ['lark', 'platform_a'],
  wecom: ['platform_b'],
  weixin: ['wechat', 'platform_c'],
  discord: ['platform_d'],
  telegram: ['platform_e'],
  dingtalk: ['platform_f'],
} as const satisfies Record<string, readonly string[]>

/** Id of a platform. */
export type PlatformId = keyof typeof NAMES

/** All platforms, in the order in which they are listed. */
export const PLATFORM_IDS: readonly PlatformId[] = ['feishu', 'wecom', 'weixin', 'discord', 'telegram', 'dingtalk']

const BY_NAME: ReadonlyMap<string, PlatformId> = new Map(
  PLATFORM_IDS.flatMap((id) => [id, ...NAMES[id]].map((name): [string, PlatformId] => [name, id])),
)

/** Returns the platform with this id or alias (case-insensitive), or `undefined`. */
export const parsePlatformId = (name: string): PlatformId | undefined => BY_NAME.get(name.toLowerCase())
