import { bindPlatform, type ChannelPlatform } from '../bound-platform.ts'
import type { PlatformId } from '../platform-names.ts'
import { dingtalk } from './dingtalk/platform.ts'
import { discord } from './discord/platform.ts'
import { feishu } from './feishu/platform.ts'
import { telegram } from './telegram/platform.ts'
import { weixin } from './weixin/platform.ts'
import { wecom } from './wecom/platform.ts'

/** The one place that knows which platforms there are: a new one is its folder and a line here. */
export const platforms: ReadonlyMap<PlatformId, ChannelPlatform> = new Map<PlatformId, ChannelPlatform>([
  ['feishu', bindPlatform(feishu, ['app_id', 'app_secret', 'domain'])],
  ['telegram', bindPlatform(telegram, ['bot_token', 'base_url', 'parse_mode'])],
  ['weixin', bindPlatform(weixin, ['token', 'base_url', 'ilink_bot_id', 'ilink_user_id'])],
  ['wecom', bindPlatform(wecom, ['bot_id', 'secret'])],
  ['discord', bindPlatform(discord, ['bot_token'])],
  ['dingtalk', bindPlatform(dingtalk, ['client_id', 'client_secret'])],
])

/** Fields of a channel entry by the contract's table, as they are while nothing is configured. */
const UNCONFIGURED: Readonly<Record<PlatformId, Readonly<Record<string, unknown>>>> = {
  feishu: { app_id: '', domain: '', allowed_users: [] },
  wecom: { bot_id: '' },
  weixin: { has_token: false, base_url: '', allowed_users: [] },
  discord: { has_token: false, allowed_users: [] },
  telegram: { has_token: false, base_url: '', parse_mode: '', allowed_users: [] },
  dingtalk: { client_id: '' },
}

/** The own fields of a platform that this version does not have yet. */
export const describeUnbuilt = (id: PlatformId): Readonly<Record<string, unknown>> => UNCONFIGURED[id]

export const showsAllowedUsers = (id: PlatformId): boolean => 'allowed_users' in UNCONFIGURED[id]
