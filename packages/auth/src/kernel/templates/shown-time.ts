/** A point in time as a page shows it: to machines, and to people. */
export interface ShownTime {
  /** As `datetime` of the element `time` has it. */
  readonly iso: string
  /** `5 minutes ago`, `yesterday`; after a week the day, of UTC. */
  readonly text: string
}

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Times of one page. Ages need no time zone, which the server does not know. @param language As in BCP 47. */
export function shownTimes(language: string, nowMs: number): (ms: number) => ShownTime {
  const age = new Intl.RelativeTimeFormat(language, { numeric: 'auto' })
  const day = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' })
  const textOf = (ms: number): string => {
    const passed = Math.max(0, nowMs - ms)
    if (passed < MINUTE) return age.format(0, 'second')
    if (passed < HOUR) return age.format(-Math.floor(passed / MINUTE), 'minute')
    if (passed < DAY) return age.format(-Math.floor(passed / HOUR), 'hour')
    if (passed < 7 * DAY) return age.format(-Math.floor(passed / DAY), 'day')
    return day.format(ms)
  }
  return (ms) => ({ iso: new Date(ms).toISOString(), text: textOf(ms) })
}

/** A span of time in its largest unit, such as `14 days`. @param seconds More than 0. */
export function shownDuration(language: string, seconds: number): string {
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
