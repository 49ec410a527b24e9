import { expect, it } from 'vitest'
import { type Answer, type Bench, openBench, ROBOT } from './testing-app.ts'
import { isRecord, parseJson } from '../kit/http.ts'

const ANN = { id: 'manager807', name: 'Ann' }
const TO_PEOPLE = '/v1.0/robot/oToMessages/batchSend'

async function oldToken(bench: Bench): Promise<string> {
  const { client_id: key = '', client_secret: secret = '' } = (await bench.control.bot()).credentials
  const { body } = await bench.call('GET', `/gettoken?appkey=${key}&appsecret=${secret}`)
  expect(body).toMatchObject({ errcode: 0, expires_in: 7_200 })
  return String(body['access_token'])
}

async function post(bench: Bench, path: string, field: string, bytes: Uint8Array, name: string): Promise<Answer> {
  const form = new FormData()
  form.set(field, new Blob([Buffer.from(bytes)]), name)
  const response = await fetch(`${bench.url}${path}`, { method: 'POST', body: form })
  const body = parseJson(await response.text())
  return { status: response.status, body: isRecord(body) ? body : {} }
}

const send = (bench: Bench, msgKey: string, parameter: object): Promise<Answer> =>
  bench.api('POST', TO_PEOPLE, { robotCode: ROBOT, userIds: [ANN.id], msgKey, msgParam: JSON.stringify(parameter) })

it('takes a picture and shows it by exactly the id it gave', async () => {
  await using bench = await openBench()
  await bench.control.say({ from: ANN, text: 'hello' })
  const path = `/media/upload?access_token=${await oldToken(bench)}&type=image`
  const { body } = await post(bench, path, 'media', Buffer.from('picture'), 'a.png')
  expect(body).toMatchObject({ errcode: 0, type: 'image', created_at: expect.any(Number) })
  await send(bench, 'sampleImageMsg', { photoURL: body['media_id'] })
  await send(bench, 'sampleImageMsg', { photoURL: `@${String(body['media_id'])}` })
  expect(await bench.control.sent()).toMatchObject([
    { files: [{ name: 'a.png', base64: btoa('picture') }] },
    { files: [] },
  ])
})

it('sends a file of a known type only', async () => {
  await using bench = await openBench()
  await bench.control.say({ from: ANN, text: 'hello' })
  const path = `/media/upload?access_token=${await oldToken(bench)}&type=file`
  const { body } = await post(bench, path, 'media', Buffer.from('file'), 'a.zip')
  const file = { mediaId: body['media_id'], fileName: 'a.zip', fileType: 'zip' }
  expect(await send(bench, 'sampleFile', file)).toMatchObject({ status: 200 })
  expect(await send(bench, 'sampleFile', { ...file, fileType: 'txt' })).toMatchObject({ status: 400 })
  expect(await send(bench, 'sampleFile', { ...file, mediaId: '@unknown' })).toMatchObject({ status: 400 })
  expect(await bench.control.sent()).toMatchObject([{ files: [{ name: 'a.zip', size: 4 }] }])
})

it('refuses a wrong token, an unknown type and what is too large', async () => {
  await using bench = await openBench()
  const token = await oldToken(bench)
  const bytes = Buffer.from('x')
  const upload = (query: string, content: Uint8Array = bytes) =>
    post(bench, `/media/upload?${query}`, 'media', content, 'a')
  expect(await upload('access_token=wrong&type=image')).toMatchObject({ status: 200, body: { errcode: 40014 } })
  for (const type of ['other', 'constructor', '']) {
    expect(await upload(`access_token=${token}&type=${type}`)).toMatchObject({ body: { errcode: 40035 } })
  }
  const tooLarge = Buffer.alloc(2 * 1024 * 1024 + 1)
  expect(await upload(`access_token=${token}&type=voice`, tooLarge)).toMatchObject({ body: { errcode: 40035 } })
  expect(await bench.call('GET', '/gettoken?appkey=x&appsecret=y')).toMatchObject({ body: { errcode: 40089 } })
})

it('takes a large file in pieces counted from 1', async () => {
  await using bench = await openBench()
  await bench.control.say({ from: ANN, text: 'hello' })
  const query = `access_token=${await oldToken(bench)}`
  const { body: begun } = await bench.call('GET', `/file/upload/transaction/enable?${query}&total_chunks=2`)
  const id = `${query}&upload_id=${String(begun['upload_id'])}`
  const chunk = (number: number, text: string) =>
    post(bench, `/file/upload/chunk?${id}&chunk_number=${number}&total_chunks=2`, 'file', Buffer.from(text), 'a')
  expect(await chunk(0, 'x')).toMatchObject({ body: { errcode: 40035 } })
  expect(await chunk(2, 'lo')).toMatchObject({ body: { errcode: 0 } })
  const submit = `/file/upload/transaction/submit?${id}`
  expect(await bench.call('GET', submit)).toMatchObject({ body: { errcode: 40035 } })
  await chunk(1, 'hel')
  const { body } = await bench.call('GET', submit)
  await send(bench, 'sampleFile', { mediaId: body['media_id'], fileName: 'a.pdf', fileType: 'pdf' })
  expect(await bench.control.sent()).toMatchObject([{ files: [{ name: 'a.pdf', base64: btoa('hello') }] }])
})
