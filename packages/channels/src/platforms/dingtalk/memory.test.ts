import { expect, it } from 'vitest'
import { testIo } from '../wire/testing.ts'
import { type KnownChat, getBotMemory } from './memory.ts'

const chat = (webhook: KnownChat['webhook']): KnownChat => ({
  conversationId: 'cid',
  robotCode: 'robot',
  external: true,
  webhook,
})
const webhook = (name: string, untilMs: number) => ({
  url: new URL(`https://oapi.dingtalk.com/robot/sendBySession?session=${name}`),
  untilMs,
})

it('keeps the webhook that lives longest: messages come again, and without any', () => {
  const memory = getBotMemory(testIo(), 'ding')
  memory.remember('ann', chat(webhook('older', 1_000)))
  memory.remember('ann', chat(webhook('newer', 2_000)))
  memory.remember('ann', chat(webhook('older', 1_000)))
  memory.remember('ann', chat(null))
  expect(memory.chat('ann')?.webhook).toEqual(webhook('newer', 2_000))
  memory.forgetWebhook('ann')
  memory.remember('ann', chat(null))
  expect(memory.chat('ann')?.webhook).toBeNull()
})

it('does not grow with every chat', () => {
  const memory = getBotMemory(testIo(), 'ding')
  for (let n = 0; n < 100_000; n++) memory.remember(`chat-${n}`, chat(null))
  expect(memory.chat('chat-0')).toBeUndefined()
  expect(memory.chat('chat-99999')).toBeDefined()
})
