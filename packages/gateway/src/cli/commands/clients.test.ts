import { describe, expect, it } from 'vitest'
import { NOW, refusal, startFakeServer, success } from '../testing/fake-server.ts'
import { runCli } from '../testing/test-io.ts'

const client = {
  id: '0a1b',
  name: 'Wiki',
  type: 'confidential',
  scopes: ['openid', 'email'],
  grant_types: ['authorization_code'],
  redirect_uris: ['https://wiki.example.org/callback'],
  skip_consent: false,
  created_at: NOW,
}

describe('clients', () => {
  it('are listed', async () => {
    await using server = await startFakeServer({ 'GET /api/admin/clients': success({ clients: [client] }) })
    const run = await runCli(['clients', 'list'], { url: server.url })
    expect(run.out).toMatch(/^Wiki +confidential +openid, email +https:\/\/wiki\.example\.org\/callback +0a1b$/m)
    server.answer('GET /api/admin/clients', success({ clients: [] }))
    expect((await runCli(['clients', 'list'], { url: server.url })).out).toBe('No OAuth clients.\n')
  })

  it('are registered: the secret is on standard output', async () => {
    await using server = await startFakeServer({
      'POST /api/admin/clients': success({ ...client, secret: 'made-up-secret' }),
    })
    const line = ['clients', 'create', 'Wiki', '--redirect', 'https://a.example/cb, https://b.example/cb']
    const run = await runCli([...line, '--scopes', 'openid,email', '--grants', 'authorization_code,device_code'], {
      url: server.url,
    })
    expect([run.code, run.out]).toEqual([0, 'client_id      0a1b\nclient_secret  made-up-secret\n'])
    expect(run.err).toContain("won't be shown again")
    expect(server.seen[0]?.body).toEqual({
      name: 'Wiki',
      redirect_uris: ['https://a.example/cb', 'https://b.example/cb'],
      scopes: ['openid', 'email'],
      grant_types: ['authorization_code', 'urn:ietf:params:oauth:grant-type:device_code'],
    })
    server.answer('POST /api/admin/clients', success({ ...client, type: 'public', secret: null }))
    const open = await runCli(['clients', 'create', 'App', '--public', '--skip-consent'], { url: server.url })
    expect([open.out, server.seen[1]?.body]).toEqual([
      'client_id      0a1b\n',
      { name: 'App', type: 'public', skip_consent: true },
    ])
  })

  it('are changed, given a new secret and removed by their id', async () => {
    await using server = await startFakeServer({
      'PATCH /api/admin/clients/0a1b': success(client),
      'POST /api/admin/clients/0a1b/secret': success({ secret: 'made-up-secret' }),
      'DELETE /api/admin/clients/0a1b': success(),
    })
    const run = (...argv: string[]) => runCli(['clients', ...argv], { url: server.url })
    expect((await run('update', '0a1b', '--logout-redirect', 'https://a.example/', '--no-skip-consent')).code).toBe(0)
    expect(server.seen[0]?.body).toEqual({ post_logout_redirect_uris: ['https://a.example/'], skip_consent: false })
    expect((await run('renew-secret', '0a1b')).out).toBe('made-up-secret\n')
    expect((await run('remove', '0a1b')).out).toBe('Removed 0a1b.\n')
  })

  it.each([
    [['update', '0a1b']],
    [['update', '../x', '--name', 'x']],
    [['create', 'x', '--grants', 'password']],
    [['create']],
  ])('are not touched by %j', async (argv) => {
    await using server = await startFakeServer()
    expect((await runCli(['clients', ...argv], { url: server.url })).code).toBe(2)
    expect(server.seen).toEqual([])
  })

  it('that the server refuses are refused in its words', async () => {
    const why = 'redirect_uris: must be https.'
    await using server = await startFakeServer({ 'POST /api/admin/clients': refusal(422, 'invalid_input', why) })
    const run = await runCli(['clients', 'create', 'x', '--redirect', 'http://a.example/cb'], { url: server.url })
    expect([run.code, run.err]).toEqual([1, expect.stringContaining(why)])
  })
})
