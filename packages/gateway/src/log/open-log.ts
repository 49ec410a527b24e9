import { join } from 'node:path'
import type { Clock } from '@gatepost/channels'
import type { GatewayConfig } from '../config/config.ts'
import { StartError } from '../server/errors.ts'
import { createLogPages, type LogPages } from './log-pages.ts'
import { createLog, fileSink, type LineSink, type ProcessLog } from './log.ts'

/** The log of the process and the reader of its files. */
export interface OpenLog {
  readonly log: ProcessLog
  readonly pages: LogPages
}

/** Opens the log. @param sink Receives lines in addition to the files. @throws {StartError} */
export function openLog(config: Pick<GatewayConfig, 'dataDir' | 'logLevel'>, clock: Clock, sink: LineSink): OpenLog {
  const file = openFile(config.dataDir, clock, sink)
  const tap = lineTap()
  return {
    log: createLog({ level: config.logLevel, clock, sinks: [sink, file, tap] }),
    pages: createLogPages({
      folder: join(config.dataDir, 'log'),
      now: () => clock.now(),
      flush: () => file.flush(),
      onLine: (wake) => tap.onLine(wake),
    }),
  }
}

function openFile(dataDir: string, clock: Clock, sink: LineSink): LineSink {
  try {
    return fileSink(dataDir, clock, sink)
  } catch (cause) {
    throw new StartError(`Couldn't write the log in ${dataDir}. Check GATEPOST_DATA_DIR.`, { cause })
  }
}

/** A sink that stores nothing and notifies listeners of each line. */
interface LineTap extends LineSink {
  /** Adds a listener. @returns A function that removes it */
  onLine(wake: () => void): () => void
}

/** Creates a line tap. */
export function lineTap(): LineTap {
  const listeners = new Set<() => void>()
  return {
    write: () => listeners.forEach((wake) => wake()),
    flush: () => undefined,
    close: () => undefined,
    onLine(wake) {
      const listener = (): void => wake()
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
