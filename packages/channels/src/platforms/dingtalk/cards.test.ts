import { expect, it } from 'vitest'
import type { Chat } from '../../message.ts'
import { ANN } from './dingtalk.contract.ts'
import { afterRestart, never } from '../wire/testing.ts'
import { openScene, type Scene } from './testing.ts'
import { dingtalk } from './platform.ts'

const PERMISSION = 'Forbidden.AccessDenied.AccessTokenPermissionDenied'
const CHAT: Chat = { id: ANN.id, kind: 'direct' }

async function openChat(): Promise<Scene> {
  const scene = await openScene()
  const listening = scene.listen()
  await scene.world.say('hello')
  await listening.message('hello')
  return scene
}

const begin = async (scene: Scene, body: string) => {
  const part = { ...scene.part(CHAT, body), live: true as const }
  const outcome = await scene.connection.send(part, never)
  return { part, messageId: outcome.status === 'delivered' ? outcome.messageId : '' }
}

it('lets an answer grow in one card, finishes it, and finishes it again', async () => {
  const scene = await openChat()
  const { edit } = scene.connection.can
  const { part, messageId } = await begin(scene, 'half')
  expect(await scene.world.shown(CHAT)).toMatchObject([{ text: 'half', unfinished: true }])
  await edit?.({ ...part, body: 'half an\nanswer' }, messageId, never)
  const final = scene.part(CHAT, 'the whole  \nanswer')
  expect(await edit?.(final, messageId, never)).toEqual({ status: 'delivered', messageId })
  expect(await edit?.(final, messageId, never)).toEqual({ status: 'delivered', messageId })
  expect(await scene.world.shown(CHAT)).toMatchObject([{ text: 'the whole<br>answer', unfinished: false }])
  const requests = await scene.world.control.requests({ method: 'card.streaming' })
  const bodies = requests.map(({ body }) => JSON.parse(body) as { guid: string; isFinalize: boolean }) // our own
  expect(new Set(bodies.map(({ guid: createGuid }) => createGuid)).size).toBe(3)
  expect(bodies.map(({ isFinalize }) => isFinalize)).toEqual([false, true, true])
})

it('meets the same card when it begins again, also after a restart', async () => {
  const scene = await openChat()
  const { part, messageId } = await begin(scene, 'half')
  const restarted = dingtalk.connect(scene.world.credentials, afterRestart(scene.io))
  expect(restarted.can.resend?.(part, 0)).toBe(true)
  expect(restarted.can.resend?.(scene.part(CHAT, 'x'), 0)).toBe(false)
  expect(await restarted.send({ ...part, body: 'the whole' }, never)).toEqual({ status: 'delivered', messageId })
  const { live: _, ...final } = part
  await restarted.can.edit?.({ ...final, body: 'the whole' }, messageId, never)
  expect(await scene.world.shown(CHAT)).toMatchObject([{ text: 'the whole', unfinished: false }])
})

it.each(['card.create', 'card.deliver'])(
  'does without cards for good when the app may not use them: %s',
  async (method) => {
    const scene = await openChat()
    const { connection, world, io } = scene
    await world.control.injectFault({ kind: 'error', code: PERMISSION, method })
    const part = { ...scene.part(CHAT, 'half'), live: true as const }
    expect(await connection.send(part, never)).toMatchObject({ status: 'refused', code: 'configuration' })
    const before = (await world.control.requests()).length
    expect(await connection.send(part, never)).toMatchObject({ status: 'refused', code: 'configuration' })
    expect((await world.control.requests()).length).toBe(before)
    await connection.send(scene.part(CHAT, 'whole'), never)
    expect(await world.shown(CHAT)).toMatchObject([{ text: 'whole' }])
    const checks = await dingtalk.diagnose(world.credentials, io, never)
    expect(checks.find(({ id }) => id === 'cards')).toMatchObject({ status: 'warn', remedy: expect.any(String) })
    expect(checks.filter(({ status }) => status === 'fail')).toEqual([])
  },
)

it('finishes a card that it may write, but not stream', async () => {
  const scene = await openChat()
  const { part, messageId } = await begin(scene, 'half')
  await scene.world.control.injectFault({ kind: 'error', code: PERMISSION, method: 'card.streaming', times: null })
  const { edit } = scene.connection.can
  expect(await edit?.({ ...part, body: 'more' }, messageId, never)).toMatchObject({ code: 'configuration' })
  expect(await edit?.(scene.part(CHAT, 'whole'), messageId, never)).toMatchObject({ status: 'delivered' })
  expect(await scene.world.shown(CHAT)).toMatchObject([{ text: 'whole', unfinished: false }])
})

it('is told to wait when cards change too often, and knows what it does not know', async () => {
  const scene = await openChat()
  const { part, messageId } = await begin(scene, 'half')
  const { edit } = scene.connection.can
  const fault = async (kind: 'qps' | 'drop_after'): Promise<unknown> =>
    scene.world.control.injectFault(
      kind === 'qps'
        ? { kind: 'error', code: 'Forbidden.AccessDenied.QpsLimitForApi', method: 'card.streaming' }
        : { kind, method: 'card.update' },
    )
  await fault('qps')
  const withTimeLimit = await edit?.({ ...part, body: 'more' }, messageId, never)
  expect(withTimeLimit).toMatchObject({ code: 'rate_limited', retryAfterMs: 2_000 })
  await fault('drop_after')
  expect(await edit?.(scene.part(CHAT, 'whole'), messageId, never)).toMatchObject({ status: 'unknown' })
})

it('knows that nobody has seen a card that was not delivered', async () => {
  const scene = await openChat()
  const part = { ...scene.part(CHAT, 'half'), live: true as const }
  await scene.world.control.injectFault({ kind: 'drop_after', method: 'card.create' })
  expect(await scene.connection.send(part, never)).toMatchObject({ status: 'refused', code: 'network' })
  await scene.world.control.injectFault({ kind: 'drop_after', method: 'card.deliver' })
  expect(await scene.connection.send(part, never)).toMatchObject({ status: 'unknown' })
})

it('takes a card that is said to stand there already for one that does', async () => {
  const scene = await openChat()
  const said = { kind: 'error', code: 'param.outTrackIdExist', status: 400 } as const
  await scene.world.control.injectFault({ ...said, method: 'card.deliver' })
  const part = { ...scene.part(CHAT, 'half'), live: true as const }
  expect(await scene.connection.send(part, never)).toMatchObject({ status: 'delivered' })
})

it('changes nothing but cards', async () => {
  const scene = await openChat()
  const outcome = await scene.connection.can.edit?.(scene.part(CHAT, 'x'), 'webhook-turn-1.1', never)
  expect(outcome).toMatchObject({ status: 'refused', code: 'content_rejected' })
})
