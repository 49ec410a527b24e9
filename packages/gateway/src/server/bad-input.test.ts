import { type TestServer, TOKEN, testServer } from '../testing/test-server.ts'
import { readJson } from './request-body.ts'
import { ChannelError } from '@gatepost/channels'
import { SqlError } from '@gatepost/sql'
import { request } from 'node:http'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const matching = (pattern: RegExp): unknown => expect.stringMatching(pattern)
const sentence: unknown = expect.any(String)

let server: TestServer
beforeAll(async () => {
  server = await testServer()
})
afterAll(() => server[Symbol.asyncDispose]())

interface Raw {
  readonly method?: string
  readonly path: string
  readonly headers?: Record<string, string | undefined>
  readonly body?: string | Uint8Array | readonly string[]
}

/** Without what `fetch` adds or forbids: hosts, chunks and missing headers as they are given. */
function raw({ method = 'GET', path, headers = {}, body }: Raw): Promise<{
  status: number
  headers: Readonly<Record<string, string | string[] | undefined>>
  text: string
}> {
  const { promise, resolve, reject } = Promise.withResolvers<Awaited<ReturnType<typeof raw>>>()
  const sent = { authorization: `Bearer ${TOKEN}`, ...headers }
  const given = Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== undefined))
  const req = request(server.url + path, { method, headers: given }, (answer) => {
    let text = ''
    answer.setEncoding('utf8')
    answer.on('data', (chunk: string) => (text += chunk))
    answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }))
  })
  req.on('error', reject)
  if (Array.isArray(body)) for (const chunk of body) req.write(chunk)
  req.end(typeof body === 'string' || body instanceof Uint8Array ? body : undefined)
  return promise
}

const json = { 'content-type': 'application/json' }
const send = '/api/channels/telegram/send'
const large = JSON.stringify({ message: 'x'.repeat(1024 * 1024) })
const post = (path: string, body: unknown): Raw => ({ method: 'POST', path, headers: json, body: JSON.stringify(body) })

const refused: readonly [why: string, request: Raw, status: number, code: string, names?: string][] = [
  ['an unknown platform', { path: '/api/channels/fax' }, 404, 'unknown_platform'],
  ['an unknown platform on save', post('/api/channels/fax', { enabled: true }), 404, 'unknown_platform'],
  ['a platform named like a member of objects', { path: '/api/channels/__proto__' }, 404, 'unknown_platform'],
  ['malformed JSON', { ...post(send, {}), body: '{"message":' }, 400, 'malformed_json'],
  ['an empty body', { ...post(send, {}), body: '' }, 400, 'malformed_json'],
  [
    'a body that is no UTF-8',
    { ...post(send, {}), body: Buffer.from('{"message":"\xff"}', 'latin1') },
    400,
    'malformed_json',
  ],
  [
    'a wrong content type',
    { ...post(send, {}), headers: { 'content-type': 'text/plain' } },
    415,
    'unsupported_media_type',
  ],
  ['no content type', { ...post(send, {}), headers: {} }, 415, 'unsupported_media_type'],
  [
    'a form',
    { ...post(send, {}), headers: { 'content-type': 'application/x-www-form-urlencoded' } },
    415,
    'unsupported_media_type',
  ],
  [
    'a character set that is not UTF-8',
    { ...post(send, {}), headers: { 'content-type': 'application/json; charset=utf-16' } },
    415,
    'unsupported_media_type',
  ],
  [
    'a packed body',
    { ...post(send, {}), headers: { ...json, 'content-encoding': 'gzip' } },
    415,
    'unsupported_media_type',
  ],
  ['a body over 1 MiB', { ...post(send, {}), body: large }, 413, 'body_too_large'],
  ['a body over 1 MiB in chunks', { ...post(send, {}), body: [large, large] }, 413, 'body_too_large'],
  [
    'a body that says that it is too large, before any proof',
    {
      ...post(send, {}),
      body: large,
      headers: { ...json, authorization: undefined, 'content-length': String(large.length) },
    },
    413,
    'body_too_large',
  ],
  ['an unknown field', post(send, { message: 'hi', colour: 'red' }), 422, 'invalid_body', 'colour'],
  ['a missing field', post(send, { user_id: '7' }), 422, 'invalid_body', 'message'],
  ['an empty message', post(send, { message: '' }), 422, 'invalid_body', 'message'],
  ['a message over the limit', post(send, { message: 'x'.repeat(100_001) }), 422, 'invalid_body', 'message'],
  ['a field of another type', post(send, { message: 'hi', user_id: 7 }), 422, 'invalid_body', 'user_id'],
  ['a list', post(send, ['hi']), 422, 'invalid_body', 'object'],
  ['null', post(send, null), 422, 'invalid_body', 'object'],
  ['a list of credentials', post('/api/channels/telegram', []), 422, 'invalid_body', 'object'],
  ['a page of no size', { path: '/api/channels/telegram/messages?limit=0' }, 422, 'invalid_query', 'limit'],
  ['a page that is too large', { path: '/api/channels/telegram/messages?limit=201' }, 422, 'invalid_query', 'limit'],
  [
    'a page size that is no number',
    { path: '/api/channels/telegram/messages?limit=all' },
    422,
    'invalid_query',
    'limit',
  ],
  ['a repeated name', { path: '/api/channels/telegram/messages?limit=1&limit=2' }, 422, 'invalid_query', 'limit'],
  ['an unknown name', { path: '/api/channels/telegram/messages?page=1' }, 422, 'invalid_query', 'page'],
  ['a name where none is known', { path: '/api/channels?all=1' }, 422, 'invalid_query', 'all'],
  ['dead that is neither', { path: '/api/channels/telegram/deliveries?dead=1' }, 422, 'invalid_query', 'dead'],
  ['nothing to look for', { path: '/api/conversations?q=' }, 422, 'invalid_query', 'q'],
  ['too much to look for', { path: `/api/conversations?q=${'x'.repeat(201)}` }, 422, 'invalid_query', 'q'],
  ['a state of something else', { path: '/api/conversations?state=delivered' }, 422, 'invalid_query', 'state'],
  ['a platform that is none', { path: '/api/deliveries?platform=fax' }, 422, 'invalid_query', 'platform'],
  ['a time that is none', { path: '/api/analytics?from=yesterday' }, 422, 'invalid_query', 'from'],
  ['a time beyond all', { path: '/api/analytics?to=1e300' }, 422, 'invalid_query', 'to'],
  ['no bearer', { path: '/api/channels', headers: { authorization: undefined } }, 401, 'unauthorized'],
  ['a wrong bearer', { path: '/api/channels', headers: { authorization: `Bearer ${TOKEN}x` } }, 401, 'unauthorized'],
  ['another scheme', { path: '/api/channels', headers: { authorization: `Basic ${TOKEN}` } }, 401, 'unauthorized'],
  ['an empty bearer', { path: '/api/channels', headers: { authorization: 'Bearer ' } }, 401, 'unauthorized'],
  ['an address of nothing', { path: '/api/nothing' }, 404, 'not_found'],
  ['a trailing slash', { path: '/api/channels/' }, 404, 'not_found'],
  ['a method that is not taken', { method: 'PUT', path: '/api/channels/telegram' }, 405, 'method_not_allowed'],
  ['a method nobody knows', { method: 'PROPFIND', path: '/api/channels' }, 405, 'method_not_allowed'],
  ['a foreign host', { path: '/api/channels', headers: { host: 'evil.example' } }, 421, 'unknown_host'],
  ['a foreign host of a page', { path: '/', headers: { host: 'evil.example:7070' } }, 421, 'unknown_host'],
  [
    'a foreign origin',
    { ...post(send, {}), headers: { ...json, origin: 'https://evil.example' } },
    403,
    'foreign_origin',
  ],
  ['an origin without a name', { ...post(send, {}), headers: { ...json, origin: 'null' } }, 403, 'foreign_origin'],
  [
    'a request across sites',
    { method: 'DELETE', path: '/api/channels/telegram', headers: { 'sec-fetch-site': 'cross-site' } },
    403,
    'foreign_origin',
  ],
  [
    'an unknown delivery',
    { method: 'POST', path: '/api/channels/telegram/deliveries/x/resend' },
    404,
    'unknown_delivery',
  ],
]

describe('bad input', () => {
  it.each(refused)('%s is refused', async (_why, request, status, code, names) => {
    const answer = await raw(request)
    expect({ status: answer.status, ...JSON.parse(answer.text) }).toEqual({
      status,
      ok: false,
      code,
      error: sentence,
    })
    if (names !== undefined) expect(answer.text).toContain(names)
    expect(answer.headers['x-content-type-options']).toBe('nosniff')
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
  })

  it('reaches the service with none of it', () => {
    const changing = server.channels.calls.filter(([method]) => ['send', 'save', 'disable', 'test'].includes(method))
    expect(changing).toEqual([])
  })

  it('says which methods an address takes', async () => {
    const { headers } = await raw({ method: 'PATCH', path: '/api/channels/telegram' })
    expect(headers['allow']).toBe('DELETE, GET, HEAD, POST')
  })

  it('names the scheme of the proof that is missing', async () => {
    const none = await raw({ path: '/api/channels', headers: { authorization: undefined } })
    expect(none.headers['www-authenticate']).toBe('Bearer realm="gatepost"')
    const wrong = await raw({ path: '/api/channels', headers: { authorization: 'Bearer nonsense' } })
    expect(wrong.headers['www-authenticate']).toBe('Bearer realm="gatepost", error="invalid_token"')
  })

  it('answers what is no HTTP in the same shape', async () => {
    const answer = await raw({ path: '/healthz', headers: { host: 'a b' } })
    expect(JSON.parse(answer.text)).toMatchObject({
      ok: false,
      code: matching(/bad_request|unknown_host/),
    })
  })

  it('answers a request without a host in the same shape', async () => {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1').setEncoding('utf8')
    socket.write('GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n')
    const text = (await Array.fromAsync(socket)).join('')
    expect(text).toMatch(/^HTTP\/1\.1 400 /)
    expect(text).toContain('"code":"bad_request"')
  })

  it('blames a body that breaks off on the client', async () => {
    const body = new ReadableStream({ pull: (controller) => controller.error(new Error('aborted')) })
    const headers = { ...json, 'content-length': '100' }
    const cut = new Request(server.url, { method: 'POST', headers, body, duplex: 'half' })
    await expect(readJson(cut, false)).rejects.toMatchObject({ code: 'bad_request', status: 400 })
  })
})

const failures: readonly [error: Error, status: number, body: Readonly<Record<string, unknown>>][] = [
  [
    new ChannelError('no_credentials'),
    404,
    { error: 'This channel has no credentials. Run the setup first.', code: 'no_credentials' },
  ],
  [
    new ChannelError('credentials_invalid', { message: 'It has the wrong form.', details: { field: 'bot_token' } }),
    422,
    { error: 'bot_token: It has the wrong form.', code: 'credentials_invalid' },
  ],
  [
    new SqlError('database_unavailable', { reason: 'SQLITE_FULL' }, { cause: new Error('/data/secret.db is full') }),
    503,
    { error: "The database isn't available at the moment.", code: 'database_unavailable' },
  ],
  [
    Object.assign(new Error('open /root/.gatepost/api-token'), { code: 'ENOENT', status: 200 }),
    500,
    { error: matching(/request-\d+\.$/), code: 'internal_error' },
  ],
  [new SqlError('integer_out_of_range'), 500, { error: matching(/request-\d+\.$/), code: 'internal_error' }],
]

describe('a failing service', () => {
  it.each(failures)('%s', async (error, status, body) => {
    server.channels.failWith(error)
    try {
      const answer = await server.call('POST', '/api/channels/telegram', { enabled: true })
      expect({ status: answer.status, body: await answer.json() }).toEqual({ status, body: { ok: false, ...body } })
    } finally {
      server.channels.failWith(null)
    }
  })

  it('says how long to wait, where the platform has said so', async () => {
    server.channels.failWith(new ChannelError('quota_used_up', { details: { retry_after: 61 } }))
    const answer = await server.call('GET', '/api/channels').finally(() => server.channels.failWith(null))
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '61'])
  })

  it('tells the log what it does not tell the client', async () => {
    server.channels.failWith(new Error('a secret cause'))
    const answer = await server.call('GET', '/api/channels').finally(() => server.channels.failWith(null))
    const id = answer.headers.get('x-request-id')
    expect(await answer.text()).not.toContain('secret')
    const line = server.lines.findLast(({ level }) => level === 'error')
    expect(line?.fields).toMatchObject({ request_id: id, path: '/api/channels', error: { message: 'a secret cause' } })
  })
})
