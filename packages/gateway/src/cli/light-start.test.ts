import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { COMMANDS } from './commands.ts'

/** What a module loads when it is imported: not types, and not what it imports later. */
async function loadedBy(url: URL, seen = new Set<string>()): Promise<ReadonlySet<string>> {
  if (seen.has(url.href)) return seen
  seen.add(url.href)
  const source = await readFile(url, 'utf8')
  for (const [statement, , from = ''] of source.matchAll(/^(import|export)\s[^'"]*?from '([^']+)'/gms)) {
    if (/^(import|export) type\s/.test(statement)) continue
    if (from.startsWith('.')) await loadedBy(new URL(from, url), seen)
    else seen.add(from)
  }
  return seen
}

const registry = await readFile(new URL('./commands.ts', import.meta.url), 'utf8')
/** The module that a command is imported from when it runs. */
function moduleUrl(name: string): URL {
  if (name === 'main') return new URL('./main.ts', import.meta.url)
  const [, path] = new RegExp(`^  '?${name}'?: [^\n]*import\\('([^']+)'\\)`, 'm').exec(registry) ?? []
  if (path === undefined) throw new Error(`commands.ts does not import ${name}`)
  return new URL(path, import.meta.url)
}

it.each(['main', ...Object.keys(COMMANDS)])('%s starts without the server', async (name) => {
  const loaded = [...(await loadedBy(moduleUrl(name)))]
  expect(loaded.length).toBeGreaterThan(3)
  expect(loaded.filter((module) => /^@gatepost\/|^(hono|pino|zod|@clack\/prompts)$/.test(module))).toEqual([])
})
