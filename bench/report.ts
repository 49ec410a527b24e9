import { mkdir, writeFile } from 'node:fs/promises'
import { cpus, loadavg } from 'node:os'
import path from 'node:path'
import { isMet, type Section, tableText } from './figures.ts'
import type { BenchOptions } from './options.ts'

/** Measures, prints the table, and writes the figures with what the machine did besides. */
export async function report<Stage extends string>(
  options: BenchOptions<Stage>,
  measure: (options: BenchOptions<Stage>) => Promise<readonly Section[]>,
): Promise<void> {
  const before = loadavg()
  const sections = await measure(options)
  const load = { before, after: loadavg() }
  const { quick, rounds, json } = options
  const figures = {
    at: new Date().toISOString(),
    node: process.version,
    cores: cpus().length,
    quick,
    rounds,
    load,
    sections,
  }
  await mkdir(path.dirname(path.resolve(json)), { recursive: true })
  await writeFile(json, `${JSON.stringify(figures, null, 2)}\n`)
  const missed = sections.flatMap((section) => section.figures).filter((figure) => isMet(figure) === false)
  console.log(`\n${tableText(sections)}\n`)
  console.log(`${figures.cores} cores, load before ${loads(load.before)}, after ${loads(load.after)}`)
  console.log(`${missed.length} targets missed; figures in ${json}`)
}

const loads = (averages: readonly number[]): string => averages.map((value) => value.toFixed(1)).join(' ')
