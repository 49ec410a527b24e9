import { expect, it } from 'vitest'
import { manualClock } from '../kit/testing-clock.ts'
import { DISCORD_BOT } from './state.ts'
import { type Bench, openBench } from './wire-client.ts'

const ann = { id: '7', name: 'Ann' }
const team = { id: '300', title: 'Team' }
const agent = 'DiscordBot (https://example.org, 1.0)'

/** The path of the messages of Ann's private channel. */
const hello = async ({ control }: Bench): Promise<string> =>
  `/channels/${(await control.say({ from: ann, text: 'hello' })).chatId}/messages`
const shown = async ({ control }: Bench): Promise<readonly string[]> => (await control.sent()).map(({ text }) => text)

const callers: readonly [why: string, headers: Readonly<Record<string, string>>, status: number, code: number][] = [
  ['no token', { 'user-agent': agent }, 401, 0],
  ['a wrong token', { 'user-agent': agent, authorization: 'Bot wrong' }, 401, 0],
  ['a token without its type', { 'user-agent': agent, authorization: DISCORD_BOT.token }, 401, 0],
  ['another user agent', { 'user-agent': 'node', authorization: `Bot ${DISCORD_BOT.token}` }, 403, 40_333],
]
it.each(callers)('refuses %s', async (_why, headers, status, code) => {
  await using bench = await openBench()
  expect(await bench.call('GET', '/users/@me', undefined, headers)).toMatchObject({ status, body: { code } })
})

it('answers who the bot is, what its application may, and lets the limited flags be changed', async () => {
  await using bench = await openBench({ messageContent: false })
  expect((await bench.call('GET', '/users/@me')).body).toMatchObject({
    id: DISCORD_BOT.id,
    username: 'gatepost',
    bot: true,
  })
  expect((await bench.call('GET', '/applications/@me')).body).toMatchObject({ id: DISCORD_BOT.id, flags: 0 })
  const changed = await bench.call('PATCH', '/applications/@me', { flags: (1 << 19) | (1 << 18) })
  expect(changed).toMatchObject({ status: 200, body: { flags: 1 << 19 } })
  expect(await bench.call('PATCH', '/applications/@me', { flags: 'x' })).toMatchObject({ status: 400 })
})

it('shows a message, and its edit, and answers with the message', async () => {
  await using bench = await openBench()
  const path = await hello(bench)
  const sent = await bench.call('POST', path, { content: 'hi', nonce: 'n', enforce_nonce: true })
  expect(sent).toMatchObject({
    status: 200,
    body: { content: 'hi', nonce: 'n', type: 0, author: { id: DISCORD_BOT.id, bot: true }, edited_timestamp: null },
  })
  const edited = await bench.call('PATCH', `${path}/${String(sent.body['id'])}`, { content: 'hi!' })
  expect(edited.body).toMatchObject({ content: 'hi!', edited_timestamp: expect.any(String) })
  expect(await bench.control.sent()).toMatchObject([{ messageId: sent.body['id'], text: 'hi!', edits: 1 }])
})

it('tells the limit of every call in a channel', async () => {
  const clock = manualClock()
  await using bench = await openBench({ clock, messageRate: { limit: 1, perMs: 5_000 } })
  const path = await hello(bench)
  const first = await bench.call('POST', path, { content: '1' })
  expect(Object.fromEntries(first.headers)).toMatchObject({
    'x-ratelimit-limit': '1',
    'x-ratelimit-remaining': '0',
    'x-ratelimit-reset-after': '5.000',
    'x-ratelimit-reset': '1763700005.000',
    'x-ratelimit-bucket': expect.stringMatching(/^[0-9a-f]{32}$/),
  })
  const second = await bench.call('POST', path, { content: '2' })
  expect(second).toMatchObject({ status: 429, body: { retry_after: 5, global: false } })
  expect(Object.fromEntries(second.headers)).toMatchObject({
    'retry-after': '5',
    'x-ratelimit-remaining': '0',
    'x-ratelimit-scope': 'user',
  })
  await clock.advance(5_000)
  expect(await bench.call('POST', path, { content: '3' })).toMatchObject({ status: 200 })
  expect(await shown(bench)).toEqual(['1', '3'])
})

const refused: readonly [why: string, body: unknown, status: number, code: number][] = [
  ['nothing', {}, 400, 50_006],
  ['blanks', { content: ' \n' }, 400, 50_006],
  ['2 001 code points', { content: '😀'.repeat(2_001) }, 400, 50_035],
  ['a nonce of 26 characters', { content: 'x', nonce: 'n'.repeat(26) }, 400, 50_035],
  ['a content that is no text', { content: 1 }, 400, 50_035],
  ['an answer to a message that is gone', { content: 'x', message_reference: { message_id: '1' } }, 400, 50_035],
  ['what is no form', [], 400, 50_035],
]
it.each(refused)('refuses %s', async (_why, body, status, code) => {
  await using bench = await openBench()
  const path = await hello(bench)
  expect(await bench.call('POST', path, body)).toMatchObject({ status, body: { code } })
  expect(await shown(bench)).toEqual([])
})

it('counts code points, and answers a message or, where that does not matter, nothing', async () => {
  await using bench = await openBench()
  const { chatId, messageId } = await bench.control.say({ from: ann, text: 'hello' })
  const path = `/channels/${chatId}/messages`
  expect(await bench.call('POST', path, { content: '😀'.repeat(2_000) })).toMatchObject({ status: 200 })
  const handleRequest = await bench.call('POST', path, { content: 'x', message_reference: { message_id: messageId } })
  expect(handleRequest.body).toMatchObject({ type: 19, referenced_message: { content: 'hello' } })
  const reference = { message_id: '1', fail_if_not_exists: false }
  expect((await bench.call('POST', path, { content: 'y', message_reference: reference })).body).toMatchObject({
    type: 0,
  })
  expect((await bench.control.sent()).map(({ replyTo }) => replyTo)).toEqual([null, messageId, null])
})

it('remembers an enforced nonce for a while', async () => {
  const clock = manualClock()
  await using bench = await openBench({ clock, nonceMs: 1_000 })
  const path = await hello(bench)
  const send = async (text: string) => bench.call('POST', path, { content: text, nonce: 'n', enforce_nonce: true })
  const first = await send('one')
  expect((await send('two')).body).toEqual(first.body)
  // the history does not tell it
  expect((await bench.call('GET', `${path}/${String(first.body['id'])}`)).body).not.toHaveProperty('nonce')
  await clock.advance(1_000)
  expect((await send('three')).body['id']).not.toBe(first.body['id'])
  expect(await shown(bench)).toEqual(['one', 'three'])
})

const unknown: readonly [method: string, path: string, code: number][] = [
  ['POST', '/channels/1/messages', 10_003],
  ['POST', '/channels/1/typing', 10_003],
  ['GET', '/channels/1', 10_003],
  ['GET', '/users/1', 10_013],
  ['POST', '/users/@me/channels', 10_013],
  ['GET', '/nothing', 0],
]
it.each(unknown)('%s %s is answered with %i', async (method, path, code) => {
  await using bench = await openBench()
  const body = method === 'POST' ? { content: 'x', recipient_id: '1' } : undefined
  expect(await bench.call(method, path, body)).toMatchObject({ status: 404, body: { code } })
})

it('lets the bot edit and delete its own messages only', async () => {
  await using bench = await openBench()
  const { chatId, messageId } = await bench.control.say({ from: ann, text: 'hello' })
  const path = `/channels/${chatId}/messages`
  expect(await bench.call('PATCH', `${path}/${messageId}`, { content: 'x' })).toMatchObject({
    status: 403,
    body: { code: 50_005 },
  })
  expect(await bench.call('DELETE', `${path}/${messageId}`)).toMatchObject({ status: 403, body: { code: 50_003 } })
  expect(await bench.call('PATCH', `${path}/1`, { content: 'x' })).toMatchObject({
    status: 404,
    body: { code: 10_008 },
  })
  const own = await bench.call('POST', path, { content: 'x' })
  const deleted = await bench.call('DELETE', `${path}/${String(own.body['id'])}`)
  expect([deleted.status, deleted.headers.get('content-type')]).toEqual([204, null])
  expect((await bench.control.conversation({ chatId })).map(({ text }) => text)).toEqual(['hello'])
})

it('gives pages of history, newest first, those next to the id that is named', async () => {
  await using bench = await openBench()
  const said: string[] = []
  let chatId = ''
  for (const text of ['a', 'b', 'c', 'd', 'e']) {
    const one = await bench.control.say({ from: ann, text })
    said.push(one.messageId)
    chatId = one.chatId
  }
  const page = async (query: string): Promise<string> => {
    const { body } = await bench.call('GET', `/channels/${chatId}/messages?${query}`)
    return Object.values(body as Record<string, { content: string }>) // as the platform answers
      .map(({ content }) => content)
      .join('')
  }
  expect(await page('')).toBe('edcba')
  expect(await page('limit=2')).toBe('ed')
  expect(await page(`after=${said[0]}&limit=2`)).toBe('cb')
  expect(await page(`before=${said[4]}&limit=2`)).toBe('dc')
  expect(await page(`around=${said[2]}&limit=3`)).toBe('dcb')
  expect(await page('after=0')).toBe('edcba')
  for (const query of ['limit=0', 'limit=101', 'after=x']) {
    const handleRequest = await bench.call('GET', `/channels/${chatId}/messages?${query}`)
    expect(handleRequest).toMatchObject({ status: 400, body: { code: 50_035 } })
  }
})

it('empties the history of guilds too for an application that may not read it', async () => {
  await using bench = await openBench({ messageContent: false })
  const { chatId } = await bench.control.say({ from: ann, group: team, text: 'secret' })
  await bench.control.say({ from: ann, group: team, text: 'open', mention: true })
  expect((await bench.call('GET', `/channels/${chatId}/messages`)).body).toMatchObject({
    0: { content: `<@${DISCORD_BOT.id}> open` },
    1: { content: '' },
  })
})

it('signs the address of a file, which ends to be valid, and signs it again for who reads the message again', async () => {
  const clock = manualClock()
  await using bench = await openBench({ clock, attachmentLifeMs: 60_000 })
  const file = { kind: 'voice', base64: btoa('voice'), announcedBytes: 99 } as const
  const { chatId, messageId } = await bench.control.say({ from: ann, file })
  const read = async (): Promise<Readonly<Record<string, unknown>>> => {
    const { body } = await bench.call('GET', `/channels/${chatId}/messages/${messageId}`)
    expect(body['flags']).toBe(1 << 13)
    return (body['attachments'] as Record<string, unknown>[])[0] ?? {} // just said
  }
  const attachment = await read()
  expect(attachment).toMatchObject({
    filename: 'voice-message.ogg',
    content_type: 'audio/ogg',
    size: 99,
    duration_secs: 1,
  })
  const url = String(attachment['url'])
  expect(await (await fetch(url)).text()).toBe('voice')
  expect((await fetch(url.replace('hm=', 'hm=0'))).status).toBe(404)
  await bench.control.injectFault({ kind: 'attachment_expired' })
  expect((await fetch(url)).status).toBe(404)
  await clock.advance(60_000)
  expect((await fetch(url)).status).toBe(404)
  expect((await fetch(String((await read())['url']))).status).toBe(200)
})

it('refuses a file of more than 10 MiB', async () => {
  await using bench = await openBench()
  const path = await hello(bench)
  const form = new FormData()
  form.set('payload_json', JSON.stringify({ content: 'see' }))
  form.set('files[0]', new Blob([new Uint8Array(10 * 1024 * 1024 + 1)]), 'big.bin')
  const headers = { authorization: `Bot ${DISCORD_BOT.token}`, 'user-agent': agent }
  const response = await fetch(`${bench.apiUrl}/v10${path}`, { method: 'POST', headers, body: form })
  expect([response.status, await response.json()]).toEqual([413, { message: 'Request entity too large', code: 40_005 }])
  expect(await shown(bench)).toEqual([])
})

it('shows typing for ten seconds, or until the message comes', async () => {
  const clock = manualClock()
  await using bench = await openBench({ clock })
  const path = await hello(bench)
  const type = () => bench.call('POST', path.replace('messages', 'typing'))
  const typed = await type()
  expect([typed.status, typed.headers.get('content-type')]).toEqual([204, null])
  expect(await bench.control.typing()).toHaveLength(1)
  await bench.call('POST', path, { content: 'x' })
  expect(await bench.control.typing()).toEqual([])
  await type()
  await clock.advance(10_000)
  expect(await bench.control.typing()).toEqual([])
})

it('knows people and groups by the ids that it is told, or by numbers of its own for other words', async () => {
  await using bench = await openBench()
  const first = await bench.control.say({ from: { id: 'ann', name: 'Ann' }, group: { id: 'team' }, text: 'one' })
  const second = await bench.control.say({ from: { id: 'ann' }, group: { id: first.chatId }, text: 'two' })
  expect(second.chatId).toBe(first.chatId)
  const { body } = await bench.call('GET', `/channels/${first.chatId}/messages`)
  expect(body).toMatchObject({ 0: { content: 'two', author: { id: expect.stringMatching(/^\d+$/), username: 'ann' } } })
})
