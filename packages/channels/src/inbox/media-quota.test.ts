import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createMediaQuota } from './media-quota.ts'

async function open(maxBytes: number) {
  const folder = await mkdtemp(path.join(tmpdir(), 'gatepost-quota-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const time = { ms: 0 }
  const store = async (account: string, name: string, bytes: number): Promise<void> => {
    await mkdir(path.join(folder, account, 'telegram', '42', name), { recursive: true })
    await writeFile(path.join(folder, account, 'telegram', '42', name, '1-a.bin'), 'x'.repeat(bytes))
  }
  return { folder, time, store, quota: createMediaQuota(folder, maxBytes, { now: () => time.ms }) }
}

it('counts what is stored and what comes, for each account alone', async () => {
  const { quota, store } = await open(100)
  await store('ada', 'm1', 60)
  expect(await quota.take('ada/telegram/42', 41)).toBe(false)
  expect(await quota.take('ada/discord/7', 40)).toBe(true)
  expect(await quota.take('ada/telegram/42', 1)).toBe(false)
  expect(await quota.take('ben/telegram/43', 100)).toBe(true)
})

it('lets no more in when files arrive at the same time', async () => {
  const { quota } = await open(100)
  const taken = await Promise.all([60, 60, 60].map((bytes) => quota.take('ada/telegram/42', bytes)))
  expect(taken.filter(Boolean)).toEqual([true])
})

it('has room again within the hour after files were deleted', async () => {
  const { quota, store, folder, time } = await open(100)
  await store('ada', 'm1', 100)
  expect(await quota.take('ada/telegram/42', 1)).toBe(false)
  await rm(path.join(folder, 'ada'), { recursive: true })
  time.ms = 60 * 60 * 1_000
  expect(await quota.take('ada/telegram/42', 1)).toBe(true)
})

it('does not apply to the owner', async () => {
  const { quota } = await open(1)
  expect(await quota.take('owner/telegram/42', 1_000)).toBe(true)
})
