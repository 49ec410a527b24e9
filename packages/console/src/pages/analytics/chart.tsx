import {
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { LANGUAGE_TAGS, useLanguage, useTexts } from '../../language/language.ts'
import style from './analytics.module.css'
import { type Box, linePath, maxValue, scaleTo, stackedBars, stackedMax, stepAt, timeTicks } from './geometry.ts'
import { type Series, type SeriesLook, sumSeries } from './traffic.ts'
import { analyticsTexts } from './texts.ts'

interface ChartProps extends PlotData {
  readonly title: string
  readonly lead: string
  readonly stepMs: number
  seriesLabel(series: Series): string
  /** The value for the whole range; default: the sum. */
  seriesTotal?(series: Series): number | null
}

const FIRST_WIDTH = 640
const FAR = 10

/** A chart with a cursor for pointer and keyboard, whose value is announced. */
export function Chart(props: ChartProps): ReactNode {
  const { title, lead, series, from, to, stepMs, write, seriesLabel, seriesTotal = sumSeries } = props
  const texts = useTexts(analyticsTexts)
  const format = useStepFormat()
  const [ref, width] = useWidth<HTMLDivElement>(FIRST_WIDTH)
  const [chosen, choose] = useState<number | null>(null)
  const count = series[0]?.values.length ?? 0
  const cursor = chosen === null ? null : Math.min(chosen, count - 1)
  const start = from + (cursor ?? 0) * stepMs
  const when = cursor === null ? texts.whole : format.step(start, Math.min(to, start + stepMs))
  const said = series.map((one) => {
    const value = cursor === null ? seriesTotal(one) : (one.values[cursor] ?? null)
    return { ...one, label: seriesLabel(one), text: value === null ? texts.noValue : write(value) }
  })
  return (
    <section className={style['chart']} aria-label={title}>
      <header>
        <h2>{title}</h2>
        <p className={style['lead']}>{lead}</p>
      </header>
      <Readout when={when} said={said} />
      <div
        ref={ref}
        className={style['stage']}
        role="slider"
        tabIndex={0}
        aria-label={texts.chartLabel(title)}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, count - 1)}
        aria-valuenow={cursor ?? Math.max(0, count - 1)}
        aria-valuetext={[when, ...said.map(({ label, text }) => `${label} ${text}`)].join(', ')}
        onKeyDown={(event) => moveCursor(event, cursor, count, choose)}
        onPointerMove={(event) => choose(stepAtPointer(event, width, count))}
        onPointerDown={(event) => choose(stepAtPointer(event, width, count))}
        onPointerLeave={() => choose(null)}
        onBlur={() => choose(null)}
      >
        <Plot {...props} width={width} cursor={cursor} />
      </div>
    </section>
  )
}

interface ReadoutProps {
  readonly when: string
  readonly said: readonly (Series & { readonly label: string; readonly text: string })[]
}

/** The legend with the values at the cursor. */
const Readout = ({ when, said }: ReadoutProps): ReactNode => (
  <div className={style['readout']}>
    <p className={style['when']}>{when}</p>
    <ul className={style['legend']}>
      {said.map(({ id, look, label, text }) => (
        <li key={id}>
          <span className={style['swatch']} {...seriesAttributes(look)} aria-hidden="true" />
          {label} <strong>{text}</strong>
        </li>
      ))}
    </ul>
  </div>
)

function stepAtPointer({ currentTarget, clientX }: PointerEvent, width: number, count: number): number {
  const { left } = currentTarget.getBoundingClientRect()
  return stepAt(clientX - left - INNER_START, innerBox(width).width, count)
}

function moveCursor(
  event: KeyboardEvent,
  cursor: number | null,
  count: number,
  choose: (step: number | null) => void,
): void {
  const last = count - 1
  const at = cursor ?? last + 1
  const steps: Readonly<Record<string, number | null>> = {
    ArrowLeft: at - 1,
    ArrowDown: at - 1,
    ArrowRight: cursor === null ? last : at + 1,
    ArrowUp: cursor === null ? last : at + 1,
    PageDown: at - FAR,
    PageUp: at + FAR,
    Home: 0,
    End: last,
    Escape: null,
  }
  const next = steps[event.key]
  if (next === undefined) return
  event.preventDefault()
  choose(next === null ? null : Math.max(0, Math.min(last, next)))
}

const HEIGHT = 200
const AXIS_START = 52
const AXIS_BELOW = 24
const ABOVE = 8
/** Keeps a dot at the last step from being clipped. */
const END = 6
/** Width of a label on the time axis. */
const LABEL_PX = 72
const TICKS = 4

/** The data of a chart. */
interface PlotData {
  readonly series: readonly Series[]
  readonly kind: 'bars' | 'lines'
  readonly from: number
  readonly to: number
  /** Formats a value. */
  write(value: number): string
}

/** Returns the attributes that set a series' color. */
const seriesAttributes = (look: SeriesLook): { 'data-platform'?: string; 'data-tone'?: string } =>
  'platform' in look ? { 'data-platform': look.platform } : { 'data-tone': look.tone }

/** Returns the drawing area of a plot of a given width. */
const innerBox = (width: number): Box => ({ width: Math.max(1, width - AXIS_START - END), height: HEIGHT })
/** Left edge of the drawing area. */
const INNER_START = AXIS_START

interface PlotProps extends PlotData {
  readonly width: number
  /** The selected step. */
  readonly cursor: number | null
}

/** Draws a chart. Its values are available as text next to it. */
function Plot({ series, kind, from, to, write, width, cursor }: PlotProps): ReactNode {
  const box = innerBox(width)
  const values = series.map((one) => one.values)
  const max = kind === 'bars' ? stackedMax(values) : maxValue(values)
  const { top, ticks } = scaleTo(max, TICKS, 1)
  const stepWidth = box.width / Math.max(1, values[0]?.length ?? 1)
  return (
    <svg className={style['plot']} width={width} height={HEIGHT + AXIS_BELOW + ABOVE} aria-hidden="true">
      <g transform={`translate(${AXIS_START} ${ABOVE})`}>
        {ticks.map((tick) => (
          <g key={tick}>
            <line className={style['rule']} x1={0} x2={box.width} y1={toY(tick, top)} y2={toY(tick, top)} />
            <text className={style['tick']} x={-8} y={toY(tick, top) + 4} textAnchor="end">
              {write(tick)}
            </text>
          </g>
        ))}
        <TimeAxis from={from} to={to} width={box.width} />
        {cursor !== null && (
          <rect className={style['cursor']} x={cursor * stepWidth} y={0} width={stepWidth} height={HEIGHT} />
        )}
        {kind === 'bars' ? <Bars series={series} top={top} box={box} /> : <Lines series={series} top={top} box={box} />}
      </g>
    </svg>
  )
}

const toY = (value: number, top: number): number => HEIGHT - (value / top) * HEIGHT

const offsetMs = (ms: number): number => -new Date(ms).getTimezoneOffset() * 60_000

function TimeAxis({
  from,
  to,
  width,
}: {
  readonly from: number
  readonly to: number
  readonly width: number
}): ReactNode {
  const format = useStepFormat()
  const { times, areDays } = timeTicks(from, to, Math.max(1, Math.floor(width / LABEL_PX)), offsetMs)
  return times.map((time) => {
    const x = ((time - from) / (to - from)) * width
    // keep the first and last labels inside the plot
    const anchor = x > width - LABEL_PX / 2 ? 'end' : 'middle'
    return (
      <g key={time}>
        <line className={style['mark']} x1={x} x2={x} y1={HEIGHT} y2={HEIGHT + 5} />
        <text className={style['tick']} x={x} y={HEIGHT + 20} textAnchor={anchor}>
          {format.tick(time, areDays)}
        </text>
      </g>
    )
  })
}

interface DrawnProps {
  readonly series: readonly Series[]
  readonly top: number
  readonly box: Box
}

const Bars = ({ series, top, box }: DrawnProps): ReactNode =>
  stackedBars(
    series.map(({ values }) => values),
    top,
    box,
  ).map(({ series: index, ...rect }) => {
    const drawn = series[index]
    return (
      drawn && (
        <rect
          key={`${drawn.id}:${rect.x}`}
          className={style['bar']}
          {...seriesAttributes(drawn.look)}
          {...rect}
          rx={1}
        />
      )
    )
  })

const Lines = ({ series, top, box }: DrawnProps): ReactNode =>
  series.map(({ id, look, values }, index) => {
    const { path, dots } = linePath(values, top, box)
    return (
      <g key={id} className={style['curve']} {...seriesAttributes(look)} data-dashed={index > 0}>
        <path d={path} />
        {dots.map(({ x, y }) => (
          <circle key={x} cx={x} cy={y} r={3} />
        ))}
      </g>
    )
  })

/** Returns the width of an element in pixels. @param first Used until it is known. */
function useWidth<E extends HTMLElement>(first: number): readonly [ref: RefObject<E | null>, width: number] {
  const ref = useRef<E>(null)
  const [width, setWidth] = useState(first)
  useEffect(() => {
    const element = ref.current
    if (element === null) return
    const watcher = new ResizeObserver(([entry]) => {
      if (entry !== undefined) setWidth(Math.max(1, Math.round(entry.contentRect.width)))
    })
    watcher.observe(element)
    return () => watcher.disconnect()
  }, [])
  return [ref, width]
}

const DAY_MS = 86_400_000

/** Formats times of charts in the viewer's time zone. */
interface StepFormat {
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
