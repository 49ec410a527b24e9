/** One measured value. */
export interface Figure {
  readonly name: string
  readonly value: number
  readonly unit: string
  /** Lowest and highest of the rounds, when there were several; `value` is their median. */
  readonly range?: readonly [lowest: number, highest: number]
  readonly target?: { readonly atMost: number } | { readonly atLeast: number }
  /** This value divided by that of a peer or of a limit. */
  readonly ratios?: Readonly<Record<string, number>>
}

export type Section = { readonly title: string; readonly figures: readonly Figure[] }

/** Whether the target is met; `null` when there is none. */
export function isMet({ value, target }: Figure): boolean | null {
  if (target === undefined) return null
  return 'atMost' in target ? value <= target.atMost : value >= target.atLeast
}

const COLUMNS = ['', 'value', 'rounds', 'target', 'compared'] as const

/** A table that people can read. */
export function tableText(sections: readonly Section[]): string {
  const rows = sections.flatMap(({ title, figures }) => [[title, '', '', '', ''], ...figures.map(row)])
  const all = [[...COLUMNS], ...rows]
  const widths = COLUMNS.map((_, column) => Math.max(...all.map((cells) => cells[column]?.length ?? 0)))
  return all
    .map((cells) =>
      cells
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

function row(figure: Figure): string[] {
  const { name, value, unit, range, target, ratios = {} } = figure
  const goal = target && ('atMost' in target ? `<= ${target.atMost}` : `>= ${target.atLeast}`)
  return [
    `  ${name}`,
    `${short(value)} ${unit}`.trim(),
    range ? `${short(range[0])} to ${short(range[1])}` : '',
    goal === undefined ? '' : `${goal} ${isMet(figure) === true ? 'met' : 'MISSED'}`,
    Object.entries(ratios)
      .map(([peer, ratio]) => `${short(ratio)} x ${peer}`)
      .join(', '),
  ]
}

/** Three digits that count. */
const short = (value: number): string =>
  Math.abs(value) >= 1000 ? String(Math.round(value)) : String(Number(value.toPrecision(3)))
