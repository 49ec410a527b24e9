import { createServer } from 'node:http'
import { DiscordAPIError, HTTPError, RateLimitError, type REST } from '@discordjs/rest'
import { expect, it } from 'vitest'
import { type Bench, createRest, openBench } from './library-client.ts'

/** What `@discordjs/rest` does, unmodified: an update of it that changes this is noticed. */

const hello = async ({ control }: Bench): Promise<string> =>
  (await control.say({ from: { id: '7', name: 'Ann' }, text: 'hello' })).chatId
const post = (rest: REST, chatId: string, content: string, more: object = {}): Promise<unknown> =>
  rest.post(`/channels/${chatId}/messages`, { body: { content, ...more } })
const statuses = async ({ control }: Bench): Promise<readonly number[]> =>
  (await control.requests({ method: 'messages.create' })).map(({ status }) => status)
const shown = async ({ control }: Bench): Promise<readonly string[]> => (await control.sent()).map(({ text }) => text)

it.each(['user', 'global', 'shared'] as const)('waits and repeats on a 429 of scope %s', async (scope) => {
  await using bench = await openBench()
  const chatId = await hello(bench)
  await bench.control.injectFault({ kind: 'rate_limited', method: 'messages.create', retryAfter: 0.01, scope })
  await post(bench.rest, chatId, 'hi')
  expect(await statuses(bench)).toEqual([429, 200])
  expect(await shown(bench)).toEqual(['hi'])
})

it('keeps to the limit that the headers tell, and never meets a 429', async () => {
  await using bench = await openBench({ messageRate: { limit: 2, perMs: 100 } })
  const chatId = await hello(bench)
  await Promise.all(['1', '2', '3', '4', '5'].map((text) => post(bench.rest, chatId, text)))
  expect(await statuses(bench)).toEqual([200, 200, 200, 200, 200])
  expect(await shown(bench)).toEqual(['1', '2', '3', '4', '5'])
})

it('fails at once instead of waiting when told to', async () => {
  await using bench = await openBench({}, { rejectOnRateLimit: ['/channels'] })
  const chatId = await hello(bench)
  await bench.control.injectFault({ kind: 'rate_limited', method: 'messages.create', retryAfter: 60 })
  const error = await post(bench.rest, chatId, 'hi').catch((caught: unknown) => caught)
  expect(error).toBeInstanceOf(RateLimitError)
  expect(error).toMatchObject({ scope: 'user', global: false })
  expect(await statuses(bench)).toEqual([429])
})

it('repeats a POST three times on 5xx', async () => {
  await using bench = await openBench()
  const chatId = await hello(bench)
  await bench.control.injectFault({ kind: 'bad_gateway', method: 'messages.create', times: 4 })
  await expect(post(bench.rest, chatId, 'hi')).rejects.toBeInstanceOf(HTTPError)
  expect(await statuses(bench)).toEqual([502, 502, 502, 502])
})

const nonces: readonly [why: string, body: object, count: number][] = [
  ['again without a nonce', {}, 2],
  ['again with a nonce that is not enforced', { nonce: 'n1' }, 2],
  ['once with a nonce that is enforced', { nonce: 'n1', enforce_nonce: true }, 1],
]
it.each(nonces)('repeats a POST that timed out, which shows %s', async (_why, body, count) => {
  await using bench = await openBench({}, { timeout: 150 })
  const chatId = await hello(bench)
  await bench.control.injectFault({ kind: 'slow', ms: 600_000, method: 'messages.create' })
  const sent = await post(bench.rest, chatId, 'hi', body)
  const messages = await bench.control.sent()
  expect(messages.map(({ text }) => text)).toEqual(Array(count).fill('hi'))
  expect(sent).toMatchObject({ id: messages.at(-1)?.messageId })
})

it('forgets its token after a 401, and throws without asking from then on', async () => {
  await using bench = await openBench()
  await bench.control.injectFault({ kind: 'unauthorized' })
  const error = await bench.rest.get('/users/@me').catch((caught: unknown) => caught)
  expect(error).toBeInstanceOf(DiscordAPIError)
  expect(error).toMatchObject({ status: 401, code: 0, rawError: { message: '401: Unauthorized' } })
  await expect(bench.rest.get('/users/@me')).rejects.toThrow('Expected token to be set')
  expect(await bench.control.requests({ method: 'users.me' })).toHaveLength(1)
})

it('takes a 204 without a content type, and fails on one that names JSON', async () => {
  await using bench = await openBench()
  const chatId = await hello(bench)
  await expect(bench.rest.post(`/channels/${chatId}/typing`)).resolves.toBeDefined()
  const other = createServer((_request, response) => {
    response.writeHead(204, { 'content-type': 'application/json' }).end()
  })
  const port = await new Promise<number>((resolve) => {
    other.listen(0, '127.0.0.1', () => {
      const address = other.address()
      resolve(typeof address === 'object' && address !== null ? address.port : 0)
    })
  })
  const failing = createRest(`http://127.0.0.1:${port}/api`).post('/channels/1/typing')
  await expect(failing).rejects.toBeInstanceOf(SyntaxError)
  other.closeAllConnections()
  await new Promise((resolve) => other.close(resolve))
})

it("gives the platform's code and message of an error", async () => {
  await using bench = await openBench()
  const chatId = await hello(bench)
  const fault = { kind: 'error', status: 403, code: 50_013, message: 'Missing Permissions' } as const
  await bench.control.injectFault({ ...fault, method: 'messages.create', chatId })
  await expect(post(bench.rest, chatId, 'hi')).rejects.toMatchObject({ status: 403, code: 50_013 })
  await expect(post(bench.rest, chatId, 'x'.repeat(2_001))).rejects.toThrow('content[BASE_TYPE_MAX_LENGTH]')
  expect(await shown(bench)).toEqual([])
})

it('uploads files, edits, deletes, reacts, opens private channels and threads', async () => {
  await using bench = await openBench()
  const guild = await bench.control.say({ from: { id: '7' }, group: { id: '300', title: 'Team' }, text: 'hello' })
  const path = `/channels/${guild.chatId}/messages` as const
  const sent = await bench.rest.post(path, {
    body: { content: 'see', attachments: [{ id: 0, filename: 'Ünï.txt' }] },
    files: [{ data: Buffer.from('content'), name: 'Ünï.txt', contentType: 'text/plain' }],
  })
  const { id, attachments } = sent as { id: string; attachments: { url: string }[] } // as the platform answers
  expect(attachments).toMatchObject([{ filename: 'Ünï.txt', size: 7, content_type: 'text/plain' }])
  expect(await (await fetch(attachments[0]?.url ?? '')).text()).toBe('content')
  await bench.rest.patch(`${path}/${id}`, { body: { content: 'seen' } })
  expect(await bench.control.sent()).toMatchObject([
    { text: 'seen', edits: 1, files: [{ name: 'Ünï.txt', base64: btoa('content') }] },
  ])
  await bench.rest.put(`${path}/${guild.messageId}/reactions/${encodeURIComponent('👍')}/@me`)
  const channel = await bench.rest.post('/users/@me/channels', { body: { recipient_id: '7' } })
  expect(channel).toMatchObject({ type: 1, recipients: [{ id: '7' }] })
  expect(await bench.rest.post('/users/@me/channels', { body: { recipient_id: '7' } })).toEqual(channel)
  const thread = await bench.rest.post(`${path}/${guild.messageId}/threads`, { body: { name: 'Topic' } })
  expect(thread).toMatchObject({ type: 11, parent_id: guild.chatId, name: 'Topic' })
  await bench.rest.delete(`${path}/${id}`)
  expect(await shown(bench)).toEqual([])
})
