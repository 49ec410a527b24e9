import type { ScanAct } from '../control.ts'

/** Properties of a platform that its page needs. */
export interface PageInfo {
  /** As in `POST /api/channels/<platform>`; also selects the page's colors. */
  readonly platform: string
  readonly label: string
  /** Whether the platform has groups. */
  readonly groups: boolean
  /** `false`: bots don't acknowledge messages. */
  readonly confirms?: false
  /** Actions on a pending setup code, in the order of their buttons. Empty: the platform has no setup codes. */
  readonly acts: readonly PageAct[]
}

/** Actions without parameters. */
type PageAct = Exclude<ScanAct['act'], 'ask_code' | 'join'>

/** The page of an emulator that was started together with this one. */
export interface Sibling {
  readonly platform: string
  readonly label: string
  /** Address of the page. */
  readonly url: string
}

/** By port, because browsers can use different host names. */
const siblings = new Map<number, readonly Sibling[]>()

const parsePort = (url: string): number => Number(new URL(url).port)

/**
 * Sets the pages that the page of the emulator at `url` links to, including itself. Can be called at any time, because
 * ports are known only after start.
 */
export function setSiblings(url: string, family: readonly Sibling[]): void {
  siblings.set(parsePort(url), family)
}

/** Returns the pages set for a port; empty by default. */
export const siblingsAt = (port: number): readonly Sibling[] => siblings.get(port) ?? []

/** Must be called when an emulator closes: another one may reuse its port. */
export function removeSiblings(url: string): void {
  siblings.delete(parsePort(url))
}

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
