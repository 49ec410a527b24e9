import { cutToWidth, displayWidth, createPalette, type Paint, type Output } from './text.ts'

export interface Column {
  readonly title: string
  readonly align?: 'right'
  /** Gives up width when the terminal is too narrow. */
  readonly flexible?: true
  /** Left out when none of its cells says anything. */
  readonly optional?: true
}

/** A cell: its text, and how it is coloured once it has its final width. */
export type Cell = string | { readonly text: string; readonly paint: Paint }

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

/** Rows below their titles, aligned by what a terminal shows; flexible columns are cut to the width of the terminal. */
export function table(columns: readonly Column[], rows: readonly (readonly Cell[])[], output: Output): string {
  const used = columns.flatMap(({ optional }, index) =>
    optional && rows.every((row) => cellText(row[index] ?? '') === '') ? [] : [index],
  )
  const pick = <T>(all: readonly T[]): T[] => used.flatMap((index) => all.slice(index, index + 1))
  return formatTable(pick(columns), rows.map(pick), output)
}

function formatTable(columns: readonly Column[], rows: readonly (readonly Cell[])[], output: Output): string {
  const { dim } = createPalette(output)
  const widths = columnWidths(columns, rows, output.columns)
  const line = (cells: readonly Cell[]): string =>
    columns
      .map(({ align }, index) => {
        const cell = cells[index] ?? ''
        const width = widths[index] ?? 0
        const text = cutToWidth(cellText(cell), width)
        const space = ' '.repeat(width - displayWidth(text))
        const painted = typeof cell === 'string' ? text : cell.paint(text)
        if (align === 'right') return space + painted
        return index === columns.length - 1 ? painted : painted + space
      })
      .join(' '.repeat(GAP))
      .trimEnd()
  const heading = line(columns.map(({ title }) => ({ text: title, paint: dim })))
  return `${[heading, ...rows.map(line)].join('\n')}\n`
}

/** Lines of `name   value`, the names dimmed and padded to one width. */
export function pairs(entries: readonly (readonly [name: string, value: Cell])[], output: Output, indent = ''): string {
  const { dim } = createPalette(output)
  const width = Math.max(...entries.map(([name]) => displayWidth(name)))
  return entries
    .map(([name, value]) => {
      const space = ' '.repeat(width - displayWidth(name) + GAP)
      return `${indent}${dim(name)}${space}${typeof value === 'string' ? value : value.paint(value.text)}\n`
    })
    .join('')
}
