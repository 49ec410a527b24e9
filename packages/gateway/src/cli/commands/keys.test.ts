import { expect, it } from 'vitest'
import { startFakeServer, success } from '../testing/fake-server.ts'
import { runCli } from '../testing/test-io.ts'

const PATH = '/api/keys/rotation'
const rotation = { state: 'running', total: 400, seen: 0, resealed: 0, unreadable: 0, changed_at: 1 }
const done = { ...rotation, state: 'done', seen: 400, resealed: 390 }
const answers = (...views: readonly object[]): Parameters<typeof startFakeServer>[0] => ({
  [`POST ${PATH}`]: success(rotation),
  [`GET ${PATH}`]: (asked) => success(views[asked] ?? views.at(-1)),
})

it('shows a progress bar in a terminal, then the result', async () => {
  await using server = await startFakeServer(answers({ ...rotation, seen: 100, resealed: 100 }, done))
  const run = await runCli(['keys', 'rotate'], { url: server.url, typed: [] })
  expect(run.code).toBe(0)
  expect(run.err.split('\r').slice(1)).toEqual([
    `[${'.'.repeat(30)}]   0%  0 of 400`,
    `[${'#'.repeat(8)}${'.'.repeat(22)}]  25%  100 of 400`,
    '\u001b[K',
  ])
  expect(run.out).toContain('Checked 400 stored secrets. Encrypted 390 of them')
})

it('prints only JSON to a script', async () => {
  await using server = await startFakeServer(answers(done))
  const run = await runCli(['keys', 'rotate', '--json'], { url: server.url })
  expect([run.code, run.json(), run.err]).toEqual([0, done, ''])
})

it('tells what no key can decrypt', async () => {
  await using server = await startFakeServer(answers({ ...done, unreadable: 10 }))
  const run = await runCli(['keys', 'rotate'], { url: server.url })
  expect(run.out).toContain("10 can't be decrypted with any of the keys.")
})

it('fails when the rotation fails', async () => {
  await using server = await startFakeServer(answers({ ...rotation, state: 'failed' }))
  const run = await runCli(['keys', 'rotate', '--json'], { url: server.url })
  expect([run.code, run.json()]).toMatchObject([1, { code: 'rotation_failed' }])
})
