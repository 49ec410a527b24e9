import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { DEFAULT_BOT } from './bots.ts'
import { isRecord } from '../kit/http.ts'
import { openBench, readAnswer } from './wire-client.ts'

function form(fields: Readonly<Record<string, string | Blob>>): FormData {
  const data = new FormData()
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === 'string') data.set(name, value)
    else data.set(name, value, 'notes.txt')
  }
  return data
}

const uploads: readonly [method: string, fields: Readonly<Record<string, string | Blob>>, message: unknown][] = [
  [
    'sendDocument',
    { document: new Blob(['hi'], { type: 'text/plain' }) },
    { document: { file_name: 'notes.txt', mime_type: 'text/plain', file_size: 2 } },
  ],
  [
    'sendDocument',
    { document: 'attach://up', up: new Blob(['hi']), caption: '<b>c</b>', parse_mode: 'HTML' },
    { caption: 'c', caption_entities: [{ type: 'bold' }] },
  ],
  ['sendPhoto', { photo: new Blob(['hi']) }, { photo: [{ width: 90 }, { width: 800, file_size: 2 }] }],
  ['sendVoice', { voice: new Blob(['hi'], { type: 'audio/ogg' }) }, { voice: { mime_type: 'audio/ogg' } }],
]
it.each(uploads)('%s takes a multipart upload', async (method, fields, message) => {
  await using bench = await openBench()
  await bench.control.say({ from: 42, text: 'hello' })
  const answer = await readAnswer(
    await fetch(`${bench.root}/${method}`, { method: 'POST', body: form({ chat_id: '42', ...fields }) }),
  )
  expect(answer).toMatchObject({ status: 200, body: { result: message } })
  const [sent] = await bench.control.sent()
  const content = await bench.control.readFile({ fileId: sent?.files[0]?.fileId ?? '' })
  expect(Buffer.from(content.base64, 'base64').toString()).toBe('hi')
})

it('lets the bot fetch a file of a user, and send it on by its id', async () => {
  await using bench = await openBench()
  await bench.control.say({ from: 42, document: { name: 'a.pdf', base64: 'aGk=' }, caption: 'look' })
  const { pending } = await bench.control.updates()
  const fileId = pending[0]?.update.message?.document?.file_id ?? ''
  const file = await bench.result('getFile', { file_id: fileId })
  expect(file).toMatchObject({ file_id: fileId, file_size: 2, file_path: 'documents/file_0.pdf' })
  const url = `${bench.url}/file/bot${DEFAULT_BOT.token}/${String(file['file_path'])}`
  expect(await (await fetch(url)).text()).toBe('hi')
  expect((await fetch(url.replace('file_0', 'file_9'))).status).toBe(404)
  expect(await bench.result('sendDocument', { chat_id: 42, document: fileId })).toMatchObject({
    document: { file_id: fileId },
  })
})

it('refuses downloads above 20 MB from the cloud', async () => {
  await using bench = await openBench()
  await bench.control.say({ from: 42, document: { size: 20 * 1024 * 1024 + 1 } })
  const { pending } = await bench.control.updates()
  const parameters = { file_id: pending[0]?.update.message?.document?.file_id }
  expect((await bench.call('getFile', parameters)).body['description']).toBe('Bad Request: file is too big')
})

it('gives a path on the disk in local mode', async () => {
  await using bench = await openBench()
  const directory = await mkdtemp(join(tmpdir(), 'emulator-'))
  await bench.control.configureBot({ local_directory: directory })
  await bench.control.say({ from: 42, voice: { base64: 'aGk=' } })
  const { pending } = await bench.control.updates()
  const file = await bench.result('getFile', { file_id: pending[0]?.update.message?.voice?.file_id })
  expect(await readFile(String(file['file_path']), 'utf8')).toBe('hi')
  await rm(directory, { recursive: true })
})

it('refuses a body above 52 MB with 413, before it has come', async () => {
  await using bench = await openBench()
  const upload = request(`${bench.root}/sendDocument`, {
    method: 'POST',
    headers: { 'content-length': 53 * 1024 * 1024 },
  })
  upload.flushHeaders()
  const [response]: IncomingMessage[] = await once(upload, 'response')
  upload.destroy()
  expect([response?.statusCode, response?.headers.connection]).toEqual([413, 'close'])
  expect(isRecord(await bench.result('getMe'))).toBe(true)
})
