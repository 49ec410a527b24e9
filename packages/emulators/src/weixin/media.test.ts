import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { decrypt, encrypt } from './media-store.ts'
import { type Bench, openBench } from './wire-client.ts'

type Fields = Readonly<Record<string, unknown>>

const ann = { id: 'ann@im.wechat' }
const key = Buffer.from('000102030405060708090a0b0c0d0e0f', 'hex')
const plain = Buffer.from('a file of some bytes')
const cipher = encrypt(plain, key)
const announcement = {
  filekey: 'ff'.repeat(16),
  media_type: 3,
  to_user_id: ann.id,
  rawsize: plain.length,
  rawfilemd5: createHash('md5').update(plain).digest('hex'),
  filesize: cipher.length,
  no_need_thumb: true,
  aeskey: key.toString('hex'),
}
const upload = (url: string, body: Uint8Array = cipher): Promise<Response> =>
  fetch(url, { method: 'POST', headers: { 'content-type': 'application/octet-stream' }, body: Buffer.from(body) })
const uploadUrl = ({ cdnUrl }: Bench, parameter: unknown): string =>
  `${cdnUrl}/upload?encrypted_query_param=${encodeURIComponent(String(parameter))}&filekey=${announcement.filekey}`

/** The items of the next message. */
async function heardItems(bench: Bench): Promise<readonly Fields[]> {
  const { messages } = await bench.poll()
  return messages[0]?.['item_list'] as readonly Fields[] // a message always has items
}

it('takes a file by upload address or parameter, and shows it as it was before encryption', async () => {
  await using bench = await openBench()
  await bench.control.say({ from: ann, text: 'hello' })
  const token = (await bench.poll()).messages[0]?.['context_token']
  const announced = await bench.call('getuploadurl', announcement)
  expect(announced['ret']).toBe(0)
  expect(uploadUrl(bench, announced['upload_param'])).toContain('%2B') // it needs encoding
  for (const url of [String(announced['upload_full_url']), uploadUrl(bench, announced['upload_param'])]) {
    const parameter = (await upload(url)).headers.get('x-encrypted-param')
    const media = { encrypt_query_param: parameter, aes_key: btoa(announcement.aeskey), encrypt_type: 1 }
    const item = { type: 4, file_item: { media, file_name: 'a.txt', len: String(plain.length) } }
    expect(await bench.send(token, '', { item })).toMatchObject({ ret: 0 })
    const image = { type: 2, image_item: { media, mid_size: cipher.length } }
    expect(await bench.send(token, '', { item: image })).toMatchObject({ ret: 0 })
    expect(await bench.send(token, '', { item: { type: 2, image_item: { media, mid_size: 1 } } })).toMatchObject({
      ret: -1,
    })
  }
  const shown = { size: plain.length, base64: plain.toString('base64') }
  const files = (await bench.control.sent()).flatMap((message) => message.files)
  expect(files).toEqual(['a.txt', 'image', 'a.txt', 'image'].map((name) => ({ name, ...shown })))
})

const wrong: readonly [why: string, body: Uint8Array, change: Fields, error: string][] = [
  ['of another size', Buffer.alloc(16), {}, 'filesize mismatch'],
  ['encrypted with another key', encrypt(plain, Buffer.alloc(16, 7)), {}, 'rawsize mismatch'],
  ['with another hash', cipher, { rawfilemd5: '00'.repeat(16) }, 'rawfilemd5 mismatch'],
]
it.each(wrong)('refuses a file %s for good', async (_why, body, change, error) => {
  await using bench = await openBench()
  const { upload_full_url: url } = await bench.call('getuploadurl', { ...announcement, ...change })
  const response = await upload(String(url), body)
  expect([response.status, response.headers.get('x-error-message')]).toEqual([400, error])
})

it('refuses an announcement whose sizes do not fit, and an address that it did not give', async () => {
  await using bench = await openBench()
  expect(await bench.call('getuploadurl', { ...announcement, filesize: plain.length })).toMatchObject({ ret: -1 })
  expect((await upload(uploadUrl(bench, 'made up'))).headers.get('x-error-message')).toMatch(/^invalid/)
  const { upload_full_url: url } = await bench.call('getuploadurl', { ...announcement, filekey: '00'.repeat(16) })
  const swapped = String(url).replace(/filekey=\w+/, `filekey=${announcement.filekey}`)
  expect((await upload(swapped)).headers.get('x-error-message')).toBe('filekey mismatch')
})

it('fails uploads for a while, or for good, and names no address when so told', async () => {
  await using bench = await openBench()
  await bench.control.injectFault({ kind: 'no_full_url', method: 'getuploadurl' })
  const announced = await bench.call('getuploadurl', announcement)
  expect(Object.keys(announced)).toEqual(['ret', 'upload_param'])
  const url = uploadUrl(bench, announced['upload_param'])
  await bench.control.injectFault({ kind: 'server_error', status: 503, method: 'cdn_upload' })
  expect((await upload(url)).status).toBe(503)
  expect((await upload(url)).status).toBe(200)
  await bench.control.injectFault({ kind: 'cdn_refused', status: 413, message: 'too large', method: 'cdn_upload' })
  const refused = await upload(url)
  expect([refused.status, refused.headers.get('x-error-message')]).toEqual([413, 'too large'])
})

const kinds: readonly [kind: 'image' | 'file' | 'voice' | 'video', item: string, keyOf: (item: Fields) => Buffer][] = [
  ['image', 'image_item', (item) => Buffer.from(String(item['aeskey']), 'hex')],
  ['file', 'file_item', (item) => Buffer.from(atob(aesKey(item)), 'hex')],
  ['video', 'video_item', (item) => Buffer.from(atob(aesKey(item)), 'hex')],
  ['voice', 'voice_item', (item) => Buffer.from(aesKey(item), 'base64')],
]
const findMedia = (item: Fields): Fields => item['media'] as Fields // every file has it
const aesKey = (item: Fields): string => String(findMedia(item)['aes_key'])

it.each(kinds)('hands over a file of kind %s, encrypted with its key', async (kind, name, keyOf) => {
  await using bench = await openBench()
  await bench.control.say({ from: ann, text: 'said', file: { kind, base64: plain.toString('base64'), name: 'a.bin' } })
  const items = await heardItems(bench)
  expect(items.map((item) => Object.keys(item).at(-1))).toEqual(kind === 'voice' ? [name] : ['text_item', name])
  const item = items.at(-1)?.[name] as Fields // as just seen
  const parameter = encodeURIComponent(String(findMedia(item)['encrypt_query_param']))
  for (const url of [findMedia(item)['full_url'], `${bench.cdnUrl}/download?encrypted_query_param=${parameter}`]) {
    const bytes = await (await fetch(String(url))).bytes()
    expect(decrypt(bytes, keyOf(item))).toEqual(plain)
  }
  if (kind === 'voice') expect(item['text']).toBe('said')
})

it('announces what it is told, stores plain files without a key, and loses files', async () => {
  await using bench = await openBench()
  await bench.control.injectFault({ kind: 'plain_media', method: 'say' })
  const file = { kind: 'file', base64: plain.toString('base64'), name: 'a.bin', announcedBytes: 99_000_000 } as const
  await bench.control.say({ from: ann, file })
  const item = (await heardItems(bench))[0]?.['file_item'] as Fields // just said
  expect(item).toMatchObject({ len: '99000000', file_name: 'a.bin' })
  const { aes_key: noKey, full_url: url } = findMedia(item)
  expect(noKey).toBeUndefined()
  expect(Buffer.from(await (await fetch(String(url))).bytes())).toEqual(plain)
  await bench.control.injectFault({ kind: 'cdn_refused', status: 404, message: 'gone', method: 'cdn_download' })
  expect((await fetch(String(url))).status).toBe(404)
  expect((await fetch(`${bench.cdnUrl}/download?encrypted_query_param=x`)).headers.get('x-error-message')).toBe(
    'file not found',
  )
})
