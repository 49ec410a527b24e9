import { bindPlatform, type Platforms } from '../bound-platform.ts'
import { dingtalk } from './dingtalk/platform.ts'
import { discord } from './discord/platform.ts'
import { feishu } from './feishu/platform.ts'
import { telegram } from './telegram/platform.ts'
import { weixin } from './weixin/platform.ts'
import { wecom } from './wecom/platform.ts'

/** All platforms. To add one, create its folder and add a line here. */
export const platforms: Platforms = {
  feishu: bindPlatform(feishu, ['app_id', 'app_secret', 'domain']),
  wecom: bindPlatform(wecom, ['bot_id', 'secret']),
  weixin: bindPlatform(weixin, ['token', 'base_url', 'ilink_bot_id', 'ilink_user_id']),
  discord: bindPlatform(discord, ['bot_token']),
  telegram: bindPlatform(telegram, ['bot_token', 'base_url', 'parse_mode']),
  dingtalk: bindPlatform(dingtalk, ['client_id', 'client_secret']),
}

/** For programs with their own Discord setup. */
export { inviteUrl as discordInviteUrl, PORTAL_URL as DISCORD_PORTAL_URL } from './discord/bot.ts'
