import { mkdir, writeFile } from 'node:fs/promises'
import { cpus, loadavg } from 'node:os'
import path from 'node:path'
import { isMet, type Section, tableText } from '../gateway/figures.ts'
import { measureBusy } from './busy.ts'
import { measureChecks } from './checks.ts'
import { measureLogins } from './logins.ts'
import { measureMemory } from './memory.ts'
import { type BenchOptions, readOptions } from './options.ts'
import { type Site, siteWith } from './site.ts'
import { measureStartUp } from './start-up.ts'

const options = readOptions(process.argv.slice(2))
const loadBefore = loadavg()
const sections = await measure(options)
const report = {
  at: new Date().toISOString(),
  node: process.version,
  cores: cpus().length,
  quick: options.quick,
  rounds: options.rounds,
  load: { before: loadBefore, after: loadavg() },
  sections,
}
await mkdir(path.dirname(path.resolve(options.json)), { recursive: true })
await writeFile(options.json, `${JSON.stringify(report, null, 2)}\n`)
const missed = sections.flatMap(({ figures }) => figures).filter((figure) => isMet(figure) === false)
console.log(`\n${tableText(sections)}\n`)
console.log(`${report.cores} cores, load before ${loads(loadBefore)}, after ${loads(report.load.after)}`)
console.log(`${missed.length} targets missed; figures in ${options.json}`)

function loads(averages: readonly number[]): string {
  return averages.map((value) => value.toFixed(1)).join(' ')
}

async function measure({ quick, stages, rounds, profile }: BenchOptions): Promise<readonly Section[]> {
  const done: Section[] = []
  const site = await siteWith({ users: 1_000, sessions: 1_000 })
  const section = async (title: string, work: () => Promise<Section['figures']>): Promise<void> => {
    console.error(`${title} …`)
    done.push({ title, figures: await work() })
  }
  try {
    if (stages.has('check')) {
      await section('Session checks', () =>
        withMany(quick, (many) =>
          measureChecks(site, many, { rounds, profile, checks: quick ? 5_000 : 20_000, pages: quick ? 500 : 2_000 }),
        ),
      )
    }
    if (stages.has('login')) {
      const counts = quick ? { cheap: 1_000, whole: 60 } : { cheap: 4_000, whole: 300 }
      await section('Logins', () => measureLogins(site, { rounds, profile, ...counts }))
    }
    if (stages.has('busy')) await section('At once', () => measureBusy(site, { rounds, checks: quick ? 300 : 1_000 }))
    if (stages.has('start')) await section('Start', () => measureStartUp(site, rounds))
    if (stages.has('memory')) await section('Memory', () => measureMemory(site, quick ? 5_000 : 50_000))
  } finally {
    await site.remove()
  }
  return done
}

/** A site with very many sessions takes half a minute to make, so only who needs it has it. */
async function withMany<R>(quick: boolean, work: (many: Site) => Promise<R>): Promise<R> {
  const many = await siteWith({ users: 100_000, sessions: quick ? 100_000 : 1_000_000 })
  try {
    return await work(many)
  } finally {
    await many.remove()
  }
}
