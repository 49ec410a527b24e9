import type { PageInfo } from './page-info.ts'

/** Of every platform, by its name. */
export const PAGE_INFOS = {
  feishu: {
    platform: 'feishu',
    label: 'Feishu',
    groups: true,
    acts: ['scan', 'confirm', 'refuse', 'expire', 'redirect'],
  },
  wecom: {
    platform: 'wecom',
    label: 'WeCom',
    groups: true,
    confirms: false,
    acts: ['scan', 'confirm', 'refuse', 'expire'],
  },
  weixin: {
    platform: 'weixin',
    label: 'Weixin',
    groups: false,
    acts: ['scan', 'confirm', 'expire', 'redirect', 'stale', 'already_bound'],
  },
  discord: { platform: 'discord', label: 'Discord', groups: true, confirms: false, acts: [] },
  telegram: { platform: 'telegram', label: 'Telegram', groups: true, acts: [] },
  dingtalk: { platform: 'dingtalk', label: 'DingTalk', groups: true, acts: ['scan', 'confirm', 'refuse', 'expire'] },
} as const satisfies Readonly<Record<string, PageInfo>>
