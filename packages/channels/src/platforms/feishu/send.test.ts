import { expect, it } from 'vitest'
import { run, never } from '../wire/testing.ts'
import { listBodies, CHAT, openScene, type Scene, textPart } from './testing.ts'
import { feishu } from './platform.ts'

const HOUR_MS = 3_600_000
const getId = (outcome: { status: string; messageId?: string }): string => outcome.messageId ?? outcome.status

/** A growing answer after its beginning. */
async function begun(): Promise<Scene & { readonly messageId: string }> {
  const scene = await openScene()
  await scene.world.say('hello')
  const messageId = getId(await scene.connection.send(textPart('half', { live: true }), never))
  return { ...scene, messageId }
}

it('lets an answer grow in one card, with numbers that rise, and ends it', async () => {
  const { world, connection, messageId } = await begun()
  for (const body of ['half an', 'half an answer']) {
    expect(await connection.can.edit?.(textPart(body, { live: true }), messageId, never)).toMatchObject({
      status: 'delivered',
    })
  }
  expect(await world.control.sent()).toMatchObject([{ messageId, text: 'half an answer', unfinished: true }])
  await connection.can.edit?.(textPart('half an answer, whole'), messageId, never)
  expect(await world.control.sent()).toMatchObject([{ messageId, text: 'half an answer, whole', unfinished: false }])
  const sequences = (await listBodies(world, 'cardkit.v1.elements.content')).map(({ sequence }) => Number(sequence))
  expect(sequences).toEqual([...new Set(sequences)].toSorted((a, b) => a - b))
})

it('goes on with a card of an earlier process', async () => {
  const { world, io, clock, messageId } = await begun()
  await world.control.injectFault({ kind: 'scope', scope: 'cardkit:card:read', granted: true })
  await clock.advance(1_000)
  const successor = feishu.connect(world.credentials, io)
  expect(await successor.can.edit?.(textPart('whole'), messageId, never)).toEqual({ status: 'delivered', messageId })
  expect(await world.control.sent()).toMatchObject([{ messageId, text: 'whole', unfinished: false }])
})

it('sends the answer anew when a card of an earlier process cannot be replaced, and takes its beginning away', async () => {
  const { world, io, messageId } = await begun()
  const successor = feishu.connect(world.credentials, io)
  expect(await successor.can.edit?.(textPart('whole'), messageId, never)).toMatchObject({
    status: 'refused',
    code: 'content_rejected',
  })
  expect(await successor.send(textPart('whole'), never)).toMatchObject({ status: 'delivered' })
  expect((await world.shown(CHAT)).map(({ text }) => text)).toEqual(['whole'])
})

it('replaces whole cards where the scope of growing ones is missing, no more often than allowed', async () => {
  const { world, connection, clock } = await openScene()
  await world.say('hello')
  await world.control.injectFault({ kind: 'scope', scope: 'cardkit:card:write', granted: false })
  const messageId = getId(await connection.send(textPart('half', { live: true }), never))
  const edit = async (body: string, live: { live?: true } = { live: true }): Promise<unknown> =>
    connection.can.edit?.(textPart(body, live), messageId, never)
  await edit('half an')
  await edit('half an answer')
  expect(await world.control.sent()).toMatchObject([{ messageId, text: 'half an' }])
  await clock.advance(2_000)
  await edit('half an answer')
  expect(await world.control.sent()).toMatchObject([{ messageId, text: 'half an answer' }])
  await edit('whole', {})
  expect(await world.control.sent()).toMatchObject([{ messageId, text: 'whole' }])
})

it('writes the end though the platform has closed the growing', async () => {
  const { world, connection, messageId } = await begun()
  await world.control.injectFault({ kind: 'error', code: 300309, method: 'cardkit.v1.elements.content' })
  expect(await connection.can.edit?.(textPart('whole'), messageId, never)).toMatchObject({ status: 'delivered' })
  expect(await world.control.sent()).toMatchObject([{ messageId, text: 'whole', unfinished: false }])
})

it('catches up with a sequence that another process has raised', async () => {
  const { world, connection, messageId } = await begun()
  await world.control.injectFault({ kind: 'error', code: 300317, method: 'cardkit.v1.elements.content' })
  expect(await connection.can.edit?.(textPart('whole'), messageId, never)).toMatchObject({ status: 'delivered' })
  expect(await world.control.sent()).toMatchObject([{ text: 'whole' }])
})

it('sends plain paragraphs as a post, code as a card, and what must not be read as text', async () => {
  const { world, connection } = await openScene()
  await world.say('hello')
  await connection.send(textPart('**bold** words', { deliveryId: 'a.1' }), never)
  await connection.send(textPart('```js\n1\n```', { deliveryId: 'a.2' }), never)
  await connection.send(textPart('<at user_id="all"></at> **x**', { deliveryId: 'a.3', plain: true }), never)
  const bodies = await listBodies(world, 'im.v1.messages.create')
  expect(bodies.map(({ msg_type }) => msg_type)).toEqual(['post', 'interactive', 'text'])
  expect(String(bodies[2]?.['content'])).not.toContain('<at')
})

it('writes to people by their open_id, and says so', async () => {
  const { world, connection } = await openScene()
  const chat = { id: 'ou_carl', kind: 'direct' } as const
  expect(await connection.send(textPart('first words', { chat }), never)).toMatchObject({ status: 'delivered' })
  const [request] = await world.control.requests({ method: 'im.v1.messages.create' })
  expect(request?.target).toContain('receive_id_type=open_id')
})

it('answers in the thread in which it was asked', async () => {
  const { world, connection } = await openScene()
  const { messageId } = await world.say('hello')
  const threaded = { chat: { ...CHAT, threadId: 'omt_1' } }
  await connection.send(textPart('reply', { ...threaded, deliveryId: 'a.1', replyTo: messageId }), never)
  await connection.send(textPart('more', { ...threaded, deliveryId: 'a.2', after: messageId }), never)
  const bodies = await listBodies(world, 'im.v1.messages.reply')
  expect(bodies.map(({ reply_in_thread }) => reply_in_thread)).toEqual([true, true])
})

it('promises to show nothing twice for less than the hour in which keys are remembered', async () => {
  const { world, connection, clock } = await openScene()
  await world.say('hello')
  const part = textPart('one')
  await world.lose('shown')
  await connection.send(part, never)
  expect(connection.can.resend?.(part, clock.now())).toBe(true)
  expect(await connection.send(part, never)).toMatchObject({ status: 'delivered' })
  expect(await world.shown(CHAT)).toHaveLength(1)
  await clock.advance(HOUR_MS)
  expect(connection.can.resend?.(part, clock.now())).toBe(false)
})

it('waits twice as long each time when a limit says no time', async () => {
  const { world, connection } = await openScene()
  await world.say('hello')
  const waits: unknown[] = []
  await world.control.injectFault({ kind: 'error', code: 230020, method: 'im.v1.messages.create', times: 7 })
  for (let i = 0; i < 7; i++) waits.push(await connection.send(textPart('x'), never))
  expect(waits.map((outcome) => (outcome as { retryAfterMs?: number }).retryAfterMs)).toEqual([
    1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000,
  ])
})

it('shows the sign of typing by one reaction, and takes it away', async () => {
  const { world, connection } = await openScene()
  const { messageId } = await world.say('hello')
  await connection.can.typing?.(CHAT, never, messageId)
  await connection.can.typing?.(CHAT, never, messageId)
  await connection.can.typingDone?.(CHAT, never, messageId)
  await connection.can.typingDone?.(CHAT, never, messageId)
  expect(await listBodies(world, 'im.v1.reactions.create')).toEqual([{ reaction_type: { emoji_type: 'Typing' } }])
  expect(await world.control.requests({ method: 'im.v1.reactions.delete' })).toMatchObject([{ status: 200 }])
})

it('sends as a file what is refused as a picture', async () => {
  const { world, connection } = await openScene()
  await world.say('hello')
  await world.control.injectFault({ kind: 'error', code: 234001, method: 'im.v1.images.create' })
  const file = {
    kind: 'file',
    deliveryId: 'a.1',
    chat: CHAT,
    name: 'wide.png',
    mime: 'image/png',
    path: import.meta.filename,
  } as const
  expect(await connection.send(file, never)).toMatchObject({ status: 'delivered' })
  expect((await world.shown(CHAT)).map(({ files }) => files)).toEqual([['wide.png']])
})

it('fetches pictures, sound and video by the right type', async () => {
  const { world, connection } = await openScene()
  const heard = run(connection)
  await heard.alive()
  const base64 = Buffer.from([1, 2, 3]).toString('base64')
  for (const kind of ['image', 'voice', 'video', 'file'] as const) {
    await world.control.say({ from: { id: 'ou_ann' }, file: { kind, base64 } })
  }
  await heard.until(() => heard.events.length === 4)
  const media = heard.events.flatMap((event) => (event.type === 'message' ? event.media : []))
  expect(media.map(({ kind }) => kind)).toEqual(['image', 'voice', 'video', 'file'])
  for (const one of media) {
    expect((await connection.can.fetchMedia?.(one, never))?.bytes).toEqual(Buffer.from([1, 2, 3]))
  }
})
