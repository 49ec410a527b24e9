import CliTable from 'cli-table3'
import { type Cell, createPalette, type Output } from './text.ts'
import { cutToWidth, displayWidth } from './width.ts'

/** A table column. */
export interface Column {
  readonly title: string
  readonly align?: 'right'
  /** Shrinks if the terminal is too narrow. */
  readonly flexible?: true
  /** Hidden if all of its cells are empty. */
  readonly optional?: true
}

const cellText = (cell: Cell): string => (typeof cell === 'string' ? cell : cell.text)
const GAP = 3
const LEAST_FLEXIBLE = 12

function columnWidths(columns: readonly Column[], rows: readonly (readonly Cell[])[], available: number): number[] {
  const widths = columns.map(({ title }, index) =>
    Math.max(displayWidth(title), ...rows.map((row) => displayWidth(cellText(row[index] ?? '')))),
  )
  let excess = widths.reduce((sum, width) => sum + width, GAP * (columns.length - 1)) - available
  while (excess > 0) {
    let widest = -1
    columns.forEach(({ flexible }, index) => {
      const width = widths[index] ?? 0
      if (flexible && width > LEAST_FLEXIBLE && width > (widths[widest] ?? 0)) widest = index
    })
    if (widest < 0) return widths
    widths[widest] = (widths[widest] ?? 0) - 1
    excess -= 1
  }
  return widths
}

/** Formats rows below their column titles. Flexible columns are cut so that the table fits the terminal. */
export function table(columns: readonly Column[], rows: readonly (readonly Cell[])[], output: Output): string {
  const used = columns.flatMap(({ optional }, index) =>
    optional && rows.every((row) => cellText(row[index] ?? '') === '') ? [] : [index],
  )
  const pick = <T>(all: readonly T[]): T[] => used.flatMap((index) => all.slice(index, index + 1))
  return formatTable(pick(columns), rows.map(pick), output)
}

/** Columns are separated by blanks alone. */
const NO_BORDERS = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  mid: '',
  'left-mid': '',
  'mid-mid': '',
  'right-mid': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  right: '',
  middle: ' '.repeat(GAP),
}

function formatTable(columns: readonly Column[], rows: readonly (readonly Cell[])[], output: Output): string {
  const { dim } = createPalette(output)
  const widths = columnWidths(columns, rows, output.columns)
  const paintCell = (cell: Cell, index: number): string => {
    const text = cutToWidth(cellText(cell), widths[index] ?? 0)
    return typeof cell === 'string' ? text : cell.paint(text)
  }
  const formatted = new CliTable({
    head: columns.map(({ title }, index) => dim(cutToWidth(title, widths[index] ?? 0))),
    colAligns: columns.map(({ align }) => align ?? 'left'),
    chars: NO_BORDERS,
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] },
  })
  formatted.push(...rows.map((row) => columns.map((_column, index) => paintCell(row[index] ?? '', index))))
  const lines = formatted.toString().split('\n')
  return `${lines.map((line) => line.trimEnd()).join('\n')}\n`
}
