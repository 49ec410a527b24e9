import type { GatewayConfig } from '../config/config.ts'
import { lineTap } from './line-tap.ts'
import { createLog, fileSink, type LineSink, type ProcessLog } from './log.ts'
import { createLogPages, type LogPages } from './log-pages.ts'
import { StartError } from '../start-error.ts'
import type { Clock } from '@gatepost/channels'
import { join } from 'node:path'

/** The log of the process, and what reads its files. */
export interface OpenLog {
  readonly log: ProcessLog
  readonly pages: LogPages
}

/** @param sink Besides the files. @throws {StartError} */
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
    throw new StartError(`The log cannot be written in ${dataDir}: correct GATEPOST_DATA_DIR.`, { cause })
  }
}
