import { createHash } from 'node:crypto'
import { WSClient, type WsFrame } from '@wecom/aibot-node-sdk'
import { expect, it, vi } from 'vitest'
import { manualClock } from '../kit/testing-clock.ts'
import { startWecomEmulator, type WecomEmulator, type WecomEmulatorOptions } from './emulator.ts'

/** The library as it is, pointed here: what an update of it changes is noticed. */
const QUIET = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }

interface Bench extends AsyncDisposable {
  readonly emulator: WecomEmulator
  readonly control: WecomEmulator['control']
  /** A client that has connected. */
  connect(options?: ClientOptions): Promise<WSClient>
  /** One that has not, with a made-up secret. */
  client(secret: string, options?: ClientOptions): WSClient
}

interface ClientOptions {
  readonly heartbeatInterval?: number
  readonly maxAuthFailureAttempts?: number
}

async function openBench(options: WecomEmulatorOptions = {}): Promise<Bench> {
  const emulator = await startWecomEmulator(options)
  const { control, wsUrl } = emulator
  const clients: WSClient[] = []
  const client: Bench['client'] = (secret, more = {}) => {
    const made = new WSClient({
      botId: 'aibGatepostEmulatorBot000001',
      secret,
      wsUrl,
      logger: QUIET,
      reconnectInterval: 1,
      ...more,
    })
    clients.push(made)
    return made
  }
  return {
    emulator,
    control,
    client,
    async connect(more) {
      const made = client((await control.bot()).credentials['secret'] ?? '', more)
      made.on('error', () => undefined)
      await heard(made.connect(), 'authenticated')
      return made
    },
    async [Symbol.asyncDispose]() {
      for (const one of clients) one.disconnect()
      await emulator.close()
    },
  }
}

/** The first argument of the next event of this name. */
const heard = (client: WSClient, name: string): Promise<unknown> =>
  new Promise((resolve) => client.once(name as 'error', resolve)) // the names are typed one by one

async function callback(bench: Bench, client: WSClient, text = 'hello'): Promise<WsFrame> {
  const frame = heard(client, 'message')
  await bench.control.say({ from: { id: 'zhang' }, text })
  return (await frame) as WsFrame // what the library hands over
}

it('subscribes, receives a text, replies by a stream and pushes', async () => {
  await using bench = await openBench()
  const client = await bench.connect()
  const frame = await callback(bench, client)
  expect(frame).toMatchObject({
    body: { chattype: 'single', from: { userid: 'zhang' }, msgtype: 'text', text: { content: 'hello' } },
  })
  await client.replyStream(frame, 's1', '<think></think>')
  await client.replyStream(frame, 's1', 'one')
  await client.replyStream(frame, 's1', 'one two', true)
  await client.sendMessage('zhang', { msgtype: 'markdown', markdown: { content: '**pushed**' } })
  expect(await bench.control.sent()).toMatchObject([
    { chatId: 'zhang', text: 'one two', edits: 1, unfinished: false },
    { chatId: 'zhang', text: '**pushed**', replyTo: null },
  ])
})

it('uploads in three steps, counting chunks from 0, and sends the file by its media id', async () => {
  await using bench = await openBench()
  const client = await bench.connect()
  await callback(bench, client)
  const bytes = Buffer.alloc(700_000, 'x')
  const { media_id: mediaId } = await client.uploadMedia(bytes, { type: 'file', filename: 'a.txt' })
  await client.sendMediaMessage('zhang', 'file', mediaId)
  expect(await bench.control.sent()).toMatchObject([{ files: [{ name: 'a.txt', size: 700_000 }] }])
  const chunks = await bench.control.requests({ method: 'aibot_upload_media_chunk' })
  expect(chunks.map(({ body }): unknown => JSON.parse(body))).toMatchObject([
    { chunk_index: 0, base64_data: '524288 bytes' },
    { chunk_index: 1, base64_data: '175712 bytes' },
  ])
  const [init] = await bench.control.requests({ method: 'aibot_upload_media_init' })
  expect(init?.body).toContain(createHash('md5').update(bytes).digest('hex'))
})

it('keeps one frame of a req_id outstanding, and sends the next after the ack', async () => {
  const clock = manualClock()
  await using bench = await openBench({ clock })
  const client = await bench.connect()
  const frame = await callback(bench, client)
  await bench.control.injectFault({ kind: 'slow', ms: 50, method: 'aibot_respond_msg' })
  const first = client.replyStream(frame, 's1', 'one')
  const second = client.replyStream(frame, 's1', 'one two', true)
  await bench.control.waitForSent()
  expect(await bench.control.requests({ method: 'aibot_respond_msg' })).toMatchObject([{ status: 0 }])
  await clock.advance(50)
  await Promise.all([first, second])
  expect(await bench.control.requests({ method: 'aibot_respond_msg' })).toHaveLength(2)
})

it('rejects a call whose ack does not come within 5 s, though it has been shown', async () => {
  await using bench = await openBench()
  const client = await bench.connect()
  const frame = await callback(bench, client)
  await bench.control.injectFault({ kind: 'swallow_ack' })
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const reply = client.replyStream(frame, 's1', 'shown', true)
  expect(await bench.control.waitForSent()).toMatchObject([{ text: 'shown' }])
  vi.advanceTimersByTime(5_000)
  vi.useRealTimers()
  await expect(reply).rejects.toThrow('Reply ack timeout (5000ms)')
})

it('reports a wrong secret by an error event, again at each try, then gives up with a last one', async () => {
  await using bench = await openBench()
  const client = bench.client('wrong', { maxAuthFailureAttempts: 1 })
  const errors: string[] = []
  const last = new Promise<void>((resolve) => {
    client.on('error', (error: Error) => {
      errors.push(error.message)
      if (error.message.startsWith('Max')) resolve()
    })
  })
  client.connect()
  await last
  expect(errors).toEqual([
    'Authentication failed: invalid signature or secret (code: 853000)',
    'Authentication failed: invalid signature or secret (code: 853000)',
    'Max auth failure attempts exceeded (1)',
  ])
  expect(await bench.control.requests({ method: 'aibot_subscribe' })).toHaveLength(2)
})

it('is silent about a wrong secret when nobody listens to its errors', async () => {
  await using bench = await openBench()
  const client = bench.client('wrong', { maxAuthFailureAttempts: 1 })
  const closed = heard(client, 'disconnected')
  client.connect()
  await closed
  expect(client.isConnected).toBe(false)
})

it('stops for good at disconnected_event', async () => {
  await using bench = await openBench()
  const first = await bench.connect()
  let reconnects = 0
  first.on('reconnecting', () => {
    reconnects += 1
  })
  const told = heard(first, 'event.disconnected_event')
  const second = await bench.connect()
  expect(await told).toMatchObject({ body: { event: { eventtype: 'disconnected_event' } } })
  expect(await callback(bench, second)).toMatchObject({ body: { text: { content: 'hello' } } })
  expect([first.isConnected, reconnects]).toEqual([false, 0])
  expect(await bench.control.requests({ method: 'aibot_subscribe' })).toHaveLength(2)
})

it('pushes without a chat_type, which is inferred', async () => {
  await using bench = await openBench()
  const client = await bench.connect()
  await bench.control.say({ from: { id: 'zhang' }, group: { id: 'wrTeam' }, text: 'hi', mention: true })
  await client.sendMessage('wrTeam', { msgtype: 'markdown', markdown: { content: 'to all' } })
  const [push] = await bench.control.requests({ method: 'aibot_send_msg' })
  expect(push?.body).not.toContain('chat_type')
  expect(await bench.control.sent({ chatId: 'wrTeam' })).toMatchObject([{ text: 'to all' }])
})

it('downloads and decrypts what a person has sent, with its name', async () => {
  await using bench = await openBench()
  const client = await bench.connect()
  const frame = heard(client, 'message.file')
  const content = Buffer.from('a secret text of 32 bytes exactly')
  await bench.control.say({
    from: { id: 'zhang' },
    file: { kind: 'file', base64: content.toString('base64'), name: '报告.txt' },
  })
  const { body } = (await frame) as { body: { file: { url: string; aeskey: string } } } // as the platform's document has it
  const { buffer, filename } = await client.downloadFile(body.file.url, body.file.aeskey)
  expect([buffer.toString(), filename]).toEqual([content.toString(), '报告.txt'])
})

it('cannot decrypt what came unencrypted', async () => {
  await using bench = await openBench()
  const client = await bench.connect()
  const frame = heard(client, 'message.image')
  await bench.control.injectFault({ kind: 'unencrypted_media' })
  await bench.control.say({ from: { id: 'zhang' }, file: { kind: 'image', base64: btoa('x'.repeat(64)) } })
  const { body } = (await frame) as { body: { image: { url: string; aeskey: string } } } // as the platform's document has it
  await expect(client.downloadFile(body.image.url, body.image.aeskey)).rejects.toThrow('Decryption failed')
})

it('closes a connection whose heartbeats are not answered, and connects anew', async () => {
  await using bench = await openBench()
  await bench.control.injectFault({ kind: 'hang', method: 'ping', times: 2 })
  const client = await bench.connect({ heartbeatInterval: 5 })
  await heard(client, 'disconnected')
  await heard(client, 'authenticated')
  expect(client.isConnected).toBe(true)
})
