import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openPostgresClient } from './postgres.ts'

const START = `
import { startPostgres } from '${new URL('testing.ts', import.meta.url).href}'
const server = await startPostgres()
process.stdout.write(server.url)
`

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatepost-server-'))
  await chmod(folder, 0o755) // the server may run as another user
})
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 50 }))

/** Runs `script` with a server; what it prints ends with the address. */
async function run(script: string): Promise<{ code: number | null; url: string; errors: string }> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', `${START}${script}`], {
    env: { ...process.env, TMPDIR: folder },
  })
  const [url, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { code: code as number | null, url, errors } // the event's first argument
}

it('leaves the exit code of the process that started it alone', async () => {
  expect(await run('process.exitCode = 3; await server.stop()')).toMatchObject({ code: 3, errors: '' })
})

it('is stopped when that process exits without stopping it', async () => {
  const { code, url } = await run('process.exit(3)')
  expect(code).toBe(3)
  const connects = async (): Promise<boolean> => {
    try {
      await (await openPostgresClient(url)).end()
      return true
    } catch {
      return false
    }
  }
  await expect.poll(connects).toBe(false)
})
