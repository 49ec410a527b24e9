import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'

const SOURCES = join(import.meta.dirname, '..')
/** Physical properties that should be logical ones. */
const PHYSICAL =
  /(?<![\w-])(?:(?:(?:margin|padding|border|inset)-)?(?:left|right|top|bottom)(?:-\w+)*|(?:(?:min|max)-)?(?:width|height))\s*:|(?:text-align|float|clear)\s*:\s*(?:left|right)/

it('uses logical properties for layout', () => {
  const files = globSync('**/*.css', { cwd: SOURCES })
  expect(files.length).toBeGreaterThan(10)
  const found = files.flatMap((file) =>
    readFileSync(join(SOURCES, file), 'utf8')
      .replaceAll(/\/\*.*?\*\//gs, '')
      .split('\n')
      .flatMap((line) => (PHYSICAL.test(line) ? [`${file}: ${line.trim()}`] : [])),
  )
  expect(found).toEqual([])
})

it('defines every class that a component uses', () => {
  const found: string[] = []
  let uses = 0
  for (const file of globSync('**/*.tsx', { cwd: SOURCES })) {
    const source = readFileSync(join(SOURCES, file), 'utf8')
    for (const [, name, path = ''] of source.matchAll(/import (\w+) from '(\.[^']+\.module\.css)'/g)) {
      const styles = readFileSync(join(SOURCES, dirname(file), path), 'utf8')
      for (const [, used] of source.matchAll(new RegExp(`\\b${name}\\['([\\w-]+)'\\]`, 'g'))) {
        uses += 1
        if (!new RegExp(`\\.${used}(?![\\w-])`).test(styles)) found.push(`${file}: ${used} is not in ${path}`)
      }
    }
  }
  expect(uses).toBeGreaterThan(100)
  expect(found).toEqual([])
})
