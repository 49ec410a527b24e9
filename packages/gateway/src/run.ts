import type { GatewayConfig } from './config/config.ts'
import type { Clock } from '@gatepost/channels'
import { systemClock } from './system-clock.ts'
import { type Gateway, type GatewayOverrides, startGateway } from './serve.ts'

/** The part of `process` that a run needs. */
export interface ProcessEvents {
  on(event: string, listener: (value: unknown) => void): unknown
  off(event: string, listener: (value: unknown) => void): unknown
  exit(code: number): void
}

/** However slow a database or a program is, the process ends within this time. */
const STOP_WITHIN_MS = 10_000

const SIGNALS = ['SIGTERM', 'SIGINT'] as const
const CRASHES = ['uncaughtException', 'unhandledRejection'] as const

/**
 * Serves until the process is asked to end: the first SIGTERM or SIGINT stops in good order, a second one exits at once
 * (130); a stop that takes too long is cut off (1). A lost presence stops in good order too and fails, for the one who watches the process to start it again. An
 * error that nobody caught is logged and ends the process (1): its state can no longer be trusted.
 * @returns The exit code.
 * @throws {StartError} when the service cannot start
 */
export async function runGateway(
  config: GatewayConfig,
  options: {
    readonly process: ProcessEvents
    readonly overrides?: GatewayOverrides
    readonly onReady?: (gateway: Gateway) => void
  },
): Promise<number> {
  const { process: host } = options
  const asked = Promise.withResolvers<'asked'>()
  let gateway: Gateway | null = null
  let signals = 0
  const onSignal = (): void => {
    signals += 1
    asked.resolve('asked')
    if (signals < 2) return
    gateway?.log.warn('Stopped at once by a second signal')
    gateway?.log.flush()
    host.exit(130)
  }
  const onCrash = (error: unknown): void => {
    gateway?.log.error('The process failed and ends', { error })
    gateway?.log.flush()
    host.exit(1)
  }
  for (const signal of SIGNALS) host.on(signal, onSignal)
  try {
    gateway = await startGateway(config, options.overrides)
    for (const crash of CRASHES) host.on(crash, onCrash)
    options.onReady?.(gateway)
    const why = await Promise.race([asked.promise, gateway.lost])
    if (why !== 'asked') gateway.log.error('The connection that proves this process alive was lost')
    const stopped = await stopsInTime(gateway, options.overrides?.clock ?? systemClock)
    if (!stopped) {
      gateway.log.error('Stopped without waiting any longer for what did not end')
      gateway.log.flush()
      host.exit(1)
    }
    return stopped && why === 'asked' ? 0 : 1
  } finally {
    for (const signal of SIGNALS) host.off(signal, onSignal)
    for (const crash of CRASHES) host.off(crash, onCrash)
  }
}

async function stopsInTime(gateway: Gateway, clock: Clock): Promise<boolean> {
  const stopped = new AbortController()
  const inTime = gateway.stop().then(() => true)
  const tooLate = clock.sleep(STOP_WITHIN_MS, stopped.signal).then(() => false)
  const result = await Promise.race([inTime, tooLate])
  stopped.abort()
  return result
}
