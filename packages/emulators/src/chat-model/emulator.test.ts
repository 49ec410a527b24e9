import { afterEach, beforeEach, expect, it } from 'vitest'
import { type ChatModelEmulator, startChatModelEmulator } from './emulator.ts'

let model: ChatModelEmulator
beforeEach(async () => {
  model = await startChatModelEmulator({ apiKey: 'key', model: 'm' })
})
afterEach(() => model.close())

const headers = { authorization: 'Bearer key', 'content-type': 'application/json' }
const ask = (body: unknown): Promise<Response> =>
  fetch(`${model.baseUrl}/chat/completions`, { method: 'POST', headers, body: JSON.stringify(body) })
const messages = [{ role: 'user', content: [{ type: 'text', text: 'hello there' }] }]

it('answers whole', async () => {
  const response = await ask({ model: 'm', messages })
  expect(await response.json()).toMatchObject({
    object: 'chat.completion',
    choices: [{ message: { role: 'assistant', content: 'You said: hello there' }, finish_reason: 'stop' }],
  })
})

it('answers in pieces', async () => {
  const response = await ask({ model: 'm', messages, stream: true })
  expect(response.headers.get('content-type')).toContain('text/event-stream')
  const events = (await response.text()).trimEnd().split('\n\n')
  expect(events.at(-1)).toBe('data: [DONE]')
  const deltas = events.slice(0, -1).map((event): unknown => JSON.parse(event.slice('data: '.length)))
  expect(deltas).toMatchObject([
    { object: 'chat.completion.chunk', choices: [{ delta: { role: 'assistant' }, finish_reason: null }] },
    { choices: [{ delta: { content: 'You ' } }] },
    { choices: [{ delta: { content: 'said: ' } }] },
    { choices: [{ delta: { content: 'hello ' } }] },
    { choices: [{ delta: { content: 'there' } }] },
    { choices: [{ delta: {}, finish_reason: 'stop' }] },
  ])
})

it('lists its model, and refuses what it does not know', async () => {
  const { origin } = new URL(model.baseUrl)
  const getStatus = async (path: string, init: RequestInit): Promise<number> =>
    (await fetch(origin + path, init)).status
  expect(await (await fetch(`${model.baseUrl}/models`, { headers })).json()).toMatchObject({ data: [{ id: 'm' }] })
  expect(await getStatus('/v1/models', {})).toBe(401)
  expect(await getStatus('/v1/other', { headers })).toBe(404)
  expect((await ask({ model: 'other', messages })).status).toBe(404)
  expect((await ask({ model: 'm', messages: [] })).status).toBe(400)
})

it('fails as told, in order, and then answers', async () => {
  model.fail({ type: 'status', status: 429, headers: { 'retry-after': '3' } })
  model.fail({ type: 'refuse' })
  const busy = await ask({ model: 'm', messages })
  expect([busy.status, busy.headers.get('retry-after')]).toEqual([429, '3'])
  await expect(ask({ model: 'm', messages })).rejects.toThrow('fetch failed')
  expect((await ask({ model: 'm', messages })).status).toBe(200)
  expect(model.requests).toHaveLength(3)
})
