import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { tmpdir } from 'node:os'
import { expect, it } from 'vitest'
import type { Chat, InboundMessage, OutboundTextPart } from '../../message.ts'
import { never, toUrlText } from '../wire/testing.ts'
import { openBench, type Bench } from './discord-run.contract.ts'
import { createNonce } from './encode.ts'
import { discord } from './platform.ts'

const part = (chat: Chat, body: string, deliveryId = `turn-${body}.1`): OutboundTextPart => ({
  kind: 'text',
  deliveryId,
  chat,
  body,
  plain: false,
})

async function openChat(options: Parameters<typeof openBench>[0] = {}): Promise<{ bench: Bench; chat: Chat }> {
  const bench = await openBench(options)
  return { bench, chat: (await bench.world.say('hello')).chat }
}

/** The body of the last call of this name. */
async function lastCall(bench: Bench, method: string): Promise<unknown> {
  const body: unknown = JSON.parse((await bench.world.control.requests({ method })).at(-1)?.body ?? 'null')
  return body
}

it('calls nobody by a message or an edit, and sends its key along', async () => {
  const { bench, chat } = await openChat()
  const connection = bench.connect()
  const sent = await connection.send({ ...part(chat, '@everyone', 'd.1'), replyTo: '1300000000000000001' }, never)
  expect(await lastCall(bench, 'messages.create')).toEqual({
    content: '@everyone',
    nonce: createNonce('d.1'),
    enforce_nonce: true,
    allowed_mentions: { parse: [], replied_user: false },
    message_reference: { message_id: '1300000000000000001', fail_if_not_exists: false },
  })
  await connection.can.edit?.(part(chat, '@here'), sent.status === 'delivered' ? sent.messageId : '', never)
  expect(await lastCall(bench, 'messages.edit')).toEqual({
    content: '@here',
    allowed_mentions: { parse: [], replied_user: false },
  })
})

it('answers a full bucket with a wait instead of waiting', async () => {
  const { bench, chat } = await openChat({ messageRate: { limit: 2, perMs: 60_000 } })
  const connection = bench.connect()
  await connection.send(part(chat, 'one'), never)
  await connection.send(part(chat, 'two'), never)
  const third = await connection.send(part(chat, 'three'), never)
  expect(third).toMatchObject({ status: 'refused', code: 'rate_limited' })
  expect(third).toHaveProperty('retryAfterMs')
  expect(await bench.world.shown(chat)).toHaveLength(2)
})

it('sends again only as long as Discord remembers the key of the first attempt', async () => {
  const { bench, chat } = await openChat()
  const { world, clock } = bench
  const connection = bench.connect()
  const lost = part(chat, 'perhaps')
  const canResend = (): boolean | undefined => connection.can.resend?.(lost, clock.now())
  for (let attempt = 0; attempt < 2; attempt++) {
    await world.lose('shown')
    expect(await connection.send(lost, never)).toMatchObject({ status: 'unknown' })
    expect(canResend()).toBe(true)
    await clock.advance(60_000)
  }
  expect(canResend()).toBe(false)
  expect(await world.shown(chat)).toHaveLength(1)
  const successor = bench.connect().can
  expect(successor.resend?.(lost, clock.now() - 119_000)).toBe(true)
  expect(successor.resend?.(lost, clock.now() - 120_000)).toBe(false)
})

it('finds a message of an earlier process among others, and a file by its size', async () => {
  const { bench, chat } = await openChat()
  const { world } = bench
  await using folder = await mkdtempDisposable(join(tmpdir(), 'gatepost-discord-'))
  const path = join(folder.path, 'a.txt')
  await writeFile(path, 'content')
  const file = { kind: 'file', deliveryId: 'f.1', chat, name: 'a.txt', mime: 'text/plain', path } as const
  const before = bench.connect()
  const earlier = await before.send(part(chat, 'same words'), never)
  const mark = before.can.findSent?.mark(file) ?? ''
  await world.lose('shown')
  await before.send(part(chat, 'same words', 'other.1'), never)
  await world.lose('shown')
  await before.send(file, never)
  const ids = (await world.shown(chat)).map(({ messageId }) => messageId ?? '')
  const find = bench.connect().can.findSent
  expect(await find?.find(part(chat, 'same words', 'other.1'), mark, [], never)).toEqual({
    found: 'delivered',
    messageId: ids[1],
  })
  expect(await find?.find(file, mark, [], never)).toEqual({ found: 'delivered', messageId: ids[2] })
  expect(await find?.find(part(chat, 'never sent'), mark, [], never)).toEqual({ found: 'absent' })
  const known = [{ chatId: chat.id, messageId: ids[1] ?? '' }]
  expect(await find?.find(part(chat, 'same words', 'third.1'), mark, known, never)).toEqual({ found: 'absent' })
  expect(earlier).toMatchObject({ status: 'delivered' })
})

it('hears from the gateway what became of a message', async () => {
  const { bench, chat } = await openChat()
  const connection = bench.connect()
  bench.run(connection)
  await bench.until(() => bench.stored.heardAtMs !== null)
  await bench.world.lose('shown')
  const lost = part(chat, 'perhaps')
  await connection.send(lost, never)
  await bench.world.say('after')
  await bench.until(() => bench.texts().includes('after'))
  const [shown] = await bench.world.shown(chat)
  expect(await connection.can.findSent?.find(lost, '1', [], never)).toEqual({
    found: 'delivered',
    messageId: shown?.messageId,
  })
  expect(await bench.world.control.requests({ method: 'messages.list' })).toEqual([])
})

it('reads a message again when the address of its file has expired', async () => {
  const bench = await openBench()
  const connection = bench.connect()
  bench.run(connection)
  await bench.until(() => bench.stored.heardAtMs !== null)
  await bench.world.sayFile(new Uint8Array([1, 2, 3]))
  await bench.until(() => bench.stored.events.length === 1)
  const [media] = (bench.stored.events[0] as InboundMessage).media // it is the message with the file
  if (media === undefined) throw new Error('the file did not arrive')
  await bench.world.control.injectFault({ kind: 'attachment_expired', method: 'attachments.get' })
  expect([...((await connection.can.fetchMedia?.(media, never))?.bytes ?? [])]).toEqual([1, 2, 3])
  expect(await bench.world.control.requests({ method: 'messages.get' })).toHaveLength(1)
  await bench.clock.advance(25 * 60 * 60_000)
  await connection.can.fetchMedia?.(media, never)
  expect(await bench.world.control.requests({ method: 'messages.get' })).toHaveLength(2)
})

it('finds a file again that was passed on', async () => {
  const bench = await openBench()
  const { apiUrl } = bench.world
  const attachment = { id: '1300000000000000003', url: `${apiUrl}/fresh` }
  const message = {
    message_reference: { type: 1 },
    attachments: [],
    message_snapshots: [{ message: { attachments: [attachment] } }],
  }
  const answer: typeof fetch = async (input) =>
    toUrlText(input).includes('/messages/') ? Response.json(message) : new Response('found')
  const connection = discord.connect(bench.world.credentials, { ...bench.io, fetch: answer })
  const ref = `1300000000000000001 1300000000000000002 ${attachment.id} ${apiUrl}/stale?ex=1`
  const got = await connection.can.fetchMedia?.({ kind: 'file', ref }, never)
  expect(Buffer.from(got?.bytes ?? []).toString()).toBe('found')
})

it('fetches nothing from elsewhere', async () => {
  const bench = await openBench()
  const io = { ...bench.io, host: () => 'https://discord.com/api' }
  const connection = discord.connect(bench.world.credentials, io)
  const ref = '1300000000000000001 1300000000000000002 1300000000000000003 http://169.254.169.254/latest'
  await expect(connection.can.fetchMedia?.({ kind: 'file', ref }, never)).rejects.toMatchObject({
    code: 'media_unavailable',
  })
})

it('never asks for a path that a chat id could make', async () => {
  const { bench } = await openChat()
  const connection = bench.connect()
  const chat: Chat = { id: '../users/@me', kind: 'direct' }
  expect(await connection.send(part(chat, 'x'), never)).toMatchObject({ code: 'recipient_unreachable' })
  await connection.can.typing?.(chat, never)
  await connection.can.edit?.(part(chat, 'x'), '1', never)
  expect(await bench.world.control.requests()).toEqual([])
})
