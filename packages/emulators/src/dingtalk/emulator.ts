import { PAGE_INFOS } from '../kit/page/page-infos.ts'
import { type EmulatorClock, systemClock } from '../kit/clock.ts'
import type { PlatformControl } from '../kit/control.ts'
import { startServer } from '../kit/server.ts'
import { createControl } from './control.ts'
import type { DingtalkFault } from './faults.ts'
import { answerHttp } from './http.ts'
import { DingtalkState, type DingtalkTimes, REAL_TIMES } from './state.ts'
import { admit, open } from './stream.ts'

/** How it starts, and the times that a test may want shorter. */
export interface DingtalkEmulatorOptions extends Partial<DingtalkTimes> {
  /** Default 0: any free one. */
  readonly port?: number
  readonly clock?: EmulatorClock
  /** How many requests, messages and events are kept. Default 10 000. */
  readonly history?: number
  /** Numbers in ids begin above this: higher for a process that takes the place of an earlier one. Default 0. */
  readonly idsAbove?: number
}

/** A running stand-in. */
export interface DingtalkEmulator {
  /** Takes the place of https://api.dingtalk.com and of https://oapi.dingtalk.com. */
  readonly url: string
  readonly control: PlatformControl<DingtalkFault>
  close(): Promise<void>
}

/** Starts a stand-in for the robots of DingTalk, with one app. Rejects when the port is taken. */
export async function startDingtalkEmulator(options: DingtalkEmulatorOptions = {}): Promise<DingtalkEmulator> {
  const { port = 0, clock = systemClock, history = 10_000, idsAbove = 0, ...times } = options
  const state = new DingtalkState(clock, history, { ...REAL_TIMES, ...times }, idsAbove)
  const server = await startServer(port, (self) => {
    state.url = self.url
    return {
      control: createControl(state, self),
      page: PAGE_INFOS.dingtalk,
      handle: (request, response) => answerHttp(state, request, response),
      admit: (request) => admit(state, request),
      open: (socket, request) => open(state, socket, request),
    }
  })
  const close = (): Promise<void> => {
    state.closing.abort()
    return server.close()
  }
  return { url: server.url, control: createControl(state, server), close }
}
