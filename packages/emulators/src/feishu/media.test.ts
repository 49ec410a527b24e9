import { expect, it } from 'vitest'
import { isRecord } from '../kit/http.ts'
import { type Bench, getData, getMessageId, openBench } from './testing-app.ts'

const upload = async (
  bench: Bench,
  path: string,
  fields: Readonly<Record<string, string | Blob>>,
): Promise<Readonly<Record<string, unknown>>> => {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  const headers = { authorization: `Bearer ${await bench.token()}` }
  const body: unknown = await (
    await fetch(`${bench.url}/open-apis${path}`, { method: 'POST', headers, body: form })
  ).json()
  return isRecord(body) ? body : {}
}
const blob = (size: number): Blob => new Blob([new Uint8Array(size).fill(1)])
const MEBIBYTE = 1024 * 1024

const sizes: readonly [path: string, fields: Readonly<Record<string, string>>, name: string, most: number][] = [
  ['/im/v1/images', { image_type: 'message' }, 'image', 10 * MEBIBYTE],
  ['/im/v1/files', { file_type: 'stream', file_name: 'a.bin' }, 'file', 30 * MEBIBYTE],
]
it.each(sizes)('%s has its limits', async (path, fields, name, most) => {
  await using bench = await openBench()
  expect(await upload(bench, path, { ...fields, [name]: blob(most) })).toMatchObject({ code: 0 })
  expect(await upload(bench, path, { ...fields, [name]: blob(most + 1) })).toMatchObject({ code: 234006 })
  expect(await upload(bench, path, { ...fields, [name]: blob(0) })).toMatchObject({ code: 234010 })
  expect(await upload(bench, path, { [name]: blob(1) })).toMatchObject({ code: 234001 })
})

it('sends a file as what it was uploaded as', async () => {
  await using bench = await openBench()
  const { data } = await upload(bench, '/im/v1/files', {
    file_type: 'opus',
    file_name: 'v.opus',
    duration: '900',
    file: blob(3),
  })
  const content = JSON.stringify({ file_key: isRecord(data) ? data['file_key'] : '' })
  const send = (msg_type: string) =>
    bench.call('POST', '/im/v1/messages?receive_id_type=open_id', { receive_id: 'ou_ann', msg_type, content })
  expect((await send('media')).body).toMatchObject({ code: 230055 })
  getMessageId(await send('audio'))
  expect(await bench.control.sent()).toMatchObject([{ files: [{ name: 'v.opus', size: 3 }] }])
})

const kinds = [
  ['image', 'image', 'image'],
  ['file', 'file', 'file'],
  ['voice', 'audio', 'file'],
  ['video', 'media', 'file'],
] as const
it.each(kinds)("gives the bytes of a person's %s", async (kind, type, resource) => {
  await using bench = await openBench()
  const base64 = Buffer.from('content').toString('base64')
  const { messageId } = await bench.control.say({
    from: { id: 'ann' },
    file: { kind, base64, name: 'a.bin', mimeType: 'application/x-test' },
  })
  const { items } = getData(await bench.call('GET', `/im/v1/messages/${messageId}`))
  const item: unknown = Array.isArray(items) ? items[0] : null
  expect(item).toMatchObject({ msg_type: type })
  const content: unknown = isRecord(item) && isRecord(item['body']) ? JSON.parse(String(item['body']['content'])) : {}
  const key = isRecord(content) ? String(content[kind === 'image' ? 'image_key' : 'file_key']) : ''
  const get = async (asked: string) =>
    fetch(`${bench.url}/open-apis/im/v1/messages/${messageId}/resources/${key}?type=${asked}`, {
      headers: { authorization: `Bearer ${await bench.token()}` },
    })
  const response = await get(resource)
  expect(response.headers.get('content-type')).toBe('application/x-test')
  expect(await response.text()).toBe('content')
  expect((await get(resource === 'image' ? 'file' : 'image')).status).toBe(400)
  expect((await get('other')).status).toBe(400)
})

it('puts a picture and words into one post, another file and words into two messages', async () => {
  await using bench = await openBench()
  const base64 = Buffer.from('x').toString('base64')
  const photo = await bench.control.say({ from: { id: 'ann' }, text: 'look', file: { kind: 'image', base64 } })
  const item = getData(await bench.call('GET', `/im/v1/messages/${photo.messageId}`))
  expect(JSON.stringify(item)).toContain('\\"tag\\":\\"img\\"')
  await bench.control.say({ from: { id: 'ann' }, text: 'read', file: { kind: 'file', base64, name: 'a.txt' } })
  expect(await bench.control.conversation({ chatId: 'ann' })).toMatchObject([
    { text: 'look', files: ['image.png'] },
    { text: 'read', files: [] },
    { text: '', files: ['a.txt'] },
  ])
})
