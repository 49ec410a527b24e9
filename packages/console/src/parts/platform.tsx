import type { ReactNode } from 'react'
import badge from './badge.module.css'
import { classNames } from './button.tsx'
import { defineTexts, useTexts } from '../language/language.ts'

/** The platforms in display order. */
export const PLATFORMS = ['feishu', 'wecom', 'weixin', 'discord', 'telegram', 'dingtalk'] as const
/** The id of a platform. */
export type Platform = (typeof PLATFORMS)[number]

/** Reports whether a text names a platform. */
export const isPlatform = (text: string): text is Platform => (PLATFORMS as readonly string[]).includes(text)

/** The platforms' display names. */
export const platformTexts = defineTexts({
  en: {
    feishu: 'Feishu',
    wecom: 'WeCom',
    weixin: 'Weixin',
    discord: 'Discord',
    telegram: 'Telegram',
    dingtalk: 'DingTalk',
  },
  zh: { feishu: '飞书', wecom: '企业微信', weixin: '微信', discord: 'Discord', telegram: 'Telegram', dingtalk: '钉钉' },
})

/** Original line drawings, not the platforms' logos. */
const DRAWINGS: Readonly<Record<Platform, string>> = {
  feishu: 'M4 8c4 0 8 3 10 7M4 8v8c3 3 8 4 12 1l4-6c-3-2-6-1-8 1',
  wecom:
    'M4 11c0-3.500 3.600-6 8-6s8 2.500 8 6-3.600 6-8 6c-1 0-2-.1-3-.4L5.500 19l.6-3.500C4.800 14.300 4 12.700 4 11z',
  weixin:
    'M9.500 5C6 5 3.500 7.200 3.500 10c0 1.600.8 3 2.200 3.900L5 16l2.400-1.200c.7.2 1.400.2 2.100.2M14.500 9c3.300 0 6 2.200 6 5 0 1.400-.7 2.700-1.800 3.600l.5 2-2.200-1c-.8.2-1.600.4-2.500.4-3.300 0-6-2.200-6-5s2.700-5 6-5z',
  discord:
    'M7 7c3-1.500 7-1.500 10 0l2.500 9c-1.600 1.200-3.200 1.800-4.500 2l-1-2h-4l-1 2c-1.300-.2-2.900-.8-4.500-2zM9.500 12.500v.5M14.500 12.500v.5',
  telegram: 'M4 11.500L20 5l-3 14-5.500-4.500zM11.500 14.500L20 5',
  dingtalk: 'M5 4c5 4 10 5 14 5-1 5-4 7-6 7.500h3L10 21l1.500-4C8 16 6 11 5 4z',
}

/** The icon of a platform, shown next to its name. */
export const PlatformMark = ({
  platform,
  small = false,
}: {
  readonly platform: Platform
  readonly small?: boolean
}): ReactNode => (
  <span className={classNames(badge['mark'], small && badge['markSmall'])} data-platform={platform} aria-hidden="true">
    <svg
      width={small ? 15 : 22}
      height={small ? 15 : 22}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.8"
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      <path d={DRAWINGS[platform]} />
    </svg>
  </span>
)

/** The name of a platform in the page's language. */
export const PlatformName = ({ platform }: { readonly platform: Platform }): ReactNode =>
  useTexts(platformTexts)[platform]
