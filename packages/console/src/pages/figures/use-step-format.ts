import { useMemo } from 'react'
import { LANGUAGE_TAGS, useLanguage } from '../../language/language.ts'

const DAY_MS = 86_400_000

/** Formats times of charts in the viewer's time zone. */
export interface StepFormat {
  /** A label of the axis: a date or a time of day. */
  tick(ms: number, isDay: boolean): string
  /** A period: `14:15 – 14:30` with the date, or the date alone. */
  step(from: number, to: number): string
}

/** Returns the formats of the page's language. */
export function useStepFormat(): StepFormat {
  const { language } = useLanguage()
  return useMemo(() => {
    const tag = LANGUAGE_TAGS[language]
    const clock = new Intl.DateTimeFormat(tag, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
    const day = new Intl.DateTimeFormat(tag, { day: 'numeric', month: 'short' })
    const weekday = new Intl.DateTimeFormat(tag, { weekday: 'short', day: 'numeric', month: 'short' })
    return {
      tick: (ms, isDay) => (isDay || clock.format(ms) === '00:00' ? day : clock).format(ms),
      step: (from, to) =>
        to - from >= DAY_MS ? weekday.format(from) : `${day.format(from)}, ${clock.format(from)} – ${clock.format(to)}`,
    }
  }, [language])
}
