import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

it('finds the tables of the manual as the code says', async () => {
  const script = fileURLToPath(new URL('generate-docs.ts', import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, [script, '--check'])
  expect(stdout).toBe('Everything that is generated is up to date.\n')
})
