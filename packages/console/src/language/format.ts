import { useMemo } from 'react'
import { LANGUAGE_TAGS, useLanguage } from './language.ts'

/** How times and numbers are written: in the language of the page and in the zone of the viewer. */
export interface Format {
  /** `14:05`, with the day when it is not today. */
  time(ms: number, nowMs: number): string
  /** Everything, to the second. */
  exact(ms: number): string
  day(ms: number): string
  /** `3 minutes ago`, `in 5 seconds`. */
  relative(ms: number, nowMs: number): string
  number(value: number): string
  percent(share: number): string
  /** A span: `350 ms`, `2.4 s`, `3 min`. */
  span(ms: number): string
  bytes(count: number): string
}

/** The formats of the page's language. */
export function useFormat(): Format {
  const { language } = useLanguage()
  return useMemo(() => formatOf(LANGUAGE_TAGS[language]), [language])
}

const STEPS = [
  ['second', 1_000, 60],
  ['minute', 60_000, 60],
  ['hour', 3_600_000, 24],
  ['day', 86_400_000, Number.POSITIVE_INFINITY],
] as const

/** Units of a span with their length and, where a larger unit takes over, the limit; all in milliseconds. */
const SPAN_UNITS = [
  ['s', 1_000, 90_000],
  ['min', 60_000, 5_400_000],
  ['h', 3_600_000, Number.POSITIVE_INFINITY],
] as const

/** Chinese sets a space between a number and a word; `Intl` does not. */
const spaced = (text: string): string => text.replace(/(\d)(?=\p{Script=Han})/u, '$1 ')

const NO_TIME = '—'
/** Times come from platforms, too, which say what they like: a `Date` ends some 270 000 years from now. */
const isTime = (ms: number): boolean => Math.abs(ms) <= 8.64e15

/** A time as this format writes it. */
export const written = (format: Intl.DateTimeFormat, ms: number): string => (isTime(ms) ? format.format(ms) : NO_TIME)

/** For programs that read the page; nothing where it is no time. */
export const machineTime = (ms: number): string | undefined => (isTime(ms) ? new Date(ms).toISOString() : undefined)

/** What is left of a span, as clocks show it: `4:59`, from an hour on `1:59:59`; never below zero. */
export function clockOf(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000))
  const two = (value: number): string => String(value).padStart(2, '0')
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60]
  return `${hours > 0 ? `${hours}:${two(minutes)}` : minutes}:${two(seconds % 60)}`
}

/** @param zone An IANA name, for tests; default the viewer's. */
export function formatOf(tag: string, zone?: string): Format {
  const at = zone === undefined ? {} : { timeZone: zone }
  const clock = new Intl.DateTimeFormat(tag, { ...at, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
  const dayAndTime = new Intl.DateTimeFormat(tag, {
    ...at,
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  })
  const exact = new Intl.DateTimeFormat(tag, { ...at, dateStyle: 'medium', timeStyle: 'long' })
  const day = new Intl.DateTimeFormat(tag, { ...at, dateStyle: 'medium' })
  const relative = new Intl.RelativeTimeFormat(tag, { numeric: 'auto' })
  const number = new Intl.NumberFormat(tag)
  const percent = new Intl.NumberFormat(tag, { style: 'percent', maximumFractionDigits: 1 })
  const unit = (name: string, digits: number): Intl.NumberFormat =>
    new Intl.NumberFormat(tag, { style: 'unit', unit: name, unitDisplay: 'short', maximumFractionDigits: digits })
  const units = { s: unit('second', 1), min: unit('minute', 0), h: unit('hour', 1) }
  const sizes = [unit('byte', 0), unit('kilobyte', 0), unit('megabyte', 1), unit('gigabyte', 1)] as const
  return {
    time: (ms, nowMs) => (written(day, ms) === written(day, nowMs) ? written(clock, ms) : written(dayAndTime, ms)),
    exact: (ms) => written(exact, ms),
    day: (ms) => written(day, ms),
    relative(ms, nowMs) {
      if (!isTime(ms)) return NO_TIME
      const gone = ms - nowMs
      const [name, size] = STEPS.find(([, step, most]) => Math.abs(gone) < step * most) ?? STEPS[3]
      return relative.format(Math.trunc(gone / size), name)
    },
    number: (value) => number.format(value),
    percent: (share) => percent.format(share),
    span(ms) {
      if (ms < 1_000) return `${number.format(Math.round(ms))} ms` // short, and the same in every language
      const [unit, size] = SPAN_UNITS.find(([, , limit]) => ms < limit) ?? SPAN_UNITS[2]
      return spaced(units[unit].format(ms / size))
    },
    bytes(count) {
      const power = Math.min(3, Math.max(0, Math.floor(Math.log10(Math.max(1, count)) / 3)))
      return (sizes[power] ?? sizes[0]).format(count / 1_000 ** power)
    },
  }
}
