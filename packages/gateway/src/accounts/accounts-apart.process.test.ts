import {
  DEFAULT_BOT,
  type RunningEmulator,
  startEmulator,
  startTelegramEmulator,
  type TelegramEmulator,
} from '@gatepost/emulators'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type AccountsWorld, accountsWorld } from '../testing/accounts-world.ts'
import type { BrowserSession } from '../testing/browser-session.ts'

/** Two accounts in one process, each with a bot of its own; the first is of staff. */
let world: AccountsWorld
let telegram: TelegramEmulator
let weixin: RunningEmulator
let ann: BrowserSession
let bo: BrowserSession
const BOS_BOT = { token: '5353535353:emulator-made-up-token-BBBBBBBBBBBB', username: 'bos_bot', name: 'Bo' } as const
beforeAll(async () => {
  telegram = await startTelegramEmulator()
  weixin = await startEmulator('weixin')
  await telegram.control.createBot(BOS_BOT)
  world = await accountsWorld({ ...weixin.environment, GATEPOST_TELEGRAM_API_URL: telegram.url })
  ann = await world.first()
  bo = await world.invited('bo@example.org')
  for (const [person, bot] of [
    [ann, DEFAULT_BOT],
    [bo, BOS_BOT],
  ] as const) {
    expect((await person.call('POST', '/api/channels/telegram', { bot_token: bot.token })).status).toBe(200)
  }
})
afterAll(async () => {
  await world[Symbol.asyncDispose]()
  await telegram.close()
  await weixin.close()
})

const botFor = async (person: BrowserSession): Promise<unknown> =>
  ((await person.get('/api/channels/telegram')).json() as { bot: unknown }).bot // the shape of the route, held by its own test
const listTexts = async (
  person: BrowserSession,
  path = '/api/channels/telegram/messages',
): Promise<readonly string[]> =>
  ((await person.get(path)).json() as { items: { text: string }[] }).items.map(({ text }) => text) // likewise

it('gives each account its own bot, and one bot to one account', async () => {
  expect(await botFor(ann)).toMatchObject({ name: `@${DEFAULT_BOT.username}` })
  expect(await botFor(bo)).toMatchObject({ name: `@${BOS_BOT.username}` })
  const stolen = await bo.call('POST', '/api/channels/telegram', { bot_token: DEFAULT_BOT.token })
  expect([stolen.status, stolen.json()]).toMatchObject([409, { code: 'bot_in_use' }])
})

/** What `/api/events` tells this person from now on. */
async function listen(person: BrowserSession): Promise<{ heard(): string; leave(): Promise<void> }> {
  const headers = { cookie: [...person.cookies].map((pair) => pair.join('=')).join('; ') }
  const { body } = await fetch(`${world.gateway().url}/api/events`, { headers })
  const reader = (body ?? new ReadableStream()).pipeThrough(new TextDecoderStream()).getReader()
  let text = String((await reader.read()).value)
  const ended = (async () => {
    for (let part = await reader.read(); !part.done; part = await reader.read()) text += part.value
  })()
  return {
    heard: () => text,
    async leave() {
      await reader.cancel()
      await ended
    },
  }
}

it('keeps messages, people, deliveries and events apart', async () => {
  const [anns, bos] = [await listen(ann), await listen(bo)]
  await telegram.control.say({ from: { id: 42, first_name: 'Ann' }, text: 'for ann' })
  await telegram.control.say({ bot: 5353535353, from: { id: 43, first_name: 'Bob' }, text: 'for bo' })
  await expect.poll(() => listTexts(ann)).toEqual(['for ann'])
  await expect.poll(() => listTexts(bo)).toEqual(['for bo'])
  await expect.poll(() => [anns.heard().includes('for ann'), bos.heard().includes('for bo')]).toEqual([true, true])
  expect([anns.heard().includes('for bo'), bos.heard().includes('for ann')]).toEqual([false, false])
  await anns.leave()
  await bos.leave()
  const whole = async (person: BrowserSession): Promise<string> =>
    (await Promise.all(['users', 'deliveries', 'doctor'].map((what) => person.get(`/api/channels/telegram/${what}`))))
      .map(({ text }) => text)
      .join()
  expect(await whole(ann)).not.toContain('Bob')
  expect(await whole(bo)).not.toContain('for ann')
})

it('lets nobody use or resend what is of another account', async () => {
  const { items } = (await ann.get('/api/channels/telegram/deliveries')).json() as { items: { id: string }[] } // as above
  const id = encodeURIComponent(items[0]?.id ?? '')
  expect((await ann.get(`/api/channels/telegram/deliveries/${id}`)).status).toBe(200)
  expect((await bo.get(`/api/channels/telegram/deliveries/${id}`)).json()).toMatchObject({ code: 'unknown_delivery' })
  const resent = await bo.call('POST', `/api/channels/telegram/deliveries/${id}/resend`)
  expect(resent.json()).toMatchObject({ code: 'unknown_delivery' })
})

it('keeps guided set-ups apart', async () => {
  const started = (await ann.call('POST', '/api/channels/weixin/setup', { kind: 'qr' })).json() as { id: string } // as above
  const path = `/api/channels/weixin/setup/${started.id}`
  expect((await ann.get(path)).status).toBe(200)
  expect((await bo.get(path)).json()).toMatchObject({ code: 'unknown_setup' })
  expect((await bo.call('DELETE', path)).json()).toMatchObject({ code: 'unknown_setup' })
  await weixin.control.scan({ act: 'scan' })
  await weixin.control.scan({ act: 'confirm' })
  const configured = async (person: BrowserSession): Promise<unknown> =>
    /"platform":"weixin"[^}]*?"has_config":(true|false)/.exec((await person.get('/api/channels')).text)?.[1]
  await expect.poll(() => configured(ann)).toBe('true')
  expect(await configured(bo)).toBe('false')
})

it('shows everything to staff and the owner token, when they name the account', async () => {
  expect(await listTexts(ann, '/api/channels/telegram/messages?account=u2')).toEqual(['for bo'])
  expect((await world.ask('GET', '/api/channels/telegram/messages?account=u2')).body).toMatchObject({
    items: [{ text: 'for bo' }],
  })
  expect((await world.ask('GET', '/api/channels/telegram')).body).toMatchObject({
    bot: { name: `@${DEFAULT_BOT.username}` },
  })
  expect((await bo.get('/api/channels/telegram/messages?account=owner')).json()).toMatchObject({
    code: 'unknown_account',
  })
})
