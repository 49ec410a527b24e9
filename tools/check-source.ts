import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ALLOWANCE } from './source/allowance.ts'
import { applyAllowance, checkSources, type Violation } from './source/rules.ts'

const ROOT = join(import.meta.dirname, '..')

/** All files of the packages' sources, by path from the root. */
function readSources(): ReadonlyMap<string, string> {
  const packages = readdirSync(join(ROOT, 'packages'))
  const files = packages.flatMap((name) =>
    readdirSync(join(ROOT, 'packages', name, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.tsx?$/.test(path))
      .map((path) => `packages/${name}/src/${path.replaceAll('\\', '/')}`),
  )
  return new Map(files.map((path) => [path, readFileSync(join(ROOT, path), 'utf8')]))
}

const all = checkSources(readSources())
if (process.argv.includes('--count')) {
  const key = ({ rule, owner }: Violation): string => `${rule} in ${owner}`
  for (const [name, { length }] of [...Map.groupBy(all, key)].toSorted(([a], [b]) => a.localeCompare(b)))
    console.log(`${name}: ${length}`)
} else {
  const { violations, tooLarge } = applyAllowance(all, ALLOWANCE)
  for (const { file, line, rule, message } of violations) console.log(`${file}:${line}: ${rule}: ${message}`)
  for (const line of tooLarge) console.log(`tools/source/allowance.ts can be lowered: ${line}`)
  console.log(`${violations.length} violations`)
  process.exitCode = violations.length > 0 ? 1 : 0
}
