import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from 'oxc-parser'
import { expect, it } from 'vitest'

const PACKAGES = join(import.meta.dirname, '..', 'packages')
const MAX_NAMES = 60
const entries = readdirSync(PACKAGES).flatMap((name) => listEntries(name))

/** Lists the entry points of a package with a name for each, e.g. `auth`, `auth-hono`; those for tests are left out. */
function listEntries(name: string): readonly [name: string, file: string][] {
  const { exports = {} } = JSON.parse(readFileSync(join(PACKAGES, name, 'package.json'), 'utf8')) as {
    exports?: Record<string, string>
  } // our own file
  return Object.entries(exports).flatMap(([subpath, file]): [string, string][] =>
    file.includes('/testing') ? [] : [[`${name}${subpath.slice(1).replaceAll('/', '-')}`, join(PACKAGES, name, file)]],
  )
}

/** Lists the exported names of a module in alphabetical order, with types marked. */
function listExports(file: string): readonly string[] {
  const { module } = parseSync(file, readFileSync(file, 'utf8'))
  return module.staticExports
    .flatMap((each) => each.entries)
    .map(({ exportName, isType }) => `${exportName.name ?? exportName.kind}${isType ? ' (type)' : ''}`)
    .toSorted()
}

/** To accept a change: `npx vitest run tools/export-lists -u`. */
it.each(entries)('%s exports the names in its list', async (name, file) => {
  const names = listExports(file)
  expect(names).not.toContain('Default')
  expect(names).not.toContain('None')
  expect(names.length).toBeLessThanOrEqual(MAX_NAMES)
  await expect(`${names.join('\n')}\n`).toMatchFileSnapshot(`./export-lists/${name}.txt`)
})
