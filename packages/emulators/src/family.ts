import type { PlatformControl } from './kit/control.ts'
import { setSiblings, PAGE_INFOS, type PageInfo, type Sibling } from './kit/page/page-info.ts'

/** Platforms that can be emulated, as in `POST /api/channels/<platform>`. */
export const EMULATED_PLATFORMS = ['feishu', 'wecom', 'weixin', 'discord', 'telegram', 'dingtalk'] as const

/** One of `EMULATED_PLATFORMS`. */
export type EmulatedPlatform = (typeof EMULATED_PLATFORMS)[number]

/** What all emulators can be told at their start. */
export interface EmulatorStart {
  /** Default 0: any free one. */
  readonly port?: number
  /** How many requests, messages and events are kept, 1 or more. Default 10 000. */
  readonly history?: number
}

/** An emulator of any platform. */
export interface RunningEmulator {
  readonly platform: EmulatedPlatform
  readonly label: string
  /** What a page of it has to know. */
  readonly info: PageInfo
  readonly url: string
  /** Where the page for people is. */
  readonly page: string
  readonly control: PlatformControl
  /** Path of the control over HTTP. */
  readonly controlPath: string
  /** Environment variables that lead the service here instead of to the platform. */
  readonly environment: Readonly<Record<string, string>>
  close(): Promise<void>
}

/** Starts one emulator, and loads no other. Rejects when the port is taken. */
export async function startEmulator(platform: EmulatedPlatform, start: EmulatorStart = {}): Promise<RunningEmulator> {
  const info = PAGE_INFOS[platform]
  const begun = await STARTS[platform](start)
  return { platform, label: info.label, info, page: `${begun.url}/demo`, controlPath: '/control', ...begun }
}

/** Starts several, whose pages link each other. With a port they take that one and those that follow. */
export async function startEmulators(
  platforms: readonly EmulatedPlatform[] = EMULATED_PLATFORMS,
  { port = 0, ...start }: EmulatorStart = {},
): Promise<readonly RunningEmulator[]> {
  await using undo = new AsyncDisposableStack()
  const running: RunningEmulator[] = []
  for (const [index, platform] of platforms.entries()) {
    const emulator = await startEmulator(platform, { ...start, port: port === 0 ? 0 : port + index })
    undo.defer(() => emulator.close())
    running.push(emulator)
  }
  const family = running.map(({ platform, label, page }): Sibling => ({ platform, label, url: page }))
  for (const { url } of running) setSiblings(url, family)
  undo.move() // they all run: nothing is undone
  return running
}

type Begun = Omit<RunningEmulator, 'platform' | 'label' | 'info' | 'page' | 'controlPath'> &
  Partial<Pick<RunningEmulator, 'controlPath'>>

type Start = (start: EmulatorStart) => Promise<Begun>

/** Ids of a process that takes the place of an earlier one begin above the earlier ones: seconds of the year 2026 on. */
const idsAbove = (): number => Math.floor((Date.now() - Date.UTC(2026, 0, 1)) / 1000)

const STARTS: Readonly<Record<EmulatedPlatform, Start>> = {
  async feishu(start) {
    const { startFeishuEmulator } = await import('./feishu/emulator.ts')
    const { url, control, close } = await startFeishuEmulator(start)
    return { url, control, close, environment: { GATEPOST_FEISHU_API_URL: url, GATEPOST_FEISHU_ACCOUNTS_URL: url } }
  },
  async wecom(start) {
    const { startWecomEmulator } = await import('./wecom/emulator.ts')
    const { url, wsUrl, control, close } = await startWecomEmulator({ ...start, idsAbove: idsAbove() })
    const environment = {
      GATEPOST_WECOM_WS_URL: wsUrl,
      GATEPOST_WECOM_SETUP_URL: url,
      GATEPOST_WECOM_PROBE_URL: url,
    }
    return { url, control, close, environment }
  },
  async weixin(start) {
    const { startWeixinEmulator } = await import('./weixin/emulator.ts')
    const { url, cdnUrl, control, close } = await startWeixinEmulator(start)
    return { url, control, close, environment: { GATEPOST_WEIXIN_API_URL: url, GATEPOST_WEIXIN_CDN_URL: cdnUrl } }
  },
  async discord(start) {
    const { startDiscordEmulator } = await import('./discord/emulator.ts')
    const { url, apiUrl, control, close } = await startDiscordEmulator(start)
    return { url, control, close, environment: { GATEPOST_DISCORD_API_URL: apiUrl } }
  },
  async telegram(start) {
    const { startTelegramEmulator } = await import('./telegram/emulator.ts')
    const { url, common, close } = await startTelegramEmulator({ ...start, idsAbove: idsAbove() })
    const environment = { GATEPOST_TELEGRAM_API_URL: url }
    return { url, control: common, controlPath: '/control/common', close, environment }
  },
  async dingtalk(start) {
    const { startDingtalkEmulator } = await import('./dingtalk/emulator.ts')
    const { url, control, close } = await startDingtalkEmulator({ ...start, idsAbove: idsAbove() })
    return { url, control, close, environment: { GATEPOST_DINGTALK_API_URL: url, GATEPOST_DINGTALK_OAPI_URL: url } }
  },
}
