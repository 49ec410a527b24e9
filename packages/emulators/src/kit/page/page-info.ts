import type { ScanAct } from '../control.ts'

/** What the page has to know of a platform. */
export interface PageInfo {
  /** As in `POST /api/channels/<platform>`; also the name of its colours. */
  readonly platform: string
  readonly label: string
  /** Whether people and the bot can be together in a group. */
  readonly groups: boolean
  /** `false`: the platform never hears that a message was received. */
  readonly confirms?: false
  /** What the person with the phone can do with a code that waits, in the order of the buttons; empty: there are no codes. */
  readonly acts: readonly PageAct[]
}

/** Acts that need nothing besides. */
type PageAct = Exclude<ScanAct['act'], 'ask_code' | 'join'>

/** A page of another emulator of the same family. */
export interface Sibling {
  readonly platform: string
  readonly label: string
  /** Of its page. */
  readonly url: string
}

/** By port: a browser may name the host in several ways. */
const siblings = new Map<number, readonly Sibling[]>()

const portOf = (url: string): number => Number(new URL(url).port)

/**
 * The emulators whose pages are linked from that of the emulator at `url`, itself among them. Known late, because ports
 * are: may be called at any time while the emulator runs.
 */
export function setSiblings(url: string, family: readonly Sibling[]): void {
  siblings.set(portOf(url), family)
}

/** None, when they were never set. */
export const siblingsAt = (port: number): readonly Sibling[] => siblings.get(port) ?? []

/** To be called when the emulator closes: another one may get its address. */
export function forgetSiblings(url: string): void {
  siblings.delete(portOf(url))
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
