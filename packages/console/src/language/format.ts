import { useMemo } from 'react'
import { LANGUAGE_TAGS, useLanguage } from './language.ts'

/** Formats times and numbers in the page's language and the viewer's time zone. */
export interface Format {
  /** `14:05`, with the date if it isn't today. */
  time(ms: number, nowMs: number): string
  /** Date and time to the second. */
  exact(ms: number): string
  day(ms: number): string
  /** `3 minutes ago`, `in 5 seconds`. */
  relative(ms: number, nowMs: number): string
  number(value: number): string
  percent(share: number): string
  /** A duration: `350 ms`, `2.4 s`, `3 min`. */
  span(ms: number): string
  bytes(count: number): string
}

/** Returns the formats of the page's language. */
export function useFormat(): Format {
  const { language } = useLanguage()
  return useMemo(() => createFormat(LANGUAGE_TAGS[language]), [language])
}

const STEPS = [
  ['second', 1_000, 60],
  ['minute', 60_000, 60],
  ['hour', 3_600_000, 24],
  ['day', 86_400_000, Number.POSITIVE_INFINITY],
] as const

/** Units of a duration with their length and the limit at which a larger unit takes over, all in ms. */
const SPAN_UNITS = [
  ['s', 1_000, 90_000],
  ['min', 60_000, 5_400_000],
  ['h', 3_600_000, Number.POSITIVE_INFINITY],
] as const

/** Adds the space between a number and a Chinese word that `Intl` leaves out. */
const spaced = (text: string): string => text.replace(/(\d)(?=\p{Script=Han})/u, '$1 ')

const NO_TIME = '—'
/** Reports whether a `Date` can hold the time (up to about the year 270,000): platforms may send anything. */
const isTime = (ms: number): boolean => Math.abs(ms) <= 8.64e15

/** Formats a time, or returns a dash if it isn't one. */
export const formatTime = (format: Intl.DateTimeFormat, ms: number): string =>
  isTime(ms) ? format.format(ms) : NO_TIME

/** Returns the ISO 8601 form for `dateTime` attributes; `undefined` if the number isn't a time. */
export const machineTime = (ms: number): string | undefined => (isTime(ms) ? new Date(ms).toISOString() : undefined)

/** Formats remaining time as `4:59`, or `1:59:59` from one hour. Never negative. */
export function formatCountdown(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000))
  const two = (value: number): string => String(value).padStart(2, '0')
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60]
  return `${hours > 0 ? `${hours}:${two(minutes)}` : minutes}:${two(seconds % 60)}`
}

/** Creates the formats of a language. @param zone IANA time zone, for tests; default the viewer's. */
export function createFormat(tag: string, zone?: string): Format {
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
    time: (ms, nowMs) =>
      formatTime(day, ms) === formatTime(day, nowMs) ? formatTime(clock, ms) : formatTime(dayAndTime, ms),
    exact: (ms) => formatTime(exact, ms),
    day: (ms) => formatTime(day, ms),
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
