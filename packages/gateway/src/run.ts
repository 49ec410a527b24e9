import type { GatewayConfig } from './config/config.ts'
import type { Clock } from '@gatepost/channels'
import { systemClock } from './system-clock.ts'
import { type Gateway, type GatewayOverrides, startGateway } from './serve.ts'

/** The parts of `process` that are used. */
export interface ProcessEvents {
  on(event: string, listener: (value: unknown) => void): unknown
  off(event: string, listener: (value: unknown) => void): unknown
  exit(code: number): void
}

/** Maximum time for stopping, however slow a database or program is. */
const STOP_WITHIN_MS = 10_000

const SIGNALS = ['SIGTERM', 'SIGINT'] as const
const CRASHES = ['uncaughtException', 'unhandledRejection'] as const

/**
 * Runs the service until the process is asked to end. The first SIGTERM or SIGINT stops it gracefully, a second one exits
 * at once (130); a stop that takes too long is cut off (1). A lost presence or a failed sync of the database to disk stops
 * it gracefully with exit code 1, so that a process manager restarts it. An uncaught error is logged and ends the process (1), because its state is unreliable.
 * @returns The exit code.
 * @throws {StartError} if the service can't start
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
    gateway?.log.warn('Stopped immediately by a second signal')
    gateway?.log.flush()
    host.exit(130)
  }
  const onCrash = (error: unknown): void => {
    gateway?.log.error('Exiting after an uncaught error', { error })
    gateway?.log.flush()
    host.exit(1)
  }
  for (const signal of SIGNALS) host.on(signal, onSignal)
  try {
    gateway = await startGateway(config, options.overrides)
    for (const crash of CRASHES) host.on(crash, onCrash)
    options.onReady?.(gateway)
    const why = await Promise.race([asked.promise, gateway.lost])
    if (why !== 'asked') gateway.log.error(why.message, 'error' in why ? { error: why.error } : {})
    const stopped = await stopsInTime(gateway, options.overrides?.clock ?? systemClock)
    if (!stopped) {
      gateway.log.error('Stopped before all work had finished')
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
