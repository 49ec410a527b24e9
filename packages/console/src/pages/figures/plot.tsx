import type { ReactNode } from 'react'
import style from './figures.module.css'
import { type Box, largest, linePath, scaleTo, stackedBars, stackedMax, timeTicks } from './geometry.ts'
import type { Series, SeriesLook } from './series.ts'
import { useStepFormat } from './use-step-format.ts'

const HEIGHT = 200
const AXIS_START = 52
const AXIS_BELOW = 24
const ABOVE = 8
/** A dot at the last step is not cut. */
const END = 6
/** Room for a label at the time axis. */
const LABEL_PX = 72
const TICKS = 4

/** What a chart shows, and how. */
export interface PlotData {
  readonly series: readonly Series[]
  readonly kind: 'bars' | 'lines'
  readonly from: number
  readonly to: number
  /** How a value is written. */
  write(value: number): string
}

/** Attributes that give something the colour of a series. */
export const lookOf = (look: SeriesLook): { 'data-platform'?: string; 'data-tone'?: string } =>
  'platform' in look ? { 'data-platform': look.platform } : { 'data-tone': look.tone }

/** Where in a plot of this width values are drawn. */
export const innerBox = (width: number): Box => ({ width: Math.max(1, width - AXIS_START - END), height: HEIGHT })
/** Where it begins, from the start of the plot. */
export const INNER_START = AXIS_START

interface PlotProps extends PlotData {
  readonly width: number
  /** The step that is looked at. */
  readonly cursor: number | null
}

/** The drawing of a chart; its values stand in words beside it. */
export function Plot({ series, kind, from, to, write, width, cursor }: PlotProps): ReactNode {
  const box = innerBox(width)
  const values = series.map((one) => one.values)
  const max = kind === 'bars' ? stackedMax(values) : largest(values)
  const { top, ticks } = scaleTo(max, TICKS, 1)
  const stepWidth = box.width / Math.max(1, values[0]?.length ?? 1)
  return (
    <svg className={style['plot']} width={width} height={HEIGHT + AXIS_BELOW + ABOVE} aria-hidden="true">
      <g transform={`translate(${AXIS_START} ${ABOVE})`}>
        {ticks.map((tick) => (
          <g key={tick}>
            <line className={style['rule']} x1={0} x2={box.width} y1={yOf(tick, top)} y2={yOf(tick, top)} />
            <text className={style['tick']} x={-8} y={yOf(tick, top) + 4} textAnchor="end">
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

const yOf = (value: number, top: number): number => HEIGHT - (value / top) * HEIGHT

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
    // the first and the last label stay inside the picture
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
      drawn && <rect key={`${drawn.id}:${rect.x}`} className={style['bar']} {...lookOf(drawn.look)} {...rect} rx={1} />
    )
  })

const Lines = ({ series, top, box }: DrawnProps): ReactNode =>
  series.map(({ id, look, values }, index) => {
    const { path, dots } = linePath(values, top, box)
    return (
      <g key={id} className={style['curve']} {...lookOf(look)} data-dashed={index > 0}>
        <path d={path} />
        {dots.map(({ x, y }) => (
          <circle key={x} cx={x} cy={y} r={3} />
        ))}
      </g>
    )
  })
