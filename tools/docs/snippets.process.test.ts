import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { loadPages, type Snippet, findSnippets } from './pages.ts'

const ROOT = join(import.meta.dirname, '..', '..')
/** Inside `node_modules`, so that packages resolve and other tools ignore it. */
const CACHE = join(ROOT, 'node_modules', '.cache')

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

/** Returns the compiler's errors, each prefixed with the page and line of the snippet. */
function compileSnippets(snippets: readonly Snippet[]): Promise<readonly string[]> {
  mkdirSync(CACHE, { recursive: true })
  const folder = mkdtempSync(join(CACHE, 'snippets-'))
  folders.push(folder)
  for (const { path, line, given, code } of snippets) {
    const name = `${path.replaceAll('/', '__')}-${line}.ts`
    writeFileSync(join(folder, name), `${given}\n${code}\nexport {}\n`)
  }
  // Snippets may declare names they don't use.
  const compilerOptions = { noUnusedLocals: false, noUnusedParameters: false }
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ extends: join(ROOT, 'tsconfig.base.json'), compilerOptions, include: ['*.ts'], exclude: [] }),
  )
  const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc')
  return new Promise((resolve) => {
    execFile(process.execPath, [tsc, '-p', folder, '--pretty', 'false'], { cwd: folder }, (_error, stdout) => {
      resolve(stdout.split('\n').filter((text) => /-\d+\.ts\(/.test(text)))
    })
  })
}

it('compiles every snippet of the manual', async () => {
  const snippets = loadPages().flatMap((page) => findSnippets(page, 'ts'))
  expect(snippets.length).toBeGreaterThan(10)
  expect(await compileSnippets(snippets)).toEqual([])
})

it('reports errors and includes the given code', async () => {
  const text = '```ts\nconst a: string = 1\n```\n\n<!-- given: declare const b: number -->\n```ts\nb.toFixed()\n```\n'
  const found = await compileSnippets(findSnippets({ path: 'docs/x.md', text }, 'ts'))
  expect(found).toEqual([expect.stringMatching(/^docs__x\.md-2\.ts\(2,7\): error TS2322/)])
})
