import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { OutboundFilePart } from '../../message.ts'
import { openOutboundFile, readOutboundFile, getUploadTimeoutMs } from './outbound-file.ts'

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
  expect(await readOutboundFile(part, { maxBytes: 3, minBytes: 3 })).toEqual(Buffer.from('abc'))
  const blob = await openOutboundFile(part, { maxBytes: 3 })
  expect(blob instanceof Blob && [blob.size, blob.type, await blob.text()]).toEqual([3, 'text/plain', 'abc'])
})

it.each([
  ['is gone', 'b.txt', { maxBytes: 3 }, 'the file to send no longer exists'],
  ['is a folder', '', { maxBytes: 3 }, 'the file to send no longer exists'],
  ['is too large', 'a.txt', { maxBytes: 2 }, 'the file is 3 bytes; the limit is 2 bytes'],
  ['is too small', 'a.txt', { maxBytes: 9, minBytes: 5 }, 'the file is 3 bytes; the minimum is 5 bytes'],
])('refuses what %s', async (_why, name, bounds, detail) => {
  const refused = { status: 'refused', code: 'content_rejected', detail }
  const part = partAt(join(folder, name))
  expect(await readOutboundFile(part, bounds)).toEqual(refused)
  expect(await openOutboundFile(part, bounds)).toEqual(refused)
})

it('gives an upload the time that a slow line takes', () => {
  expect([getUploadTimeoutMs(0), getUploadTimeoutMs(20_000_000)]).toEqual([30_000, 110_000])
})
