import { chmod, mkdir, mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type PrivateFiles, privateFiles } from './private-files.ts'

let root: string
let now: number
let files: PrivateFiles
const file = (): string => join(root, 'state', 'credentials.json')
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'gatepost-files-'))
  now = 0
  files = privateFiles(
    {
      now: () => now,
      async sleep(ms) {
        now += ms
        await new Promise((resolve) => setImmediate(resolve))
      },
    },
    new AbortController().signal,
  )
})
afterEach(() => rm(root, { recursive: true, force: true }))

const readMode = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8)

describe('a private file', () => {
  it('is for its owner alone, in a folder for its owner alone', async () => {
    expect(await files.read(file())).toBeNull()
    await files.write(file(), 'one')
    await files.write(file(), 'two')
    expect(await files.read(file())).toBe('two')
    expect([await readMode(file()), await readMode(join(root, 'state'))]).toEqual(['600', '700'])
    expect(await readdir(join(root, 'state'))).toEqual(['credentials.json'])
  })

  it('is not read when it is open to others', async () => {
    await files.write(file(), 'one')
    await chmod(file(), 0o644)
    await expect(files.read(file())).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('chmod 600'),
    })
  })
})

it('that cannot be written leaves nothing behind', async () => {
  await mkdir(file(), { recursive: true })
  await expect(files.write(file(), 'a made-up secret')).rejects.toMatchObject({ code: 'usage' })
  expect(await readdir(join(root, 'state'))).toEqual(['credentials.json'])
})

describe('a lock', () => {
  it('that somebody has removed meanwhile keeps nobody from ending', async () => {
    expect(await files.locked(file(), async () => rm(`${file()}.lock`).then(() => 'done'))).toBe('done')
  })

  it('is not waited for by somebody who leaves', async () => {
    await files.write(file(), 'one')
    await writeFile(`${file()}.lock`, '')
    const left = privateFiles({ now: () => 0, sleep: async () => undefined }, AbortSignal.abort())
    await expect(left.locked(file(), async () => 'in')).rejects.toMatchObject({ code: 'interrupted', exit: 130 })
  })

  it('lets one after the other in, also after one that fails', async () => {
    const order: string[] = []
    const work = (name: string) => async (): Promise<void> => {
      order.push(`${name} in`)
      await new Promise((resolve) => setImmediate(resolve))
      order.push(`${name} out`)
      if (name === 'b') throw new Error('made-up')
    }
    const all = await Promise.allSettled(['a', 'b', 'c'].map((name) => files.locked(file(), work(name))))
    expect(all.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(order.map((step) => step.split(' ')[1])).toEqual(['in', 'out', 'in', 'out', 'in', 'out'])
    expect(await readdir(join(root, 'state'))).toEqual([])
  })

  it('of a process that is gone is broken; of one that goes on it is not', async () => {
    await files.write(file(), 'one')
    await writeFile(`${file()}.lock`, '')
    await expect(files.locked(file(), async () => 'in')).rejects.toMatchObject({ code: 'locked' })
    const longAgo = new Date(Date.now() - 120_000)
    await utimes(`${file()}.lock`, longAgo, longAgo)
    expect(await files.locked(file(), async () => 'in')).toBe('in')
  })
})
