import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { Connection } from '../../connection.ts'
import type { Outcome, OutboundFilePart } from '../../message.ts'
import { list, object, parseJson } from '../wire/json.ts'
import { weixin } from './platform.ts'
import { run, afterRestart, never, toUrlText, type TestIo } from '../wire/testing.ts'
import { openWorld, partFor } from './testing.ts'
import type { WeixinWorld } from './weixin.contract.ts'

const ANN = { id: 'ann@im.wechat', kind: 'direct' } as const

async function heard(
  options: Parameters<typeof openWorld>[0] = {},
): Promise<{ world: WeixinWorld; io: TestIo; connection: Connection; say(text: string): Promise<void> }> {
  const opened = await openWorld(options)
  const { message } = run(opened.connection)
  const say = async (text: string): Promise<void> => {
    await opened.world.say(text)
    await message(text)
  }
  await say('hello')
  return { ...opened, say }
}

const listSends = async (world: WeixinWorld): Promise<readonly Record<string, unknown>[]> => {
  const requests = await world.control.requests({ method: 'sendmessage' })
  return requests.map(({ body }) => ({ ...object(object(parseJson(body))?.['msg']) }))
}

it('sends in the form and with the headers that Weixin wants', async () => {
  const { world, connection } = await heard()
  expect(await connection.send({ ...partFor('hi'), deliveryId: 'turn-7.1' }, never)).toMatchObject({
    status: 'delivered',
  })
  const [request] = await world.control.requests({ method: 'sendmessage' })
  expect(request?.headers).toMatchObject({
    'content-type': 'application/json',
    authorizationtype: 'ilink_bot_token',
    authorization: `Bearer ${world.credentials.token}`,
    'x-wechat-uin': 'MA==',
    'ilink-app-id': 'bot',
    'ilink-app-clientversion': '132105',
  })
  expect(parseJson(request?.body ?? '')).toEqual({
    msg: {
      from_user_id: '',
      to_user_id: 'ann@im.wechat',
      client_id: 'turn-7.1',
      message_type: 2,
      message_state: 2,
      context_token: expect.stringMatching(/./) as unknown,
      item_list: [{ type: 1, text_item: { text: 'hi' } }],
    },
    base_info: { channel_version: '2.4.9', bot_agent: 'Gatepost/1.0' },
  })
})

it('lets nine sends through for one message, and again nine after the next one', async () => {
  const { world, connection, say } = await heard()
  const outcomes: Outcome[] = []
  for (let count = 0; count < 11; count++) outcomes.push(await connection.send(partFor(`${count}`), never))
  expect(outcomes.slice(0, 9).every(({ status }) => status === 'delivered')).toBe(true)
  expect(outcomes.slice(9)).toMatchObject([{ code: 'quota_used_up' }, { code: 'quota_used_up' }])
  expect((await listSends(world)).length).toBe(9)
  expect(connection.can.allowance?.(ANN)).toMatchObject({ left: 0, refused: { code: 'quota_used_up' } })
  await say('more')
  expect(connection.can.allowance?.(ANN)).toEqual({ left: 9, refused: null })
  expect(await connection.send(partFor('again'), never)).toMatchObject({ status: 'delivered' })
})

it.each(['', 'rate limited', 'prepare failed', 'unknown error'])(
  'sends nothing more after ret -2 (%j) until the person writes',
  async (errmsg) => {
    const { world, connection, say } = await heard()
    await world.control.injectFault({ kind: 'refused', errmsg, method: 'sendmessage' })
    expect(await connection.send(partFor('a'), never)).toMatchObject({ status: 'refused', code: 'quota_used_up' })
    expect(await connection.send(partFor('a'), never)).toMatchObject({ status: 'refused', code: 'quota_used_up' })
    expect((await listSends(world)).length).toBe(1)
    await say('more')
    expect(await connection.send(partFor('a'), never)).toMatchObject({ status: 'delivered' })
  },
)

it('echoes the newest context token, one for each person', async () => {
  const { world, connection, say } = await heard()
  await connection.send(partFor('a'), never)
  await say('once more')
  await connection.send(partFor('b'), never)
  const tokens = (await listSends(world)).map((message) => message['context_token'])
  expect(new Set(tokens).size).toBe(2)
  expect(
    await connection.send({ ...partFor('c'), chat: { id: 'bob@im.wechat', kind: 'direct' } }, never),
  ).toMatchObject({
    status: 'refused',
    code: 'no_context',
  })
})

it('still knows the context token after the channel was disabled and enabled, but not in another process', async () => {
  const { world, io } = await heard()
  const next = weixin.connect(world.credentials, io)
  expect(await next.send(partFor('a'), never)).toMatchObject({ status: 'delivered' })
  expect(next.can.allowance?.(ANN).left).toBe(8)
  const restarted = weixin.connect(world.credentials, afterRestart(io))
  expect(await restarted.send(partFor('a'), never)).toMatchObject({ status: 'refused', code: 'no_context' })
})

it('takes an empty answer for a success, and counts what had no answer', async () => {
  const { world, connection } = await heard()
  await world.control.injectFault({ kind: 'empty_answer', method: 'sendmessage' })
  const part = partFor('a')
  expect(await connection.send(part, never)).toEqual({ status: 'delivered', messageId: part.deliveryId })
  await world.lose('shown')
  expect(await connection.send(partFor('b'), never)).toMatchObject({ status: 'unknown' })
  expect(connection.can.allowance?.(ANN).left).toBe(7)
})

it('shows no token, also when Weixin repeats it', async () => {
  const { world, connection } = await heard()
  const errmsg = `bad token ${world.credentials.token}`
  await world.control.injectFault({ kind: 'error', ret: -5, errmsg, method: 'sendmessage' })
  expect(await connection.send(partFor('a'), never)).toEqual({ status: 'unknown', detail: 'bad token **** (-5)' })
})

it('does not send what is stopped before it began', async () => {
  const { world, connection } = await heard()
  expect(await connection.send(partFor('a'), AbortSignal.abort())).toMatchObject({ status: 'refused', code: 'network' })
  expect(await listSends(world)).toEqual([])
  expect(connection.can.allowance?.(ANN).left).toBe(9)
})

it('gives up on a send after 15 s, without knowing', async () => {
  const { world, io, connection } = await heard({ holdMs: 60_000 })
  await world.control.injectFault({ kind: 'hang', method: 'sendmessage' })
  const sleeping = io.clock.sleeping
  const sent = connection.send(partFor('a'), never)
  await io.clock.untilSleeping(sleeping + 1)
  await io.clock.advance(15_000)
  expect(await sent).toEqual({ status: 'unknown', detail: 'no response within 15 s' })
})

it('knows what a quote says that names only an id, of either side', async () => {
  const { world, connection, io } = await openWorld()
  const { message } = run(connection)
  const spoken = await world.say('the question')
  await message('the question')
  const sent = await connection.send(partFor('the answer'), never)
  const from = { id: ANN.id }
  const messageId = sent.status === 'delivered' ? sent.messageId : ''
  await world.control.say({ from, text: 'about mine', replyTo: spoken.messageId })
  await world.control.say({ from, text: 'about yours', replyTo: messageId })
  await world.control.say({ from: { id: 'bob@im.wechat' }, text: 'of another', replyTo: messageId })
  expect((await message('about mine')).quoted).toEqual({ messageId: spoken.messageId, text: 'the question' })
  expect((await message('about yours')).quoted).toEqual({ messageId, text: 'the answer' })
  expect((await message('of another')).quoted).toEqual({ messageId, text: '' })
  expect(io.lines).toEqual([])
})

it('shows a typing sign with one ticket, takes it away, and shows none to whom nothing can be sent', async () => {
  const { world, connection } = await heard()
  const methods = async (): Promise<readonly string[]> =>
    (await world.control.requests()).map(({ method }) => method).filter((method) => /getconfig|typing/.test(method))
  await connection.can.typingDone?.(ANN, never)
  await connection.can.typing?.(ANN, never)
  await connection.can.typing?.(ANN, never)
  await connection.can.typingDone?.(ANN, never)
  expect(await methods()).toEqual(['getconfig', 'sendtyping', 'sendtyping', 'sendtyping'])
  const told = await world.control.requests({ method: 'sendtyping' })
  expect(told.map(({ body }) => object(parseJson(body))?.['status'])).toEqual([1, 1, 2])
  await connection.can.typing?.({ id: 'bob@im.wechat', kind: 'direct' }, never)
  expect((await methods()).length).toBe(4)
})

it('asks for a new ticket when the old one is not taken any more', async () => {
  const { world, connection } = await heard()
  await connection.can.typing?.(ANN, never)
  await world.control.injectFault({ kind: 'refused', method: 'sendtyping' })
  await connection.can.typing?.(ANN, never)
  await connection.can.typing?.(ANN, never)
  expect((await world.control.requests({ method: 'getconfig' })).length).toBe(2)
})

async function fileFor(name: string, mime: string, bytes: Uint8Array): Promise<OutboundFilePart> {
  const folder = await mkdtemp(join(tmpdir(), 'gatepost-weixin-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const path = join(folder, 'upload')
  await writeFile(path, bytes)
  const { deliveryId } = partFor('')
  return { kind: 'file', deliveryId, chat: ANN, name, mime, path }
}

it.each([
  ['picture.png', 'image/png', 'image_item'],
  ['clip.mp4', 'video/mp4', 'video_item'],
  ['drawing.svg', 'image/svg+xml', 'file_item'],
  ['empty.txt', 'text/plain', 'file_item'],
])('shows people %s as it is', async (name, mime, item) => {
  const { world, connection } = await heard()
  const bytes = new Uint8Array(name === 'empty.txt' ? 0 : 100).fill(9)
  expect(await connection.send(await fileFor(name, mime, bytes), never)).toMatchObject({ status: 'delivered' })
  const [sent] = await world.control.sent({ chatId: ANN.id })
  expect(sent?.files.map(({ base64 }) => base64)).toEqual([Buffer.from(bytes).toString('base64')])
  const [message] = await listSends(world)
  expect(list(message?.['item_list'])).toMatchObject([{ [item]: {} }])
})

it.each([
  ['without a whole address', { kind: 'no_full_url', method: 'getuploadurl' }, { status: 'delivered' }],
  [
    'to a server that stumbles once',
    { kind: 'server_error', status: 500, method: 'cdn_upload' },
    { status: 'delivered' },
  ],
  [
    'to a server that keeps stumbling',
    { kind: 'server_error', status: 500, method: 'cdn_upload', times: null },
    { status: 'refused', code: 'network' },
  ],
  [
    'that is refused for good',
    { kind: 'cdn_refused', status: 403, message: 'no such type', method: 'cdn_upload' },
    { status: 'refused', code: 'content_rejected', detail: 'HTTP 403 for the file: no such type' },
  ],
  ['that is dropped', { kind: 'drop_before', method: 'cdn_upload' }, { status: 'refused', code: 'network' }],
  [
    'for which there is no quota',
    { kind: 'refused', method: 'getuploadurl' },
    { status: 'refused', code: 'quota_used_up' },
  ],
  [
    'by a log-in that has ended',
    { kind: 'session_expired', method: 'getuploadurl' },
    { status: 'refused', code: 'credentials_rejected' },
  ],
] as const)('uploads a file %s', async (_how, fault, outcome) => {
  const { world, connection } = await heard()
  await world.control.injectFault(fault)
  const part = await fileFor('a.txt', 'text/plain', new Uint8Array([1, 2, 3]))
  expect(await connection.send(part, never)).toMatchObject(outcome)
  expect((await world.shown(ANN)).length).toBe(outcome.status === 'delivered' ? 1 : 0)
})

it.each([
  ['image', undefined],
  ['voice', undefined],
  ['video', undefined],
  ['file', undefined],
  ['file', { kind: 'no_full_url', method: 'say' }],
  ['image', { kind: 'plain_media', method: 'say' }],
] as const)('fetches a %s of a person (%j)', async (kind, fault) => {
  const { world, connection } = await openWorld()
  const { batches, message } = run(connection)
  if (fault !== undefined) await world.control.injectFault(fault)
  const bytes = Buffer.from('89504e470d0a1a0a0102', 'hex')
  await world.control.say({ from: { id: ANN.id }, file: { kind, base64: bytes.toString('base64') } })
  await world.say('after')
  await message('after')
  const [media] = batches.flatMap(({ events }) => events.flatMap((event) => ('media' in event ? event.media : [])))
  if (media === undefined) throw new Error('no file came')
  const fetched = await connection.can.fetchMedia?.(media, never)
  expect(Buffer.from(fetched?.bytes ?? []).equals(bytes)).toBe(true)
  if (kind === 'image') expect(fetched?.mime).toBe('image/png')
})

it.each([
  ['at an address of this network', { url: 'https://10.0.0.1/x' }],
  ['without an address', {}],
  ['with a key that is none', { param: 'p', base64Key: 'c2hvcnQ=' }],
])('does not fetch a file %s', async (_what, place) => {
  const asked: string[] = []
  const { world, io } = await openWorld()
  const connection = weixin.connect(world.credentials, {
    ...io,
    host: (_setting, url) => url,
    fetch: (input) => Promise.reject(new Error(String(asked.push(toUrlText(input))))),
  })
  await expect(connection.can.fetchMedia?.({ kind: 'file', ref: JSON.stringify(place) }, never)).rejects.toMatchObject({
    code: 'media_unavailable',
  })
  expect(asked).toEqual([])
})
