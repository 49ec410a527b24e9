import { openDailyFile, lineWriter } from './daily-file.ts'
import { redact, redactText } from './redact.ts'
import type { LogLevel } from '../config/forms.ts'
import type { Clock, Log, LogFields } from '@gatepost/channels'
import { join } from 'node:path'
import { pino } from 'pino'

/** The log of the process: one JSON object per line, to stderr and a daily file. */
export interface ProcessLog extends Log {
  /** Writes all buffered lines before it returns. For the end of the process. */
  flush(): void
  close(): void
}

/** A destination of log lines. Never throws. */
export interface LineSink {
  write(line: string): void
  flush(): void
  close(): void
}

const KEEP_DAYS = 14

/** Returns a sink that writes to stderr. If stderr is closed or full, lines are lost. */
export function stderrSink(): LineSink {
  // stderr itself failed, so there is nowhere to report it
  const writer = lineWriter(process.stderr.fd, () => undefined)
  return { ...writer, close: () => writer.flush() }
}

/** Returns a sink for `<data>/log/gatepost-YYYY-MM-DD.log`. Keeps two weeks of files. @throws if it can't be opened */
export function fileSink(dataDir: string, clock: Clock, other: LineSink): LineSink {
  const told = new Set<string>()
  return openDailyFile({
    folder: join(dataDir, 'log'),
    now: () => clock.now(),
    keepDays: KEEP_DAYS,
    onError: (error) => {
      const reason = redactText(error instanceof Error ? error.message : String(error))
      if (told.has(reason)) return
      told.add(reason)
      const time = new Date(clock.now()).toISOString()
      other.write(`${JSON.stringify({ time, level: 'error', msg: "Couldn't write the log file", reason })}\n`)
    },
  })
}

/** Creates a log that writes lines of `level` and above, without secrets, to every sink. */
export function createLog(options: {
  readonly level: LogLevel
  readonly clock: Clock
  readonly sinks: readonly LineSink[]
}): ProcessLog {
  const { level, clock, sinks } = options
  const logger = pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date(clock.now()).toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write: (line: string) => sinks.forEach((sink) => sink.write(line)) },
  )
  const at =
    (name: LogLevel) =>
    (message: string, fields?: LogFields): void => {
      if (logger.isLevelEnabled(name)) logger[name](cleanFields(fields), redactText(message))
    }
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    flush: () => sinks.forEach((sink) => sink.flush()),
    close: () => sinks.forEach((sink) => sink.close()),
  }
}

/** Renames fields that clash with the line's own members. */
const TAKEN: ReadonlySet<string> = new Set(['level', 'time', 'msg'])

function cleanFields(fields: LogFields = {}): object {
  const cleaned = redact(fields)
  if (typeof cleaned !== 'object' || cleaned === null) return { fields: cleaned }
  return Object.fromEntries(Object.entries(cleaned).map(([key, value]) => [TAKEN.has(key) ? `${key}_` : key, value]))
}
