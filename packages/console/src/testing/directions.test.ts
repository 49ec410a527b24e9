import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
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
