import { PAGE_INFOS } from '../kit/page/page-info.ts'
import { type EmulatorClock, systemClock } from '../kit/clock.ts'
import type { PlatformControl } from '../kit/control.ts'
import { startServer } from '../kit/server.ts'
import { weixinControl } from './control.ts'
import type { WeixinFault } from './faults.ts'
import { newState } from './state.ts'
import { answer } from './wire.ts'

export interface WeixinEmulatorOptions {
  /** Default 0: any free one. The second address always has a free one. */
  readonly port?: number
  readonly clock?: EmulatorClock
  /** How many requests, messages and events are kept, 1 or more. Default 10 000. */
  readonly history?: number
  /** How many bytes the CDN keeps. Default 256 MiB. */
  readonly fileBytes?: number
  /** How long a poll is held, ms; told to the client. Default 35 000, as the platform. */
  readonly holdMs?: number
  /** Life of a code, ms. Default 300 000, as the platform. */
  readonly qrLifeMs?: number
  /** Sends that one message of a person allows. Default 10. */
  readonly sendsPerMessage?: number
  /** Life of a context_token, ms. Default 24 h. */
  readonly contextLifeMs?: number
  /** Longest text, UTF-16 units. Default 4 000, as the vendor's client sends. */
  readonly textLimit?: number
  /** Whether a typing sign counts as a send. Default false; nobody knows. */
  readonly typingCounts?: boolean
}

export interface WeixinEmulator {
  /** Takes the place of https://ilinkai.weixin.qq.com, without a trailing slash. */
  readonly url: string
  /** Takes the place of https://novac2c.cdn.weixin.qq.com/c2c. */
  readonly cdnUrl: string
  /** The address to which a log-in is redirected; the same control answers there. */
  readonly secondUrl: string
  readonly control: PlatformControl<WeixinFault>
  close(): Promise<void>
}

/** Starts a stand-in for Weixin's iLink with one bot that somebody has logged in. Rejects when the port is taken. */
export async function startWeixinEmulator(options: WeixinEmulatorOptions = {}): Promise<WeixinEmulator> {
  const { port = 0, clock = systemClock, history = 10_000 } = options
  const state = newState({
    clock,
    history,
    fileBytes: options.fileBytes ?? 256 * 1024 * 1024,
    holdMs: options.holdMs ?? 35_000,
    qrLifeMs: options.qrLifeMs ?? 300_000,
    sendsPerMessage: options.sendsPerMessage ?? 10,
    contextLifeMs: options.contextLifeMs ?? 24 * 60 * 60 * 1000,
    textLimit: options.textLimit ?? 4_000,
    typingCounts: options.typingCounts ?? false,
  })
  const drops: (() => void)[] = []
  const control = weixinControl(state, () => {
    for (const drop of drops) drop()
  })
  const first = await startServer(port, () => ({
    control,
    page: PAGE_INFOS.weixin,
    handle: (request, response) => answer(state, 'first', request, response),
  }))
  const second = await startServer(0, () => ({
    control,
    handle: (request, response) => answer(state, 'second', request, response),
  }))
  state.addresses = { first: first.url, second: second.url }
  drops.push(first.dropConnections, second.dropConnections)
  return {
    url: first.url,
    cdnUrl: `${first.url}/c2c`,
    secondUrl: second.url,
    control,
    close: async () => {
      await Promise.all([first.close(), second.close()])
    },
  }
}
