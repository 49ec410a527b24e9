import { PAGE_INFOS } from '../kit/page/page-info.ts'
import { type EmulatorClock, systemClock } from '../kit/clock.ts'
import type { PlatformControl } from '../kit/control.ts'
import { startServer } from '../kit/server.ts'
import { createControl } from './control.ts'
import type { WeixinFault } from './faults.ts'
import { createState } from './state.ts'
import { handleRequest } from './wire.ts'

/** Options, with times that tests can shorten. */
export interface WeixinEmulatorOptions {
  /** Default 0: a free port. The second address always uses a free port. */
  readonly port?: number
  readonly clock?: EmulatorClock
  /** Number of requests, messages and events to keep, at least 1. Default 10,000. */
  readonly history?: number
  /** Total size of files on the CDN, in bytes. Default 256 MiB. */
  readonly fileBytes?: number
  /** How long a poll is held, in ms; announced to clients. Default 35,000, like the platform. */
  readonly holdMs?: number
  /** Lifetime of a QR code, in ms. Default 300,000, like the platform. */
  readonly qrLifeMs?: number
  /** Number of sends that one message of a person allows. Default 10. */
  readonly sendsPerMessage?: number
  /** Lifetime of a context_token, in ms. Default 24 h. */
  readonly contextLifeMs?: number
  /** Maximum text length, in UTF-16 units. Default 4,000, like the vendor's client. */
  readonly textLimit?: number
  /** Whether a typing indicator counts as a send. Default false; undocumented. */
  readonly typingCounts?: boolean
}

/** A running emulator. */
export interface WeixinEmulator {
  /** Replaces https://ilinkai.weixin.qq.com. Without a trailing slash. */
  readonly url: string
  /** Replaces https://novac2c.cdn.weixin.qq.com/c2c. */
  readonly cdnUrl: string
  /** Address that logins are redirected to. It has the same control operations. */
  readonly secondUrl: string
  readonly control: PlatformControl<WeixinFault>
  close(): Promise<void>
}

/** Starts an emulator of Weixin's iLink with one logged-in bot. Rejects when the port is taken. */
export async function startWeixinEmulator(options: WeixinEmulatorOptions = {}): Promise<WeixinEmulator> {
  const { port = 0, clock = systemClock, history = 10_000 } = options
  const state = createState({
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
  const control = createControl(state, () => {
    for (const drop of drops) drop()
  })
  const first = await startServer(port, () => ({
    control,
    page: PAGE_INFOS.weixin,
    handle: (request, response) => handleRequest(state, 'first', request, response),
  }))
  const second = await startServer(0, () => ({
    control,
    handle: (request, response) => handleRequest(state, 'second', request, response),
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
