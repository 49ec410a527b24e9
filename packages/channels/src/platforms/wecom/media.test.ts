import { expect, it } from 'vitest'
import { never } from '../wire/testing.ts'
import { decrypt, parseFileName } from './media.ts'
import { mediaRef } from './decode.ts'
import { startBot } from './testing.ts'

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3])
const picture = { kind: 'image', base64: PNG.toString('base64'), name: 'Foto ä.png' } as const

it('fetches a picture with its name and type, encrypted or not', async () => {
  const bot = await startBot()
  for (const _time of [1, 2]) {
    const { media } = await bot.hear('look', { file: picture })
    const [file] = media
    if (file === undefined) throw new Error('there is no picture')
    expect(await bot.connection.can.fetchMedia?.(file, never)).toEqual({
      bytes: expect.toSatisfy((bytes: Uint8Array) => PNG.equals(bytes)) as unknown,
      name: 'Foto ä.png',
      mime: 'image/png',
    })
    await bot.control.injectFault({ kind: 'unencrypted_media' })
  }
})

it('says that a file has waited too long', async () => {
  const bot = await startBot()
  const { media } = await bot.hear('look', { file: picture })
  const [file] = media
  if (file === undefined) throw new Error('there is no picture')
  await bot.clock.advance(5 * 60_000)
  await expect(bot.connection.can.fetchMedia?.(file, never)).rejects.toMatchObject({
    code: 'media_unavailable',
    message: expect.stringContaining('five minutes') as unknown,
  })
})

it('asks no address of this machine when the platform is not on it', async () => {
  const bot = await startBot()
  const file = mediaRef('file', { url: 'http://10.0.0.1/secret' })
  if (file === null) throw new Error('an address was named')
  await expect(bot.connection.can.fetchMedia?.(file, never)).rejects.toMatchObject({ code: 'media_unavailable' })
})

it.each([
  [null, undefined],
  ['attachment', undefined],
  ['attachment; filename="a \\"b\\".txt"', 'a "b".txt'],
  ['attachment; filename=a.txt; x=y', 'a.txt'],
  [`attachment; filename="x"; filename*=UTF-8''%E5%90%8D.txt`, '名.txt'],
  ['attachment; filename="100%.txt"', '100%.txt'],
])('reads the name in %j', (disposition, name) => {
  expect(parseFileName(disposition)).toBe(name)
})

it.each([
  ['a key of another length', Buffer.alloc(32, 1), 'c2hvcnQ='],
  ['no whole blocks', Buffer.alloc(31, 1), Buffer.alloc(32, 2).toString('base64')],
  ['no padding at its end', Buffer.alloc(64, 1), Buffer.alloc(32, 2).toString('base64')],
  ['nothing', Buffer.alloc(0), Buffer.alloc(32, 2).toString('base64')],
])('hands over as it came what is not encrypted: %s', (_why, bytes, key) => {
  expect(decrypt(bytes, key)).toBe(bytes)
})
