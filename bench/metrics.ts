import { mkdir, writeFile } from 'node:fs/promises'
import { cpus, loadavg } from 'node:os'
import path from 'node:path'
import type { BenchOptions } from './options.ts'

/** One measured value. */
export interface Metric {
  readonly name: string
  readonly value: number
  readonly unit: string
  /** Lowest and highest value of several rounds; `value` is their median. */
  readonly range?: readonly [lowest: number, highest: number]
  readonly target?: { readonly atMost: number } | { readonly atLeast: number }
  /** This value divided by that of a baseline or limit, by its name. */
  readonly ratios?: Readonly<Record<string, number>>
}

/** A group of metrics with a title. */
export type Section = { readonly title: string; readonly metrics: readonly Metric[] }

/** Returns whether the target is met; `null` without a target. */
function meetsTarget({ value, target }: Metric): boolean | null {
  if (target === undefined) return null
  return 'atMost' in target ? value <= target.atMost : value >= target.atLeast
}

const COLUMNS = ['', 'value', 'rounds', 'target', 'compared'] as const

/** Formats the metrics as a table for a terminal. */
export function formatTable(sections: readonly Section[]): string {
  const rows = sections.flatMap(({ title, metrics }) => [[title, '', '', '', ''], ...metrics.map(toCells)])
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

function toCells(metric: Metric): string[] {
  const { name, value, unit, range, target, ratios = {} } = metric
  const goal = target && ('atMost' in target ? `<= ${target.atMost}` : `>= ${target.atLeast}`)
  return [
    `  ${name}`,
    `${formatNumber(value)} ${unit}`.trim(),
    range ? `${formatNumber(range[0])} to ${formatNumber(range[1])}` : '',
    goal === undefined ? '' : `${goal} ${meetsTarget(metric) === true ? 'met' : 'MISSED'}`,
    Object.entries(ratios)
      .map(([peer, ratio]) => `${formatNumber(ratio)} x ${peer}`)
      .join(', '),
  ]
}

/** Rounds to three significant digits. */
const formatNumber = (value: number): string =>
  Math.abs(value) >= 1000 ? String(Math.round(value)) : String(Number(value.toPrecision(3)))

/** Runs a benchmark, prints its table, and writes its metrics and the machine's load as JSON. */
export async function report<Stage extends string>(
  options: BenchOptions<Stage>,
  measure: (options: BenchOptions<Stage>) => Promise<readonly Section[]>,
): Promise<void> {
  const before = loadavg()
  const sections = await measure(options)
  const load = { before, after: loadavg() }
  const { quick, rounds, json } = options
  const metrics = {
    at: new Date().toISOString(),
    node: process.version,
    cores: cpus().length,
    quick,
    rounds,
    load,
    sections,
  }
  await mkdir(path.dirname(path.resolve(json)), { recursive: true })
  await writeFile(json, `${JSON.stringify(metrics, null, 2)}\n`)
  const missed = sections.flatMap((section) => section.metrics).filter((metric) => meetsTarget(metric) === false)
  console.log(`\n${formatTable(sections)}\n`)
  console.log(`${metrics.cores} cores, load before ${formatLoad(load.before)}, after ${formatLoad(load.after)}`)
  console.log(`${missed.length} targets missed; metrics in ${json}`)
}

const formatLoad = (averages: readonly number[]): string => averages.map((value) => value.toFixed(1)).join(' ')
