import { expect, it } from 'vitest'
import { afterRestart, held, never, until, toUrlText } from '../wire/testing.ts'
import { dingtalk } from './platform.ts'
import { openScene } from './testing.ts'

it('shows that it works on a message, and takes the sign away', async () => {
  const scene = await openScene()
  const { world, connection } = scene
  const listening = scene.listen()
  await world.say('hello')
  const { chat, messageId } = await listening.message('hello')
  await connection.can.typing?.(chat, never, messageId)
  await connection.can.typing?.(chat, never, messageId)
  expect(await scene.calls('emotion.reply')).toBe(1)
  expect(await world.control.typing()).toHaveLength(1)
  await connection.can.typingDone?.(chat, never, messageId)
  expect(await world.control.typing()).toEqual([])
  await connection.can.typingDone?.(chat, never, messageId)
  expect(await scene.calls('emotion.recall')).toBe(1)
})

it('takes a sign in a group away that a process before it has left', async () => {
  const scene = await openScene()
  const { world, connection } = scene
  const listening = scene.listen()
  await world.sayInGroup('hello', 'mention')
  const { chat, messageId } = await listening.message('hello')
  await connection.can.typing?.(chat, never, messageId)
  const restarted = dingtalk.connect(world.credentials, afterRestart(scene.io))
  await restarted.can.typing?.(chat, never, messageId)
  await restarted.can.typingDone?.(chat, never, messageId)
  expect(await world.control.typing()).toEqual([])
})

it('takes a sign away that was still on its way when the answer was there', async () => {
  const scene = await openScene()
  const { world, io } = scene
  const onItsWay = Promise.withResolvers<void>()
  const late: typeof fetch = (input, { signal, ...init } = {}) => {
    if (!toUrlText(input).endsWith('/emotion/reply')) return io.fetch(input, { ...init, ...(signal && { signal }) })
    // who leaves does not stop what was sent
    return Promise.race([held(signal), onItsWay.promise.then(() => io.fetch(input, init))])
  }
  const bot = dingtalk.connect(world.credentials, { ...io, fetch: late })
  const listening = scene.listen()
  await world.sayInGroup('hello', 'mention')
  const { chat, messageId } = await listening.message('hello')
  const answered = new AbortController()
  const { typing, typingDone } = bot.can
  const shown = typing?.(chat, answered.signal, messageId).then(() => typingDone?.(chat, never, messageId))
  await until(async () => (await scene.calls('accessToken')) === 1)
  answered.abort()
  await new Promise((resolve) => setImmediate(resolve))
  onItsWay.resolve()
  await shown
  await until(async () => (await scene.calls('emotion.reply')) === 1)
  expect(await world.control.typing()).toEqual([])
})
