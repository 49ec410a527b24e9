import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

/** Tests run through vitest's transform, the product through Node's. */
const ROOT = join(import.meta.dirname, '..')
const packages = readdirSync(join(ROOT, 'packages')).filter((name) =>
  existsSync(join(ROOT, 'packages', name, 'src/index.ts')),
)

function node(...args: readonly string[]): { status: number | null; stdout: string; stderr: string } {
  const { NODE_OPTIONS: _ours, ...env } = process.env
  return spawnSync(process.execPath, args, { cwd: ROOT, env, encoding: 'utf8' })
}

it.each(packages)('plain Node loads %s without a warning', (name) => {
  const { status, stderr } = node('--input-type=module', '-e', `await import('./packages/${name}/src/index.ts')`)
  expect(stderr).toBe('')
  expect(status).toBe(0)
})

it('the launcher shows its help without a warning', () => {
  const { status, stdout, stderr } = node('packages/gateway/bin/gatepost.cjs', '--help')
  expect(stderr).toBe('')
  expect(stdout).toContain('gatepost')
  expect(status).toBe(0)
})
