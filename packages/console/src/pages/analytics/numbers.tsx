import type { ReactNode } from 'react'
import style from './analytics.module.css'
import { toCsv, toRows, type StepRow } from './traffic.ts'
import { analyticsTexts } from './texts.ts'
import { useStepFormat } from './chart.tsx'
import type { Traffic } from '../../api/gateway-api.ts'
import { type Format, useFormat } from '../../language/format.ts'
import { useTexts } from '../../language/language.ts'
import { Button, CopyButton } from '../../parts/button.tsx'
import { type Column, Table } from '../../parts/table.tsx'

/** The totals of the time range. */
export function Totals({ totals }: { readonly totals: Traffic['totals'] }): ReactNode {
  const texts = useTexts(analyticsTexts)
  const format = useFormat()
  const errors = totals.failed + totals.refused + totals.unknown
  const share = totals.received === 0 ? null : texts.answeredShare(format.percent(totals.answered / totals.received))
  const time = (ms: number | undefined): string => (ms === undefined ? texts.noValue : format.span(ms))
  return (
    <dl className={style['totals']} aria-label={texts.totals}>
      <Total name={texts.received} value={format.number(totals.received)} />
      <Total name={texts.answered} value={format.number(totals.answered)} note={share} />
      <Total name={texts.sent} value={format.number(totals.delivered)} />
      <Total
        name={texts.errors}
        value={format.number(errors)}
        note={errors === 0 ? texts.noErrors : null}
        isBad={errors > 0}
      />
      <Total name={texts.half} value={time(totals.answer_ms?.p50)} />
      <Total name={texts.most} value={time(totals.answer_ms?.p95)} />
    </dl>
  )
}

interface TotalProps {
  readonly name: string
  readonly value: string
  readonly note?: string | null
  readonly isBad?: boolean
}

const Total = ({ name, value, note = null, isBad = false }: TotalProps): ReactNode => (
  <div className={style['total']} data-bad={isBad}>
    <dt>{name}</dt>
    <dd>{value}</dd>
    {note !== null && <dd className={style['note']}>{note}</dd>}
  </div>
)

/** A table of all values, with copy and CSV download. */
export function NumbersTable({ traffic }: { readonly traffic: Traffic }): ReactNode {
  const texts = useTexts(analyticsTexts)
  const format = useFormat()
  const steps = useStepFormat()
  const rows = toRows(traffic)
  const { columns: names } = texts
  const time = (ms: number | null): string => (ms === null ? texts.noValue : format.span(ms))
  const columns: readonly Column<StepRow>[] = [
    { title: names.time, cell: ({ from, to }) => steps.step(from, to) },
    ...countColumns(names, format),
    { title: names.p50, cell: ({ p50 }) => time(p50), end: true },
    { title: names.p95, cell: ({ p95 }) => time(p95), end: true },
  ]
  return (
    <details className={style['numbers']}>
      <summary>{texts.table}</summary>
      <div className={style['tools']}>
        <Button
          small
          onClick={() => downloadCsv(toCsv(traffic), `gatepost-${new Date(traffic.from).toISOString()}.csv`)}
        >
          {texts.download}
        </Button>
        <CopyButton text={toCsv(traffic)} />
      </div>
      <Table label={texts.tableLabel} columns={columns} rows={rows.toReversed()} rowKey={({ from }) => String(from)} />
    </details>
  )
}

const TABLE_COUNTS = ['received', 'answered', 'failed', 'delivered', 'refused', 'unknown'] as const

const countColumns = (
  names: Readonly<Record<(typeof TABLE_COUNTS)[number], string>>,
  format: Format,
): readonly Column<StepRow>[] =>
  TABLE_COUNTS.map((name) => ({ title: names[name], cell: (row) => format.number(row[name]), end: true }))

/** Downloads a text as a CSV file. */
function downloadCsv(text: string, name: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/csv' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name.replaceAll(':', '-')
  link.click()
  URL.revokeObjectURL(url)
}
