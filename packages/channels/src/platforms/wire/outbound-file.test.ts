import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { OutboundFilePart } from '../../message.ts'
import { openOutbound, readOutbound, uploadMs } from './outbound-file.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'outbound-'))
  await writeFile(join(folder, 'a.txt'), 'abc')
})
afterAll(() => rm(folder, { recursive: true }))

const partAt = (path: string): OutboundFilePart => ({
  kind: 'file',
  deliveryId: 'd.1',
  chat: { id: '7', kind: 'direct' },
  path,
  name: 'a.txt',
  mime: 'text/plain',
})

it('reads and opens a file within its bounds', async () => {
  const part = partAt(join(folder, 'a.txt'))
  expect(await readOutbound(part, { most: 3, least: 3 })).toEqual(Buffer.from('abc'))
  const blob = await openOutbound(part, { most: 3 })
  expect(blob instanceof Blob && [blob.size, blob.type, await blob.text()]).toEqual([3, 'text/plain', 'abc'])
})

it.each([
  ['is gone', 'b.txt', { most: 3 }, 'the file to send is gone'],
  ['is a folder', '', { most: 3 }, 'the file to send is gone'],
  ['is too large', 'a.txt', { most: 2 }, 'the file has 3 bytes, at most 2 are taken'],
  ['is too small', 'a.txt', { most: 9, least: 5 }, 'the file has 3 bytes, at least 5 are taken'],
])('refuses what %s', async (_why, name, bounds, detail) => {
  const refused = { status: 'refused', code: 'content_rejected', detail }
  const part = partAt(join(folder, name))
  expect(await readOutbound(part, bounds)).toEqual(refused)
  expect(await openOutbound(part, bounds)).toEqual(refused)
})

it('gives an upload the time that a slow line takes', () => {
  expect([uploadMs(0), uploadMs(20_000_000)]).toEqual([30_000, 110_000])
})
