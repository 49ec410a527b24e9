import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
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
    async callerOf(request: Request) {
      const known = await options.people.callerOf(request)
      return known === null ? null : { ...OWNER, scopes, isByCookie, actor: '7 by agent', kind: 'client' as const }
    },
  }
  const served = await listen(createApp({ ...options, mcp, people }), { host: '127.0.0.1', port: 0 }, options.log)
  url = served.url
  close = async () => {
    await mcp.close()
    await served.close(0)
  }
})
afterEach(async () => {
  await close()
  await server[Symbol.asyncDispose]()
})

async function agent(token = TOKEN): Promise<Client> {
  const client = new Client({ name: 'an agent', version: '1' })
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  })
  await client.connect(transport)
  return client
}

describe('the official client of the Model Context Protocol', () => {
  it('finds the tools, with what they take and whether they change anything', async () => {
    const client = await agent()
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
    const client = await agent()
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
    const client = await agent()
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
    const client = await agent()
    const sent = client.callTool({ name: 'send_message', arguments: { platform: 'telegram', message: 'hi' } })
    await expect(sent).rejects.toThrow(/scope|403|forbidden/i)
    expect(server.channels.calls.filter(([method]) => method === 'send')).toEqual([])
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
  })
})
