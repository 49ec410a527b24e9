/** A point in time as a page shows it. */
export interface DisplayTime {
  /** The value for a `time` element's `datetime` attribute. */
  readonly iso: string
  /** E.g. `5 minutes ago` or `yesterday`; after a week, the date in UTC. */
  readonly text: string
}

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Returns a function that describes times relative to now, which needs no time zone. @param language As in BCP 47. */
export function createTimeFormatter(language: string, nowMs: number): (ms: number) => DisplayTime {
  const age = new Intl.RelativeTimeFormat(language, { numeric: 'auto' })
  const day = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' })
  const describe = (ms: number): string => {
    const elapsed = Math.max(0, nowMs - ms)
    if (elapsed < MINUTE) return age.format(0, 'second')
    if (elapsed < HOUR) return age.format(-Math.floor(elapsed / MINUTE), 'minute')
    if (elapsed < DAY) return age.format(-Math.floor(elapsed / HOUR), 'hour')
    if (elapsed < 7 * DAY) return age.format(-Math.floor(elapsed / DAY), 'day')
    return day.format(ms)
  }
  return (ms) => ({ iso: new Date(ms).toISOString(), text: describe(ms) })
}

/** Formats a duration in its largest unit, such as `14 days`. @param seconds More than 0. */
export function formatDuration(language: string, seconds: number): string {
  const [unit, size] =
    (
      [
        ['day', 86_400],
        ['hour', 3_600],
        ['minute', 60],
      ] as const
    ).find(([, size]) => seconds >= size) ?? (['second', 1] as const)
  const format = new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long', maximumFractionDigits: 0 })
  return format.format(seconds / size)
}
