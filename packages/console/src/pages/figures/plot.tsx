import type { ReactNode } from 'react'
import style from './figures.module.css'
import { type Box, maxValue, linePath, scaleTo, stackedBars, stackedMax, timeTicks } from './geometry.ts'
import type { Series, SeriesLook } from './series.ts'
import { useStepFormat } from './use-step-format.ts'

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
export interface PlotData {
  readonly series: readonly Series[]
  readonly kind: 'bars' | 'lines'
  readonly from: number
  readonly to: number
  /** Formats a value. */
  write(value: number): string
}

/** Returns the attributes that set a series' color. */
export const seriesAttributes = (look: SeriesLook): { 'data-platform'?: string; 'data-tone'?: string } =>
  'platform' in look ? { 'data-platform': look.platform } : { 'data-tone': look.tone }

/** Returns the drawing area of a plot of a given width. */
export const innerBox = (width: number): Box => ({ width: Math.max(1, width - AXIS_START - END), height: HEIGHT })
/** Left edge of the drawing area. */
export const INNER_START = AXIS_START

interface PlotProps extends PlotData {
  readonly width: number
  /** The selected step. */
  readonly cursor: number | null
}

/** Draws a chart. Its values are available as text next to it. */
export function Plot({ series, kind, from, to, write, width, cursor }: PlotProps): ReactNode {
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
