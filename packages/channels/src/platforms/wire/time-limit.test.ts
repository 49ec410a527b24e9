import { expect, it } from 'vitest'
import { never } from './testing.ts'
import { unlessStopped } from './time-limit.ts'

it('stops waiting for work that goes on for others', async () => {
  const work = Promise.withResolvers<number>()
  const caller = new AbortController()
  const [patient, gone] = [unlessStopped(work.promise, never), unlessStopped(work.promise, caller.signal)]
  caller.abort()
  expect(await gone).toBeNull()
  work.resolve(7)
  expect(await patient).toBe(7)
  await expect(unlessStopped(Promise.reject(new Error('no')), never)).rejects.toThrow('no')
})
