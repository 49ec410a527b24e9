import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

it('checks that the generated tables match the code', async () => {
  const script = fileURLToPath(new URL('generate-docs.ts', import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, [script, '--check'])
  expect(stdout).toBe('All generated files are up to date.\n')
})
