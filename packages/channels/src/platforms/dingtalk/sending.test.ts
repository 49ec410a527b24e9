import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inflateRawSync } from 'node:zlib'
import { expect, it, onTestFinished } from 'vitest'
import type { Chat, OutboundFilePart, Outcome } from '../../message.ts'
import { ANN, GROUP } from './dingtalk.contract.ts'
import { afterRestart, never, toUrlText } from '../wire/testing.ts'
import { openScene, type Scene } from './testing.ts'
import { dingtalk } from './platform.ts'

const PERMISSION = 'Forbidden.AccessDenied.AccessTokenPermissionDenied'
const QPS = 'Forbidden.AccessDenied.QpsLimitForApi'
const TO_PEOPLE = 'oToMessages.batchSend'
const CHAT: Chat = { id: ANN.id, kind: 'direct' }

/** A bot that Ann has written to. */
async function openChat(options: Parameters<typeof openScene>[0] = {}): Promise<Scene> {
  const scene = await openScene(options)
  const listening = scene.listen()
  await scene.world.say('hello')
  await listening.message('hello')
  return scene
}

it('answers by the webhook, without a token and under an id of its own', async () => {
  const scene = await openChat()
  const part = scene.part(CHAT, '**Hi**')
  expect(await scene.connection.send(part, never)).toEqual({
    status: 'delivered',
    messageId: `webhook-${part.deliveryId}`,
  })
  expect(await scene.world.shown(CHAT)).toMatchObject([{ text: '**Hi**' }])
  expect(await scene.calls('accessToken')).toBe(0)
})

it('goes on by the API when the webhook is gone, and does not try it again', async () => {
  const scene = await openChat()
  await scene.world.control.injectFault({ kind: 'expire_webhooks' })
  for (const text of ['one', 'two']) {
    const outcome = await scene.connection.send(scene.part(CHAT, text), never)
    expect(outcome).toMatchObject({ status: 'delivered', messageId: expect.stringMatching(/^pqk/) })
  }
  expect((await scene.world.shown(CHAT)).map(({ text }) => text)).toEqual(['one', 'two'])
  expect([await scene.calls('sendBySession'), await scene.calls(TO_PEOPLE)]).toEqual([1, 2])
  expect(await scene.calls('accessToken')).toBe(1)
})

it('does not try a webhook whose time is over', async () => {
  const scene = await openChat({ webhookLifeMs: 60_000 })
  await scene.clock.advance(31_000)
  expect(await scene.connection.send(scene.part(CHAT, 'late'), never)).toMatchObject({ status: 'delivered' })
  expect([await scene.calls('sendBySession'), await scene.calls(TO_PEOPLE)]).toEqual([0, 1])
})

it('keeps webhooks while the channel is disabled and enabled, and does without them after a restart', async () => {
  const scene = await openChat()
  const { io, world } = scene
  const enabled = dingtalk.connect(world.credentials, io)
  await enabled.send(scene.part(CHAT, 'enabled'), never)
  expect([await scene.calls('sendBySession'), await scene.calls(TO_PEOPLE)]).toEqual([1, 0])
  const restarted = dingtalk.connect(world.credentials, afterRestart(io))
  await restarted.send(scene.part(CHAT, 'restarted'), never)
  expect([await scene.calls('sendBySession'), await scene.calls(TO_PEOPLE)]).toEqual([1, 1])
  expect((await world.shown(CHAT)).map(({ text }) => text)).toEqual(['enabled', 'restarted'])
})

it('writes to a group, also after a restart', async () => {
  const scene = await openScene()
  const listening = scene.listen()
  await scene.world.sayInGroup('hello', 'mention')
  const { chat } = await listening.message('hello')
  expect(chat).toEqual({ id: GROUP.id, kind: 'group', title: GROUP.title })
  await scene.connection.send(scene.part(chat, 'one'), never)
  const restarted = dingtalk.connect(scene.world.credentials, afterRestart(scene.io))
  await restarted.send(scene.part({ id: GROUP.id, kind: 'group' }, 'two'), never)
  expect((await scene.world.shown(chat)).map(({ text }) => text)).toEqual(['one', 'two'])
  expect(await scene.calls('groupMessages.send')).toBe(1)
})

it('reaches a person outside of the organisation by the webhook alone', async () => {
  const scene = await openScene()
  const { world, connection } = scene
  const listening = scene.listen()
  await world.control.injectFault({ kind: 'outsider' })
  await world.speak({ from: { id: 'guest', name: 'Guest' }, text: 'hello' })
  const { chat } = await listening.message('hello')
  expect(chat.id).toMatch(/^\$:LWCP_v1:/)
  expect(connection.can.allowance?.(chat)).toEqual({ left: null, refused: null })
  expect(await connection.send(scene.part(chat, 'welcome'), never)).toMatchObject({ status: 'delivered' })
  expect(await connection.send({ ...scene.part(chat, 'live'), live: true }, never)).toMatchObject({
    status: 'refused',
  })
  await world.control.injectFault({ kind: 'expire_webhooks' })
  expect(await connection.send(scene.part(chat, 'again'), never)).toMatchObject({ code: 'no_context' })
  expect(connection.can.allowance?.(chat).refused).toMatchObject({ code: 'no_context' })
  const restarted = dingtalk.connect(world.credentials, afterRestart(scene.io))
  expect(await restarted.send(scene.part(chat, 'restarted'), never)).toMatchObject({ code: 'no_context' })
  expect(await scene.calls(TO_PEOPLE)).toBe(0)
})

it.each([
  ['invalid_users', 'recipient_unreachable'],
  ['flow_controlled_users', 'rate_limited'],
] as const)('does not take an HTTP 200 for success: %s', async (kind, code) => {
  const scene = await openChat()
  await scene.world.control.injectFault({ kind: 'expire_webhooks' })
  await scene.world.control.injectFault({ kind })
  expect(await scene.connection.send(scene.part(CHAT, 'lost'), never)).toMatchObject({ status: 'refused', code })
  expect(await scene.world.shown(CHAT)).toEqual([])
})

it('asks for a new token once when the old one is refused, and early when it is about to end', async () => {
  const scene = await openChat()
  const { control } = scene.world
  await control.injectFault({ kind: 'expire_webhooks' })
  const send = async (): Promise<unknown> => scene.connection.send(scene.part(CHAT, 'x'), never)
  await send()
  await control.injectFault({ kind: 'expire_tokens' })
  expect(await send()).toMatchObject({ status: 'delivered' })
  expect(await scene.calls('accessToken')).toBe(2)
  await scene.clock.advance(6_900_000)
  expect(await send()).toMatchObject({ status: 'delivered' })
  expect(await scene.calls('accessToken')).toBe(3)
  await control.injectFault({ kind: 'error', code: 'InvalidAuthentication', method: TO_PEOPLE, times: null })
  expect(await send()).toMatchObject({ status: 'refused', code: 'credentials_rejected' })
  expect(await scene.calls('accessToken')).toBe(4)
})

it.each([
  ['drop_before', 'network'],
  ['bad_gateway', 'network'],
] as const)('knows that nothing was sent when there was no token for it: %s', async (kind, code) => {
  const scene = await openChat()
  await scene.world.control.injectFault({ kind: 'expire_webhooks' })
  await scene.world.control.injectFault({ kind, method: 'accessToken' })
  expect(await scene.connection.send(scene.part(CHAT, 'x'), never)).toMatchObject({ status: 'refused', code })
})

it('does not guess when the API does not answer', async () => {
  const scene = await openChat()
  await scene.world.control.injectFault({ kind: 'expire_webhooks' })
  await scene.world.control.injectFault({ kind: 'drop_after', method: TO_PEOPLE })
  expect(await scene.connection.send(scene.part(CHAT, 'perhaps'), never)).toMatchObject({ status: 'unknown' })
  expect(await scene.world.shown(CHAT)).toMatchObject([{ text: 'perhaps' }])
})

it('replies through the API at once while the webhook is blocked, and by the webhook afterwards', async () => {
  const scene = await openScene({ webhookLifeMs: 3_600_000 })
  const listening = scene.listen()
  await scene.world.say('hello')
  await listening.message('hello')
  await scene.world.control.injectFault({ kind: 'error', code: 130101, method: 'sendBySession' })
  const send = (text: string): Promise<Outcome> => scene.connection.send(scene.part(CHAT, text), never)
  expect(await send('one')).toMatchObject({ status: 'delivered', messageId: expect.stringMatching(/^pqk/) })
  // a new message brings another webhook of the same robot
  await scene.world.say('more')
  await listening.message('more')
  expect(await send('two')).toMatchObject({ status: 'delivered' })
  expect([await scene.calls('sendBySession'), await scene.calls(TO_PEOPLE)]).toEqual([1, 2])
  await scene.clock.advance(600_000)
  expect(await send('three')).toMatchObject({ status: 'delivered' })
  expect([await scene.calls('sendBySession'), await scene.calls(TO_PEOPLE)]).toEqual([2, 2])
  expect((await scene.world.shown(CHAT)).map(({ text }) => text)).toEqual(['one', 'two', 'three'])
})

it('waits for a blocked webhook where nothing else reaches the person', async () => {
  const scene = await openScene()
  const { world, connection } = scene
  const listening = scene.listen()
  await world.control.injectFault({ kind: 'outsider' })
  await world.speak({ from: { id: 'guest', name: 'Guest' }, text: 'hello' })
  const { chat } = await listening.message('hello')
  await world.control.injectFault({ kind: 'error', code: 130101, method: 'sendBySession' })
  const outcome = await connection.send(scene.part(chat, 'x'), never)
  expect(outcome).toMatchObject({ code: 'rate_limited', retryAfterMs: 600_000 })
  expect(await connection.send(scene.part(chat, 'y'), never)).toMatchObject({ status: 'delivered' })
})

it('waits as long as the API asks for', async () => {
  const scene = await openChat()
  const { control } = scene.world
  await control.injectFault({ kind: 'expire_webhooks' })
  await control.injectFault({ kind: 'error', code: QPS, method: TO_PEOPLE })
  const outcome = await scene.connection.send(scene.part(CHAT, 'x'), never)
  expect(outcome).toMatchObject({ code: 'rate_limited', retryAfterMs: 2_000 })
})

it('tells the doctor about permissions that sending lacks', async () => {
  const scene = await openChat()
  const { world, connection, io } = scene
  await world.control.injectFault({ kind: 'expire_webhooks' })
  await world.control.injectFault({ kind: 'error', code: PERMISSION, method: TO_PEOPLE })
  expect(await connection.send(scene.part(CHAT, 'x'), never)).toMatchObject({
    code: 'configuration',
    detail: expect.stringContaining('qyapi_robot_sendmsg'),
  })
  const checks = await dingtalk.diagnose(world.credentials, io, never)
  expect(checks.find(({ id }) => id === 'permissions')).toMatchObject({
    status: 'fail',
    detail: expect.stringMatching(/1 sends.*qyapi_robot_sendmsg/),
  })
})

/** The same bot, of which this answers certain calls. */
const answering = (scene: Scene, path: string, answer: (init: RequestInit) => Promise<Response>) => {
  const ask: typeof fetch = (input, init) =>
    toUrlText(input).includes(path) ? answer(init ?? {}) : scene.io.fetch(input, init)
  return dingtalk.connect(scene.world.credentials, { ...scene.io, fetch: ask })
}

it('does not take an HTTP 200 for success when ids come as numbers', async () => {
  const scene = await openScene()
  const bot = answering(scene, '/batchSend', async () =>
    Response.json({ processQueryKey: 'k', invalidStaffIdList: [807] }),
  )
  const outcome = await bot.send(scene.part({ id: '807', kind: 'direct' }, 'x'), never)
  expect(outcome).toMatchObject({ status: 'refused', code: 'recipient_unreachable' })
})

it('shows no token that an answer quotes', async () => {
  const scene = await openScene()
  let token = ''
  const bot = answering(scene, '/batchSend', async ({ headers }) => {
    token = new Headers(headers).get('x-acs-dingtalk-access-token') ?? ''
    return Response.json({ code: 'invalidParameter', message: `no such thing: ${token}` }, { status: 400 })
  })
  const outcome = await bot.send(scene.part(CHAT, 'x'), never)
  expect(token).not.toBe('')
  expect(outcome).toMatchObject({ detail: 'no such thing: **** (invalidParameter)' })
})

async function writeTestFile(
  scene: Scene,
  name: string,
  mime: string,
  content: string | Buffer,
): Promise<OutboundFilePart> {
  const folder = await mkdtemp(join(tmpdir(), 'gatepost-dingtalk-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const path = join(folder, 'upload')
  await writeFile(path, content)
  return { kind: 'file', deliveryId: scene.part(CHAT, '').deliveryId, chat: CHAT, name, mime, path }
}

it('packs what is not taken as it is, and sends the rest under its own name', async () => {
  const scene = await openChat()
  const text = await writeTestFile(scene, 'notes.txt', 'text/plain', 'content')
  expect(await scene.connection.send(text, never)).toMatchObject({ status: 'delivered' })
  const pdf = await writeTestFile(scene, 'report.pdf', 'application/pdf', 'pdf')
  expect(await scene.connection.send(pdf, never)).toMatchObject({ status: 'delivered' })
  const [packed, plain] = (await scene.world.control.sent()).flatMap(({ files }) => files)
  expect(plain).toMatchObject({ name: 'report.pdf', base64: Buffer.from('pdf').toString('base64') })
  expect(packed?.name).toBe('notes.txt.zip')
  const archive = Buffer.from(packed?.base64 ?? '', 'base64')
  const nameLength = archive.readUInt16LE(26)
  const begin = 30 + nameLength
  expect(archive.toString('utf8', 30, begin)).toBe('notes.txt')
  expect(inflateRawSync(archive.subarray(begin, begin + archive.readUInt32LE(18))).toString()).toBe('content')
})

it('renews the token of the upload once, and knows that nobody has seen a file whose upload failed', async () => {
  const scene = await openChat()
  const picture = await writeTestFile(scene, 'a.png', 'image/png', 'png')
  await scene.connection.send(picture, never)
  await scene.world.control.injectFault({ kind: 'expire_tokens' })
  expect(await scene.connection.send(picture, never)).toMatchObject({ status: 'delivered' })
  expect(await scene.calls('gettoken')).toBe(2)
  await scene.world.control.injectFault({ kind: 'drop_after', method: 'media.upload' })
  expect(await scene.connection.send(picture, never)).toMatchObject({ status: 'refused', code: 'network' })
  expect((await scene.world.shown(CHAT)).map(({ files }) => files)).toEqual([['a.png'], ['a.png']])
})

it('refuses a file that is too large without sending it', async () => {
  const scene = await openChat()
  const large = await writeTestFile(scene, 'a.pdf', 'application/pdf', Buffer.alloc(20 * 1024 * 1024 + 1))
  expect(await scene.connection.send(large, never)).toMatchObject({ status: 'refused', code: 'content_rejected' })
  expect(await scene.calls('media.upload')).toBe(0)
})
