import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { buildConsole } from './processes.ts'

const DIST = join(import.meta.dirname, '..', '..', 'dist')
const MOST_KB = 250

/** A chunk of the build. @see Vite, "Backend Integration" */
interface Chunk {
  readonly file: string
  readonly imports?: readonly string[]
  readonly css?: readonly string[]
}

/** Files loaded before the first page is usable. */
function collectFiles(manifest: Readonly<Record<string, Chunk>>, entries: readonly string[]): ReadonlySet<string> {
  const files = new Set<string>()
  const seen = new Set<string>()
  const add = (name: string): void => {
    if (seen.has(name)) return
    seen.add(name)
    const chunk = manifest[name]
    if (chunk === undefined) throw new Error(`The build has no ${name}.`)
    for (const file of [chunk.file, ...(chunk.css ?? [])]) files.add(file)
    for (const imported of chunk.imports ?? []) add(imported)
  }
  for (const entry of entries) add(entry)
  return files
}

it('loads little for the first screen: the frame with the channels and the demo', () => {
  buildConsole()
  const text = readFileSync(join(DIST, '.vite', 'manifest.json'), 'utf8')
  const manifest = JSON.parse(text) as Record<string, Chunk> // Vite's manifest
  const pages = ['index.html', 'src/pages/channels/channels-page.tsx', 'src/pages/demo/demo-page.tsx']
  const sizes = [...collectFiles(manifest, pages)].map(
    (file) => [file, gzipSync(readFileSync(join(DIST, file))).length] as const,
  )
  const kilobytes = sizes.reduce((sum, [, size]) => sum + size, 0) / 1_000
  expect(sizes.length).toBeGreaterThan(3)
  expect(kilobytes).toBeLessThanOrEqual(MOST_KB)
})
