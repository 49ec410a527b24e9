import { expect, it } from 'vitest'
import type { Diagnosis } from '../../platform.ts'
import { never } from '../wire/testing.ts'
import { wecom } from './platform.ts'
import { startBot, type Bot } from './testing.ts'

const check = async (bot: Bot, id: string): Promise<Diagnosis | undefined> =>
  (await wecom.diagnose(bot.world.credentials, bot.io, never)).find((one) => one.id === id)

it('is content with a bot that is connected, and disturbs nothing', async () => {
  const bot = await startBot()
  await bot.alive(1)
  const checks = await wecom.diagnose(bot.world.credentials, bot.io, never)
  expect(checks.map(({ status }) => status)).toEqual(['pass', 'pass', 'pass', 'pass', 'pass', 'pass'])
  expect(checks.find(({ id }) => id === 'subscribed')?.at).toBe(bot.clock.now())
  expect(await bot.frames('aibot_subscribe')).toHaveLength(1)
})

it('tells that another gateway has taken the bot over', async () => {
  const bot = await startBot()
  await bot.alive(1)
  await bot.control.injectFault({ kind: 'kick' })
  await bot.ended
  expect(await check(bot, 'not_taken_over')).toMatchObject({
    status: 'fail',
    at: bot.clock.now(),
    remedy: /Stop the other/,
  })
})

it('tells that connecting meets the frequency limit, and that the secret is wrong', async () => {
  const bot = await startBot()
  await bot.alive(1)
  await bot.stop()
  expect(await check(bot, 'subscribed')).toMatchObject({ status: 'warn' })
  const withTimeLimit = await startBot({
    prepare: ({ emulator }) => emulator.control.injectFault({ kind: 'error', code: 45009, method: 'aibot_subscribe' }),
  })
  await withTimeLimit.ended
  expect(await check(withTimeLimit, 'not_limited')).toMatchObject({ status: 'warn' })
  const rejected = await startBot({ prepare: ({ emulator }) => emulator.control.revoke() })
  await rejected.ended
  expect(await check(rejected, 'subscribed')).toMatchObject({ status: 'fail', remedy: /gatepost setup wecom/ })
  expect(await check(rejected, 'credentials_known')).toMatchObject({ status: 'fail' })
})

it('takes the probe for a hint: a connection that was accepted is the proof', async () => {
  const bot = await startBot()
  await bot.alive(1)
  await bot.control.injectFault({ kind: 'error', code: 853000, method: 'get_cli_config' })
  expect(await check(bot, 'credentials_known')).toMatchObject({ status: 'warn' })
  await bot.control.injectFault({ kind: 'bad_gateway', method: 'get_cli_config' })
  expect(await check(bot, 'credentials_known')).toMatchObject({ status: 'warn', detail: /said nothing/ })
})
