import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { gzipSync } from 'node:zlib'
import { parseSync } from 'oxc-parser'
import { expect, it } from 'vitest'

const SOURCE = join(import.meta.dirname, '..', '..')

interface Module {
  /** Below `src`. */
  readonly path: string
  /** Without its types. */
  readonly code: string
  /** The imports that remain at run time. */
  readonly imports: readonly string[]
}

function moduleAt(path: string): Module {
  const code = stripTypeScriptTypes(readFileSync(join(SOURCE, path), 'utf8'))
  const { module } = parseSync(path, readFileSync(join(SOURCE, path), 'utf8'))
  const named = module.staticImports
    .filter(({ entries }) => entries.length === 0 || entries.some(({ isType }) => !isType))
    .map(({ moduleRequest }) => moduleRequest.value)
  const passedOn = module.staticExports.flatMap(({ entries }) =>
    entries.flatMap(({ moduleRequest, isType }) => (moduleRequest === null || isType ? [] : [moduleRequest.value])),
  )
  return { path, code, imports: [...new Set([...named, ...passedOn])] }
}

/** Everything that an import of one file brings. */
function listBundledModules(path: string): readonly Module[] {
  const found = new Map<string, Module>()
  const bring = (at: string): void => {
    if (found.has(at)) return
    const module = moduleAt(at)
    found.set(at, module)
    for (const specifier of module.imports) {
      if (!specifier.startsWith('.')) throw new Error(`${at} imports ${specifier}`)
      bring(relative(SOURCE, join(SOURCE, dirname(at), specifier)))
    }
  }
  bring(path)
  return [...found.values()]
}

const bundledCode = (path: string): string =>
  listBundledModules(path)
    .map(({ code }) => code)
    .join('\n')
const gzippedSize = (path: string): number => gzipSync(bundledCode(path)).byteLength

it('contains nothing from the server, from Node or from dependencies', () => {
  const paths = listBundledModules('headless/client/index.ts').map(({ path }) => path)
  expect(paths.length).toBeGreaterThan(5)
  const foreign = paths.filter((path) => !path.startsWith('headless/client/'))
  expect(foreign).toEqual([])
  expect(bundledCode('headless/client/index.ts')).not.toMatch(/\b(?:process\.|Buffer\b|require\(|__dirname)/)
})

it('has no side effects when imported, so that unused code can be removed', () => {
  for (const { path } of listBundledModules('headless/client/index.ts')) {
    const { program } = parseSync(path, readFileSync(join(SOURCE, path), 'utf8'))
    const kinds = program.body.map(({ type }) => type)
    expect(kinds.filter((type) => type === 'ExpressionStatement')).toEqual([])
  }
})

it.each([
  ['passkeys alone', 'headless/client/passkeys.ts', 1, 1_500],
  ['the client of a page', 'headless/client/browser-client.ts', 6, 5_000],
  ['everything', 'headless/client/index.ts', 11, 9_000],
])('%s: few files, and few bytes before they are minified', (_what, path, files, bytes) => {
  expect(listBundledModules(path).length).toBeLessThanOrEqual(files)
  expect(gzippedSize(path)).toBeLessThanOrEqual(bytes)
})
