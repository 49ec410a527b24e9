import { type KeyboardEvent, type PointerEvent, type ReactNode, useState } from 'react'
import style from './figures.module.css'
import { stepAt } from './geometry.ts'
import { INNER_START, innerBox, seriesAttributes, Plot, type PlotData } from './plot.tsx'
import { type Series, sumSeries } from './series.ts'
import { analyticsTexts } from './texts.ts'
import { useStepFormat } from './use-step-format.ts'
import { useWidth } from './use-width.ts'
import { useTexts } from '../../language/texts.ts'

interface ChartProps extends PlotData {
  readonly title: string
  readonly lead: string
  readonly stepMs: number
  labelOf(series: Series): string
  /** The value for the whole range; default: the sum. */
  wholeOf?(series: Series): number | null
}

const FIRST_WIDTH = 640
const FAR = 10

/** A chart with a cursor for pointer and keyboard, whose value is announced. */
export function Chart(props: ChartProps): ReactNode {
  const { title, lead, series, from, to, stepMs, write, labelOf, wholeOf = sumSeries } = props
  const texts = useTexts(analyticsTexts)
  const format = useStepFormat()
  const [ref, width] = useWidth<HTMLDivElement>(FIRST_WIDTH)
  const [chosen, choose] = useState<number | null>(null)
  const count = series[0]?.values.length ?? 0
  const cursor = chosen === null ? null : Math.min(chosen, count - 1)
  const start = from + (cursor ?? 0) * stepMs
  const when = cursor === null ? texts.whole : format.step(start, Math.min(to, start + stepMs))
  const said = series.map((one) => {
    const value = cursor === null ? wholeOf(one) : (one.values[cursor] ?? null)
    return { ...one, label: labelOf(one), text: value === null ? texts.noValue : write(value) }
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
