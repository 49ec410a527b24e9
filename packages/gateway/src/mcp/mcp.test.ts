import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { request } from 'node:http'
import { ChannelError, type Scope } from '@gatepost/channels'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { OWNER } from '../accounts/caller.ts'
import { createApp } from '../server/app.ts'
import { listen } from '../server/listen.ts'
import { type TestServer, TOKEN, testServer } from '../testing/test-server.ts'
import { createMcp } from './mcp.ts'

let server: TestServer
let url: string
let close: () => Promise<void>
let scopes: ReadonlySet<Scope>
let isByCookie: boolean
beforeEach(async () => {
  server = await testServer()
  scopes = new Set<Scope>(['channels:read', 'channels:send'])
  isByCookie = false
  const { options } = server
  const mcp = createMcp({ channels: server.channels, audit: options.audit, log: options.log })
  const people = {
    ...options.people,
    async findCaller(request: Request) {
      const known = await options.people.findCaller(request)
      return known === null ? null : { ...OWNER, scopes, isByCookie, actor: '7 by agent', kind: 'client' as const }
    },
  }
  const served = await listen(createApp({ ...options, mcp, people }), { host: '127.0.0.1', port: 0 }, options.log)
  url = served.url
  close = () => served.close(0)
})
afterEach(async () => {
  await close()
  await server[Symbol.asyncDispose]()
})

const CURRENT = { versionNegotiation: { mode: 'auto' } } as const

/** @param options By default the protocol of 2025. */
async function agent(options: ConstructorParameters<typeof Client>[1] = {}): Promise<Client> {
  const client = new Client({ name: 'an agent', version: '1' }, options)
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${TOKEN}` } },
  })
  await client.connect(transport)
  return client
}

describe.each([
  ['2025', {}],
  ['today', CURRENT],
] as const)('the official client of the Model Context Protocol of %s', (era, options) => {
  it('finds the tools, with what they take and whether they change anything', async () => {
    const client = await agent(options)
    expect(client.getNegotiatedProtocolVersion()?.startsWith('2025')).toBe(era === '2025')
    expect(client.getServerCapabilities()?.tools?.listChanged).not.toBe(true)
    expect(client.getServerVersion()).toMatchObject({ name: 'gatepost', title: 'Gatepost' })
    const { tools } = await client.listTools()
    expect(tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint])).toEqual([
      ['list_channels', true],
      ['list_users', true],
      ['send_message', false],
      ['channel_doctor', true],
    ])
    expect(tools.find(({ name }) => name === 'send_message')?.inputSchema).toMatchObject({
      type: 'object',
      required: ['platform', 'message'],
      properties: { platform: { enum: ['feishu', 'wecom', 'weixin', 'discord', 'telegram', 'dingtalk'] } },
    })
    await client.close()
  })

  it('lists channels and people, sends and checks', async () => {
    const client = await agent(options)
    const call = async (name: string, args: Record<string, unknown> = {}): Promise<unknown> =>
      (await client.callTool({ name, arguments: args })).structuredContent
    expect(await call('list_channels')).toMatchObject({
      channels: expect.arrayContaining([{ platform: 'telegram', enabled: true, running: true, has_config: true }]),
    })
    expect(await call('list_users', { platform: 'telegram' })).toMatchObject({ users: [{ user_id: '7', name: 'Ada' }] })
    expect(await call('send_message', { platform: 'telegram', message: 'hi', user_id: '7' })).toEqual({
      delivery_id: 'd/1.0',
    })
    expect(server.channels.calls.at(-1)).toEqual(['send', { accountId: 'owner' }, 'telegram', 'hi', '7'])
    expect(await call('channel_doctor', { platform: 'telegram' })).toMatchObject({ checks: [{ status: 'pass' }] })
    expect(server.audited).toMatchObject([
      { action: 'mcp_send_message', actor: '7 by agent', actorKind: 'client', accountId: 'owner', outcome: 'ok' },
    ])
    await client.close()
  })

  it('is told in words what a platform refuses, and what it gave wrong', async () => {
    const client = await agent(options)
    server.channels.failWith(new ChannelError('no_known_users'))
    const refused = await client.callTool({ name: 'send_message', arguments: { platform: 'telegram', message: 'hi' } })
    expect(refused).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('(no_known_users)') }] })
    server.channels.failWith(new Error('a made-up secret'))
    const failed = await client.callTool({ name: 'list_channels', arguments: {} })
    expect(failed).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('internal_error') }] })
    expect(JSON.stringify(failed)).not.toContain('secret')
    const wrong = await client.callTool({ name: 'list_users', arguments: { platform: 'icq' } })
    expect(wrong.isError).toBe(true)
    expect(server.audited).toMatchObject([{ outcome: 'refused', code: 'no_known_users' }])
    await client.close()
  })

  it('may do no more than its scopes', async () => {
    scopes = new Set<Scope>(['channels:read'])
    const client = await agent(options)
    const sent = client.callTool({ name: 'send_message', arguments: { platform: 'telegram', message: 'hi' } })
    await expect(sent).rejects.toThrow(/scope|403|forbidden/i)
    expect(server.channels.calls.filter(([method]) => method === 'send')).toEqual([])
    expect(server.audited).toMatchObject([
      { action: 'mcp_send_message', actor: '7 by agent', outcome: 'refused', code: 'scope_missing' },
    ])
    await client.close()
  })
})

describe('/mcp', () => {
  it.each([
    ['nobody', {}, ''],
    ['a wrong token', { authorization: 'Bearer made-up' }, ', error="invalid_token"'],
  ])('tells %s where to get a token', async (_who, headers, error) => {
    const answer = await fetch(`${url}/mcp`, { method: 'POST', headers, body: '{}' })
    expect(answer.status).toBe(401)
    const metadata = `${url}/.well-known/oauth-protected-resource/mcp`
    expect(answer.headers.get('www-authenticate')).toBe(
      `Bearer realm="gatepost"${error}, resource_metadata="${metadata}", scope="channels:read channels:send"`,
    )
    expect(await (await fetch(metadata)).json()).toEqual({
      resource: `${url}/mcp`,
      resource_name: 'Gatepost',
      authorization_servers: [url],
      scopes_supported: ['channels:read', 'channels:send'],
      bearer_methods_supported: ['header'],
    })
  })

  it('does not take the session of a browser', async () => {
    isByCookie = true
    const headers = { authorization: `Bearer ${TOKEN}` }
    expect((await fetch(`${url}/mcp`, { method: 'POST', headers, body: '{}' })).status).toBe(401)
  })

  it('bears what no agent sends', async () => {
    const headers = {
      authorization: `Bearer ${TOKEN}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    }
    for (const [body, status] of [
      ['{', 400],
      ['[]', 400],
      ['{"jsonrpc":"2.0","id":1,"method":"nothing"}', 200],
      [`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"x":"${'x'.repeat(1_100_000)}"}}`, 413],
    ] as const) {
      const answer = await fetch(`${url}/mcp`, { method: 'POST', headers, body })
      expect([body.slice(0, 30), answer.status]).toEqual([body.slice(0, 30), status])
      await answer.text()
    }
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
    const batch = JSON.stringify(Array.from({ length: 101 }, () => call))
    expect((await fetch(`${url}/mcp`, { method: 'POST', headers, body: batch })).status).toBe(400)
    const endless = new ReadableStream<Uint8Array>({ pull: (to) => to.enqueue(new Uint8Array(65_536).fill(32)) })
    const long = await fetch(`${url}/mcp`, { method: 'POST', headers, body: endless, duplex: 'half' })
    expect(long.status).toBe(413)
    const form = { ...headers, 'content-type': 'application/x-www-form-urlencoded' }
    expect((await fetch(`${url}/mcp`, { method: 'POST', headers: form, body: 'a=b' })).status).toBe(415)
    for (const method of ['GET', 'DELETE']) expect((await fetch(`${url}/mcp`, { method, headers })).status).toBe(405)
    expect(server.lines.filter(({ level }) => level === 'error')).toEqual([])
  })

  it('keeps nobody waiting for what never changes', async () => {
    const headers = {
      authorization: `Bearer ${TOKEN}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'subscriptions/listen',
    }
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'an agent', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const params = { _meta, notifications: { toolsListChanged: true } }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params })
    const answer = await fetch(`${url}/mcp`, { method: 'POST', headers, body })
    expect(await answer.text()).toContain('Subscription limit reached')
  })

  it('is no place for pages of others, nor for other names of this machine', async () => {
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }
    const asked = async (more: Record<string, string>): Promise<number> =>
      (await fetch(`${url}/mcp`, { method: 'POST', headers: { ...headers, ...more }, body: '{}' })).status
    expect(await asked({ origin: 'https://other.example.org' })).toBe(403)
    expect(await asked({ origin: 'null' })).toBe(403)
    const { port } = new URL(url)
    const rebound = await new Promise<number>((resolve, reject) => {
      const host = `rebound.example.org:${port}`
      const sent = request({ host: '127.0.0.1', port, path: '/mcp', method: 'POST', headers: { ...headers, host } })
      sent.on('response', (answer) => resolve(answer.resume().statusCode ?? 0)).on('error', reject)
      sent.end('{}')
    })
    expect(rebound).toBe(421)
  })

  it('goes on when agents leave in the middle of a call', async () => {
    const leaving = new AbortController()
    const headers = {
      authorization: `Bearer ${TOKEN}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    }
    const params = { name: 'channel_doctor', arguments: { platform: 'telegram' } }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
    const ended = Promise.withResolvers<void>()
    server.channels.diagnose = (_principal, _platform, signal) => {
      leaving.abort()
      return new Promise((_resolve, reject) => {
        const end = (): void => {
          ended.resolve()
          reject(new Error('the agent is gone'))
        }
        if (signal.aborted) end()
        else signal.addEventListener('abort', end)
      })
    }
    await expect(fetch(`${url}/mcp`, { method: 'POST', headers, body, signal: leaving.signal })).rejects.toMatchObject({
      name: 'AbortError',
    })
    await ended.promise
    const client = await agent()
    expect((await client.listTools()).tools).toHaveLength(4)
    await client.close()
  })
})
