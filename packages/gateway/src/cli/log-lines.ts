import type { LineSink } from '../log/log.ts'
import { createPalette, type Output, type Paint, plainLine } from './text.ts'
import { cutToWidth, displayWidth } from './width.ts'

/** A sink of log lines that can be silent while something else is printed. */
export interface TerminalSink extends LineSink {
  /** From now on every line is shown; before, only warnings and errors. */
  showAll(): void
}

/** Log lines for a person: `12:03:04 warn  message  key=value`, each cut to the terminal. */
export function terminalSink(output: Output): TerminalSink {
  let all = false
  return {
    write: (line) => {
      const text = formatLine(line, output, all)
      if (text !== undefined) output.write(text)
    },
    showAll: () => {
      all = true
    },
    flush: () => undefined,
    close: () => undefined,
  }
}

const KNOWN: ReadonlySet<string> = new Set(['level', 'time', 'msg'])

/** One JSON line as a person reads it; `undefined` when it is not to be shown. */
function formatLine(line: string, output: Output, all: boolean): string | undefined {
  const entry = parseEntry(line)
  if (!entry) return `${plainLine(line)}\n`
  const level = toText(entry['level'])
  if (!all && level !== 'warn' && level !== 'error') return undefined
  const { dim, yellow, red, cyan } = createPalette(output)
  const paints: Readonly<Record<string, Paint>> = { debug: dim, info: cyan, warn: yellow, error: red }
  const message = plainLine(toText(entry['msg']))
  const room = Math.max(40, output.columns) - 16
  const text = cutToWidth(message, room)
  const left = room - displayWidth(text) - 2
  const fields = formatFields(entry)
  const shown = fields && left > 12 ? `  ${dim(cutToWidth(fields, left))}` : ''
  return `${dim(formatTime(toText(entry['time'])))} ${(paints[level] ?? dim)(level.padEnd(5))}  ${text}${shown}\n`
}

function parseEntry(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? { ...value } : undefined
  } catch {
    return undefined // shown as it is
  }
}

const toText = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))

/** Of an error its sentence: the rest is in the file of the day. */
const errorMessage = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && 'message' in value ? value.message : value

const formatFields = (entry: Readonly<Record<string, unknown>>): string =>
  Object.entries(entry)
    .filter(([key, value]) => !KNOWN.has(key) && value !== null)
    .map(([key, value]) => `${key}=${plainLine(toText(errorMessage(value)))}`)
    .join(' ')

/** The time of day in the zone of this process. */
function formatTime(iso: string): string {
  const at = new Date(iso)
  if (Number.isNaN(at.getTime())) return '--:--:--'
  return [at.getHours(), at.getMinutes(), at.getSeconds()].map((value) => String(value).padStart(2, '0')).join(':')
}
