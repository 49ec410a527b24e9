import { describe, expect, it } from 'vitest'
import { env, failure, FILE, readForm, provider, tokens } from '../testing/fake-provider.ts'
import { NOW, startFakeServer, success } from '../testing/fake-server.ts'
import { memoryFiles, runCli } from '../testing/test-io.ts'

const GRANT = 'urn:ietf:params:oauth:grant-type:device_code'

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
    expect([run.code, run.out]).toEqual([0, `Signed in to ${server.url} as ann@example.org. Scopes: channels:read.\n`])
    expect(run.err).toContain('Open this page and confirm the code WDJB-MJHT')
    expect(run.err).toContain(`${server.url}/identity/o/device?code=WDJB-MJHT`)
    const asked = server.seen.filter(({ url }) => url.startsWith('/identity/o/')).map(({ body }) => readForm(body))
    expect(asked).toEqual([
      { client_id: 'gatepost-cli', scope: 'channels:read channels:write channels:send account' },
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
    expect(readForm(server.seen[1]?.body)['scope']).toBe('admin')
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

  it('says whom it signed in, whatever else is in the environment', async () => {
    await using server = await provider()
    server.answer('POST /identity/o/api/token', success(tokens('new')))
    const run = await runCli(['login'], { url: server.url, env: { ...env, GATEPOST_TOKEN: 'another' } })
    expect(server.seen.at(-1)).toMatchObject({ url: '/api/me', authorization: 'Bearer new-access' })
    expect([run.code, run.out]).toEqual([0, expect.stringContaining('as ann@example.org')])
    expect(run.err).toContain('GATEPOST_TOKEN')
  })

  it('needs no more than it was asked for', async () => {
    await using server = await provider()
    server.answer('POST /identity/o/api/token', success({ ...tokens('new'), scope: 'admin channels:read' }))
    const run = await runCli(['login', '--scopes', 'admin, channels:read'], { url: server.url, env })
    expect([run.code, run.out]).toEqual([0, `Signed in to ${server.url}. Scopes: admin, channels:read.\n`])
    expect(readForm(server.seen[1]?.body)['scope']).toBe('admin channels:read')
    expect(server.seen.at(-1)?.url).toBe('/identity/o/api/token')
  })

  it('asks again when the server is away for a while', async () => {
    await using server = await provider()
    server.answer('POST /identity/o/api/token', (asked) => {
      if (asked === 0) throw new Error('the connection breaks')
      return success(tokens('new'))
    })
    expect((await runCli(['login'], { url: server.url, env })).code).toBe(0)
  })

  it('asks for the code to be typed if the server gives no link with it', async () => {
    await using server = await provider()
    server.answer(
      'POST /identity/o/api/device/code',
      success({
        device_code: 'made-up-device-code',
        user_code: 'WDJB-MJHT',
        verification_uri: `${server.url}/identity/o/device`,
        expires_in: 300,
      }),
    )
    server.answer('POST /identity/o/api/token', success(tokens('new')))
    const run = await runCli(['login'], { url: server.url, env })
    expect(run.err).toContain('Open this page and enter the code WDJB-MJHT')
    expect(run.err).toContain(`${server.url}/identity/o/device\n`)
  })

  it('is not led astray by what the server says', async () => {
    await using server = await provider()
    const device = {
      device_code: 'made-up-device-code',
      user_code: '\u001b]0;gone\u0007WDJB',
      verification_uri: `${server.url}/identity/o/device`,
      expires_in: 1e300,
      interval: 1e300,
    }
    server.answer('POST /identity/o/api/device/code', success(device))
    server.answer('POST /identity/o/api/token', success({ ...tokens('new'), expires_in: 1e306 }))
    const me = { account: '\u001b[2Jowner', scopes: ['\u001b[31mchannels:read'], user: null }
    server.answer('GET /api/me', success(me))
    const held = new Map<string, string>()
    const run = await runCli(['login'], { url: server.url, env, privateFiles: memoryFiles(held) })
    expect([run.code, run.out]).toEqual([0, `Signed in to ${server.url} as owner. Scopes: channels:read.\n`])
    expect(run.err).not.toContain('\u001b')
    const { servers } = JSON.parse(held.get(FILE) ?? '') as { servers: Record<string, { expires_at: number }> } // as it is written
    expect(servers[server.url]?.expires_at).toBe(NOW + 60_000 + 365 * 86_400_000)

    // Somebody who confirms a code of another server signs that one in here.
    server.answer(
      'POST /identity/o/api/device/code',
      success({ ...device, verification_uri_complete: 'https://other.example.org/identity/o/device?code=WDJB' }),
    )
    const led = await runCli(['login'], { url: server.url, env })
    expect([led.code, led.err]).toEqual([3, expect.not.stringContaining('other.example.org')])
  })

  it('says by what name a server behind a proxy is known', async () => {
    await using server = await provider()
    server.answer('GET /.well-known/openid-configuration', success({ issuer: 'https://gate.example.org' }))
    const run = await runCli(['login'], { url: server.url, env })
    expect([run.code, run.err]).toEqual([3, expect.stringContaining('--url https://gate.example.org')])
  })

  it('says so where the server has no such thing', async () => {
    await using server = await startFakeServer()
    const run = await runCli(['login'], { url: server.url, env })
    expect([run.code, run.err]).toEqual([3, expect.stringContaining('IDP_OIDC_ENABLED')])
  })
})
