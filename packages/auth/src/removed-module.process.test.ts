import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '..', '..', '..')
const COMPILER = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc')

let copy: string
beforeEach(() => {
  copy = mkdtempSync(join(tmpdir(), 'gatepost-auth-'))
})
afterEach(() => {
  rmSync(copy, { recursive: true, force: true })
})

const isTestCode = (path: string): boolean => /^testing|\.(test|contract)\.ts$/.test(basename(path))

/**
 * Copies the package's source without its tests, and without a module: its folder, its entry in `MODULES`, and its line in
 * `operations.ts`. The conversion of an old site's secrets goes too: it knows the tables of several modules.
 */
function copyWithout(module: string): void {
  const auth = join(copy, 'packages', 'auth')
  mkdirSync(auth, { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'))
  cpSync(join(import.meta.dirname, '..', 'package.json'), join(auth, 'package.json'))
  const removed = [module, 'adoption/secret-form.sql.ts', 'adoption/index.ts'].map((name) =>
    join(import.meta.dirname, name),
  )
  cpSync(import.meta.dirname, join(auth, 'src'), {
    recursive: true,
    filter: (path) => !removed.includes(path) && !isTestCode(path),
  })
  const compose = join(auth, 'src', 'compose.ts')
  const entry = new RegExp(`^ {2}${module}: \\{.*?\\},\\n(?= {2}\\w+: \\{|\\} as const)`, 'ms')
  const code = readFileSync(compose, 'utf8')
  expect(code).toMatch(entry)
  writeFileSync(compose, code.replace(entry, ''))
  const operations = join(auth, 'src', 'operations.ts')
  writeFileSync(operations, readFileSync(operations, 'utf8').replace(new RegExp(`^ {2}${module}: .*\\n`, 'm'), ''))
  const config = { extends: join(ROOT, 'tsconfig.base.json'), include: ['packages/auth/src'] }
  writeFileSync(join(copy, 'tsconfig.json'), JSON.stringify(config))
}

/** Compiles the copy. @returns the lines of the compiler's output: its errors, and the files that it read */
async function compile(): Promise<readonly string[]> {
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [COMPILER, '-p', copy, '--listFiles'], {
      maxBuffer: 10_000_000,
    })
    return stdout.split('\n')
  } catch (error) {
    if (typeof error !== 'object' || error === null || !('stdout' in error)) throw error
    return String(error.stdout).split('\n')
  }
}

it.for(['mfa', 'social', 'oidc', 'headless'])('compiles without %s', async (module) => {
  copyWithout(module)
  const output = await compile()
  expect(output.filter((line) => line.includes('error TS'))).toEqual([])
  expect(output.filter((line) => /\/auth\/src\/(compose|instance)\.ts$/.test(line))).toHaveLength(2)
})
