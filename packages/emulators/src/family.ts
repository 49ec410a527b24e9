import type { PlatformControl } from './kit/control.ts'
import { setSiblings, PAGE_INFOS, type PageInfo, type Sibling } from './kit/page/page-info.ts'

/** Platforms with an emulator, named as in `POST /api/channels/<platform>`. */
export const EMULATED_PLATFORMS = ['feishu', 'wecom', 'weixin', 'discord', 'telegram', 'dingtalk'] as const

/** One of `EMULATED_PLATFORMS`. */
export type EmulatedPlatform = (typeof EMULATED_PLATFORMS)[number]

/** Options that all emulators share. */
export interface EmulatorStart {
  /** Default 0: a free port. */
  readonly port?: number
  /** Number of requests, messages and events to keep, at least 1. Default 10,000. */
  readonly history?: number
}

/** A running emulator. */
export interface RunningEmulator {
  readonly platform: EmulatedPlatform
  readonly label: string
  /** Properties that its page needs. */
  readonly info: PageInfo
  readonly url: string
  /** Address of the chat page. */
  readonly page: string
  readonly control: PlatformControl
  /** Path of the control operations. */
  readonly controlPath: string
  /** Environment variables that point Gatepost here instead of at the platform. */
  readonly environment: Readonly<Record<string, string>>
  close(): Promise<void>
}

/** Starts one emulator without loading the others. Rejects when the port is taken. */
export async function startEmulator(platform: EmulatedPlatform, start: EmulatorStart = {}): Promise<RunningEmulator> {
  const info = PAGE_INFOS[platform]
  const started = await STARTS[platform](start)
  return { platform, label: info.label, info, page: `${started.url}/demo`, controlPath: '/control', ...started }
}

/** Starts emulators whose pages link to each other. With a port, they use that port and the following ones. */
export async function startEmulators(
  platforms: readonly EmulatedPlatform[] = EMULATED_PLATFORMS,
  { port = 0, ...start }: EmulatorStart = {},
): Promise<readonly RunningEmulator[]> {
  await using startedSoFar = new AsyncDisposableStack()
  const running: RunningEmulator[] = []
  for (const [index, platform] of platforms.entries()) {
    const emulator = await startEmulator(platform, { ...start, port: port === 0 ? 0 : port + index })
    startedSoFar.defer(() => emulator.close())
    running.push(emulator)
  }
  const family = running.map(({ platform, label, page }): Sibling => ({ platform, label, url: page }))
  for (const { url } of running) setSiblings(url, family)
  startedSoFar.move() // all of them started
  return running
}

type Started = Omit<RunningEmulator, 'platform' | 'label' | 'info' | 'page' | 'controlPath'> &
  Partial<Pick<RunningEmulator, 'controlPath'>>

type Start = (start: EmulatorStart) => Promise<Started>

/** First id of this process: seconds since 2026, so that a restarted emulator never reuses ids. */
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
