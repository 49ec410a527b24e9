/** Values, one per step; `null` for none. */
export type Values = readonly (number | null)[]

/** The scale of the vertical axis. */
export interface Scale {
  readonly top: number
  readonly ticks: readonly number[]
}

/** The drawing area in pixels. */
export interface Box {
  readonly width: number
  readonly height: number
}

/** A segment of a bar. */
export interface Piece {
  readonly series: number
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

const ROUND = [1, 2, 5, 10] as const

/** Returns a scale from 0 to at least `max` with ticks at round numbers. @param smallest Minimum distance of ticks. */
export function scaleTo(max: number, ticks: number, smallest: number): Scale {
  const rough = Math.max(max / ticks, smallest)
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = power * (ROUND.find((one) => one * power >= rough * 0.999) ?? 10)
  const count = Math.max(1, Math.ceil(max / step))
  return { top: count * step, ticks: Array.from({ length: count + 1 }, (_, at) => at * step) }
}

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const TIME_STEPS = [
  5 * MINUTE,
  10 * MINUTE,
  15 * MINUTE,
  30 * MINUTE,
  HOUR,
  2 * HOUR,
  3 * HOUR,
  6 * HOUR,
  12 * HOUR,
  DAY,
  2 * DAY,
  7 * DAY,
  14 * DAY,
  28 * DAY,
] as const

/** Ticks at round local times, and whether they are whole days. */
export interface TimeTicks {
  readonly times: readonly number[]
  readonly areDays: boolean
}

/** Returns the ticks of a time axis. @param offsetMs The viewer's offset from UTC at a time. */
export function timeTicks(from: number, to: number, most: number, offsetMs: (ms: number) => number): TimeTicks {
  const step = TIME_STEPS.find((one) => (to - from) / one <= most) ?? 28 * DAY
  const times: number[] = []
  for (let at = Math.ceil((from + offsetMs(from)) / step) * step; at - offsetMs(at) < to; at += step) {
    const time = at - offsetMs(at - offsetMs(at))
    if (time >= from && time < to) times.push(time)
  }
  return { times, areDays: step >= DAY }
}

/** Returns stacked bars, the first series at the bottom. Every nonzero value is visible. */
export function stackedBars(series: readonly Values[], top: number, { width, height }: Box): readonly Piece[] {
  const count = series[0]?.length ?? 0
  const step = width / Math.max(1, count)
  const gap = Math.min(3, step * 0.2)
  return Array.from({ length: count }, (_, at) => at).flatMap((at) => {
    let base = height
    return series.flatMap((values, index): Piece[] => {
      const value = values[at] ?? 0
      if (value <= 0) return []
      const tall = Math.max(1, (value / top) * height)
      // a thin gap below, since colors may look alike
      const rest = base < height && tall > 2 ? 1 : 0
      base -= tall
      return [{ series: index, x: at * step + gap / 2, y: base, width: step - gap, height: tall - rest }]
    })
  })
}

/** Returns a line with gaps for missing values, and dots for isolated ones. */
export function linePath(
  values: Values,
  top: number,
  { width, height }: Box,
): { readonly path: string; readonly dots: readonly { readonly x: number; readonly y: number }[] } {
  const step = width / Math.max(1, values.length)
  const dots: { x: number; y: number }[] = []
  let path = ''
  for (const [at, value] of values.entries()) {
    if (value === null) continue
    const x = round((at + 0.5) * step)
    const y = round(height - (value / top) * height)
    const isAfterOne = (values[at - 1] ?? null) !== null
    if (!isAfterOne && (values[at + 1] ?? null) === null) dots.push({ x, y })
    else path += `${isAfterOne ? 'L' : 'M'}${x} ${y}`
  }
  return { path, dots }
}

const round = (value: number): number => Math.round(value * 10) / 10

/** Returns the step at a horizontal position. */
export const stepAt = (x: number, width: number, count: number): number =>
  Math.min(count - 1, Math.max(0, Math.floor((x / Math.max(1, width)) * count)))

/** Returns the largest sum of a step. */
export const stackedMax = (series: readonly Values[]): number =>
  (series[0] ?? []).reduce<number>(
    (max, _, at) =>
      Math.max(
        max,
        series.reduce((sum, values) => sum + (values[at] ?? 0), 0),
      ),
    0,
  )

/** Returns the largest value. */
export const maxValue = (series: readonly Values[]): number =>
  series.reduce((max, values) => values.reduce<number>((most, value) => Math.max(most, value ?? 0), max), 0)
