import { describe, expect, it } from 'vitest'
import { NOW, refusal, startFakeServer, success, type FakeServer } from './testing/fake-server.ts'
import { memoryFiles, runCli } from './testing/test-io.ts'

const FILE = '/data/credentials.json'
const env = { GATEPOST_DATA_DIR: '/data', GATEPOST_TOKEN: '' }
const GRANT = 'urn:ietf:params:oauth:grant-type:device_code'

const tokens = (name: string) => ({
  access_token: `${name}-access`,
  refresh_token: `${name}-refresh`,
  token_type: 'Bearer',
  expires_in: 3600,
  scope: 'openid channels:read',
})
const failure = (status: number, error: string) => ({ status, body: { error } })

/** A server that has our OpenID Connect provider. */
async function provider(): Promise<FakeServer> {
  const server = await startFakeServer()
  const at = (path: string): string => `${server.url}/identity/o/${path}`
  server.answer(
    'GET /.well-known/openid-configuration',
    success({
      issuer: server.url,
      token_endpoint: at('api/token'),
      device_authorization_endpoint: at('api/device/code'),
      revocation_endpoint: at('api/revoke'),
    }),
  )
  server.answer(
    'POST /identity/o/api/device/code',
    success({
      device_code: 'made-up-device-code',
      user_code: 'WDJB-MJHT',
      verification_uri: at('device'),
      verification_uri_complete: `${at('device')}?code=WDJB-MJHT`,
      expires_in: 300,
      interval: 5,
    }),
  )
  server.answer(
    'GET /api/me',
    success({
      account: 'owner',
      kind: 'client',
      scopes: ['channels:read'],
      user: { email: 'ann@example.org', name: 'Ann' },
    }),
  )
  return server
}

const kept = (server: FakeServer, expiresAt: number): Map<string, string> =>
  new Map([
    [
      FILE,
      JSON.stringify({
        version: 1,
        servers: {
          [server.url]: { client_id: 'gatepost-cli', ...tokens('old'), expires_at: expiresAt },
          'https://other.example.org': { client_id: 'gatepost-cli', ...tokens('other'), expires_at: 1 },
        },
      }),
    ],
  ])

const formOf = (body: unknown): Readonly<Record<string, string>> =>
  Object.fromEntries(new URLSearchParams(String(body)))

describe('login', () => {
  it('shows code and page, waits as it is told, and keeps the tokens', async () => {
    await using server = await provider()
    server.answer('POST /identity/o/api/token', (asked) =>
      asked === 0
        ? failure(400, 'authorization_pending')
        : asked === 1
          ? failure(400, 'slow_down')
          : success(tokens('new')),
    )
    const held = new Map<string, string>()
    const run = await runCli(['login'], { url: server.url, env, privateFiles: memoryFiles(held) })
    expect([run.code, run.out]).toEqual([0, `Signed in at ${server.url} as ann@example.org, for channels:read.\n`])
    expect(run.err).toContain('WDJB-MJHT')
    expect(run.err).toContain(`${server.url}/identity/o/device?code=WDJB-MJHT`)
    const asked = server.seen.filter(({ url }) => url.startsWith('/identity/o/')).map(({ body }) => formOf(body))
    expect(asked).toEqual([
      { client_id: 'gatepost-cli', scope: 'openid channels:read channels:write channels:send account' },
      ...[1, 2, 3].map(() => ({ client_id: 'gatepost-cli', grant_type: GRANT, device_code: 'made-up-device-code' })),
    ])
    expect(JSON.parse(held.get(FILE) ?? '')).toEqual({
      version: 1,
      servers: {
        [server.url]: {
          client_id: 'gatepost-cli',
          access_token: 'new-access',
          refresh_token: 'new-refresh',
          expires_at: NOW + (5 + 5 + 10) * 1000 + 3_600_000,
        },
      },
    })
    expect(server.seen.at(-1)).toMatchObject({ url: '/api/me', authorization: 'Bearer new-access' })
    expect(run.out + run.err).not.toMatch(/new-(access|refresh)/)
  })

  it.each([
    ['access_denied', 4],
    ['expired_token', 4],
    ['invalid_client', 4],
  ])('ends when the server says %s', async (code, exit) => {
    await using server = await provider()
    server.answer('POST /identity/o/api/token', failure(400, code))
    const held = new Map<string, string>()
    const run = await runCli(['login', '--json', '--scopes', 'admin'], {
      url: server.url,
      env,
      privateFiles: memoryFiles(held),
    })
    expect([run.code, run.json()]).toMatchObject([exit, { ok: false, code }])
    expect(held.size).toBe(0)
    expect(formOf(server.seen[1]?.body)['scope']).toBe('openid admin')
  })

  it('does not send anything to an address of another origin', async () => {
    await using server = await provider()
    await using elsewhere = await startFakeServer()
    server.answer(
      'GET /.well-known/openid-configuration',
      success({
        issuer: server.url,
        device_authorization_endpoint: `${elsewhere.url}/device`,
        token_endpoint: server.url,
      }),
    )
    const run = await runCli(['login', '--json'], { url: server.url, env })
    expect([run.code, run.json()]).toMatchObject([3, { code: 'unexpected_answer' }])
    expect(elsewhere.seen).toEqual([])
  })

  it('says so where the server has no such thing', async () => {
    await using server = await startFakeServer()
    const run = await runCli(['login'], { url: server.url, env })
    expect([run.code, run.err]).toEqual([3, expect.stringContaining('IDP_OIDC_ENABLED')])
  })
})

describe('what was kept', () => {
  it('is shown to its server as long as it is valid', async () => {
    await using server = await provider()
    server.answer('GET /api/channels', success({ channels: [] }))
    const held = kept(server, NOW + 31_000)
    await runCli(['status', '--json'], { url: server.url, env, privateFiles: memoryFiles(held) })
    expect(server.seen.map(({ url, authorization }) => [url, authorization])).toEqual([
      ['/api/channels', 'Bearer old-access'],
    ])
    const other = await runCli(['status'], {
      url: server.url,
      env: { ...env, GATEPOST_TOKEN: 'given' },
      privateFiles: memoryFiles(held),
    })
    expect([other.code, server.seen.at(-1)?.authorization]).toEqual([0, 'Bearer given'])
  })

  it('is refreshed when it is about to end, and what others keep stays', async () => {
    await using server = await provider()
    server.answer('GET /api/channels', success({ channels: [] }))
    server.answer('POST /identity/o/api/token', success(tokens('new')))
    const held = kept(server, NOW + 29_000)
    await runCli(['status', '--json'], { url: server.url, env, privateFiles: memoryFiles(held) })
    expect(formOf(server.seen[1]?.body)).toEqual({
      client_id: 'gatepost-cli',
      grant_type: 'refresh_token',
      refresh_token: 'old-refresh',
    })
    expect(server.seen.at(-1)?.authorization).toBe('Bearer new-access')
    expect(JSON.parse(held.get(FILE) ?? '')).toMatchObject({
      servers: {
        [server.url]: { refresh_token: 'new-refresh' },
        'https://other.example.org': { refresh_token: 'other-refresh' },
      },
    })
  })

  it('is forgotten when the server does not take it any more', async () => {
    await using server = await provider()
    server.answer('POST /identity/o/api/token', failure(400, 'invalid_grant'))
    const held = kept(server, NOW)
    const run = await runCli(['status'], { url: server.url, env, privateFiles: memoryFiles(held) })
    expect([run.code, run.err]).toEqual([4, expect.stringContaining('gatepost login')])
    expect(held.get(FILE)).not.toContain('old-')
  })

  it('stays when the server cannot be asked', async () => {
    await using server = await provider()
    server.answer('POST /identity/o/api/token', refusal(503, 'database_unavailable', 'Later.'))
    const held = kept(server, NOW)
    const run = await runCli(['status'], { url: server.url, env, privateFiles: memoryFiles(held) })
    expect(run.code).toBe(3)
    expect(held.get(FILE)).toContain('old-refresh')
  })

  it('that is damaged is not overwritten', async () => {
    await using server = await provider()
    for (const text of ['{', '[]', '{"version":2,"servers":{}}', '{"version":1,"servers":{"x":{}}}']) {
      const held = new Map([[FILE, text]])
      const run = await runCli(['status', '--json'], { url: server.url, env, privateFiles: memoryFiles(held) })
      expect([run.code, run.json()]).toMatchObject([2, { code: 'credentials_damaged' }])
      expect(held.get(FILE)).toBe(text)
    }
  })
})

describe('logout', () => {
  it('ends the tokens at the server and here', async () => {
    await using server = await provider()
    server.answer('POST /identity/o/api/revoke', success({}))
    const held = kept(server, NOW)
    const run = await runCli(['logout'], { url: server.url, env, privateFiles: memoryFiles(held) })
    expect([run.code, run.out]).toEqual([0, `Signed out at ${server.url}.\n`])
    expect(formOf(server.seen.at(-1)?.body)).toEqual({ client_id: 'gatepost-cli', token: 'old-refresh' })
    expect(held.get(FILE)).not.toContain('old-')
    expect(held.get(FILE)).toContain('other-refresh')
    const again = await runCli(['logout', '--json'], { url: server.url, env, privateFiles: memoryFiles(held) })
    expect(again.json()).toEqual({ ok: true, signed_out: false })
  })

  it('tells when the server could not be told', async () => {
    await using server = await provider()
    const held = kept(server, NOW)
    const run = await runCli(['logout'], { url: server.url, env, privateFiles: memoryFiles(held) })
    expect([run.code, run.err]).toEqual([1, expect.stringContaining('/accounts/applications/')])
    expect(held.get(FILE)).not.toContain('old-')
  })
})
