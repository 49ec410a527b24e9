import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { childDemo } from './child-demo.ts'
import { spawnCli } from '../cli/testing/spawn-cli.ts'
import { systemClock } from '../system-clock.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatepost-child-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

it('is one demo however often it is asked for, and leaves nothing when it is stopped', async () => {
  const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
  const env = { PATH: process.env['PATH'], TMPDIR: folder, GATEPOST_PORT: 'made-up', GATEPOST_HOST: '203.0.113.1' }
  const demo = childDemo({ env, clock: systemClock, log: silent })
  const [one, other] = await Promise.all([demo.start(), demo.start()])
  expect([one, await demo.start()]).toEqual([other, other])
  expect(one.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/demo\/[\w-]{43}$/)
  expect((await fetch(one.url, { redirect: 'manual' })).status).toBe(302)
  const data = await readdir(folder)
  expect(data).toEqual([expect.stringContaining('gatepost-demo-')])
  demo.stop()
  await expect(demo.start()).rejects.toMatchObject({ code: 'demo_failed' })
  while ((await readdir(folder)).length > 0);
  await expect(fetch(one.url)).rejects.toThrow()
})

it('leaves nothing either when whoever started it dies before it is ready', async () => {
  const demo = spawnCli(['demo', '--json', '--until-input-ends'], { TMPDIR: folder }) // its input has ended
  demo.process.stdout.destroy()
  await demo.ended
  expect(await readdir(folder)).toEqual([])
})
