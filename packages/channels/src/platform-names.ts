/** The six platforms and every word that names them. Answers carry the first name, an alias is accepted anywhere. */
const NAMES = {
  feishu: ['lark', 'platform_a'],
  wecom: ['platform_b'],
  weixin: ['wechat', 'platform_c'],
  discord: ['platform_d'],
  telegram: ['platform_e'],
  dingtalk: ['platform_f'],
} as const satisfies Record<string, readonly string[]>

export type PlatformId = keyof typeof NAMES

export const PLATFORM_IDS: readonly PlatformId[] = ['feishu', 'wecom', 'weixin', 'discord', 'telegram', 'dingtalk']

const BY_NAME: ReadonlyMap<string, PlatformId> = new Map(
  PLATFORM_IDS.flatMap((id) => [id, ...NAMES[id]].map((name): [string, PlatformId] => [name, id])),
)

/** The platform that `name` means, in any case; `undefined` when there is none. */
export const platformNamed = (name: string): PlatformId | undefined => BY_NAME.get(name.toLowerCase())
