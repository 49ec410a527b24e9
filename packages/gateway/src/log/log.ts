import { openDailyFile, lineWriter } from './daily-file.ts'
import { redact, redactText } from './redact.ts'
import type { LogLevel } from '../config/forms.ts'
import type { Clock, Log, LogFields } from '@gatepost/channels'
import { join } from 'node:path'
import { pino } from 'pino'

/** The log of the process: one JSON object a line, to stderr and to the file of the day. */
export interface ProcessLog extends Log {
  /** Writes everything that is buffered before it returns: for the end of the process, also a sudden one. */
  flush(): void
  close(): void
}

/** Where lines go; never throws. */
export interface LineSink {
  write(line: string): void
  flush(): void
  close(): void
}

const KEEP_DAYS = 14

/** Lines on stderr. A closed or full stderr loses lines, not the process. */
export function stderrSink(): LineSink {
  // Nobody reads stderr any more then, and there is no other place to say so.
  const writer = lineWriter(process.stderr.fd, () => undefined)
  return { ...writer, close: () => writer.flush() }
}

/** `<data>/log/gatepost-YYYY-MM-DD.log`; old files are removed after two weeks. @throws when it cannot be opened */
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
      other.write(`${JSON.stringify({ time, level: 'error', msg: 'The log file cannot be written', reason })}\n`)
    },
  })
}

/** Lines of `level` and above to every sink, each cleaned of secrets. */
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

/** Names that the line itself uses are kept apart, so that a line never has two members of one name. */
const TAKEN: ReadonlySet<string> = new Set(['level', 'time', 'msg'])

function cleanFields(fields: LogFields = {}): object {
  const cleaned = redact(fields)
  if (typeof cleaned !== 'object' || cleaned === null) return { fields: cleaned }
  return Object.fromEntries(Object.entries(cleaned).map(([key, value]) => [TAKEN.has(key) ? `${key}_` : key, value]))
}
