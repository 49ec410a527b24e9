import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'

/** A host that imports all entry points compiles with its compiler's strictest defaults. */

const ROOT = join(import.meta.dirname, '..')
const PACKAGES = ['auth', 'sql'] as const

let host = ''
beforeAll(async () => {
  host = await mkdtemp(join(tmpdir(), 'host-types-'))
  await mkdir(join(host, 'node_modules/@gatepost'), { recursive: true })
  for (const name of PACKAGES) {
    await symlink(join(ROOT, 'packages', name), join(host, 'node_modules/@gatepost', name))
  }
  await writeFile(join(host, 'package.json'), '{"type":"module"}')
  const compilerOptions = {
    strict: true,
    skipLibCheck: false,
    target: 'es2024',
    module: 'nodenext',
    // The packages are TypeScript, and need Node's types.
    allowImportingTsExtensions: true,
    noEmit: true,
    types: ['node'],
    typeRoots: [join(ROOT, 'node_modules/@types')],
  }
  await writeFile(join(host, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['host.ts'] }))
  const imports = (await listEntries()).map((entry, index) => `export type * as entry${index} from '${entry}'`)
  await writeFile(join(host, 'host.ts'), imports.join('\n'))
})
afterAll(() => rm(host, { recursive: true, force: true }))

async function listEntries(): Promise<readonly string[]> {
  const listed = await Promise.all(
    PACKAGES.map(async (name) => {
      const text = await readFile(join(ROOT, 'packages', name, 'package.json'), 'utf8')
      const { exports } = JSON.parse(text) as { exports: Record<string, string> } // our own file
      return Object.keys(exports).map((path) => join('@gatepost', name, path))
    }),
  )
  return listed.flat().filter((entry) => !entry.endsWith('/testing'))
}

/** Runs the compiler, and returns what it printed, whether or not it found errors. */
async function compile(...parameters: readonly string[]): Promise<readonly string[]> {
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc')
  const options = { maxBuffer: 64 * 1024 * 1024 }
  const { stdout } = await promisify(execFile)(process.execPath, [compiler, '-p', host, ...parameters], options).catch(
    (error: unknown) => error as { stdout: string }, // errors of a child process have its output
  )
  return stdout.split('\n').filter((line) => line !== '')
}

it('finds no error in the packages, and none in the libraries that their types use', async () => {
  expect(await compile()).toEqual([])
}, 120_000)

it("needs no types but Node's that aren't installed with the packages", async () => {
  const files = await compile('--listFilesOnly')
  const used = new Set(files.flatMap((file) => /\/node_modules\/(@types\/[^/]+)\//.exec(file)?.[1] ?? []))
  const { dependencies } = JSON.parse(await readFile(join(ROOT, 'packages/sql/package.json'), 'utf8')) as {
    dependencies: Record<string, string> // our own file
  }
  expect([...used].filter((name) => name !== '@types/node' && !(name in dependencies))).toEqual([])
}, 120_000)
