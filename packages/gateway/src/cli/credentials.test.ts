import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../system-clock.ts'
import { privateFiles } from './private-files.ts'
import { env, failure, FILE, readForm, kept, provider, tokens } from './testing/fake-provider.ts'
import { NOW, refusal, success } from './testing/fake-server.ts'
import { memoryFiles, runCli } from './testing/test-io.ts'

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
    expect(readForm(server.seen[1]?.body)).toEqual({
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

  it('is refreshed once by commands that run at the same time', async () => {
    await using server = await provider()
    server.answer('GET /api/channels', success({ channels: [] }))
    server.answer('POST /identity/o/api/token', (asked) =>
      asked === 0 ? success(tokens('new')) : failure(400, 'invalid_grant'),
    )
    const folder = await mkdtemp(join(tmpdir(), 'gatepost-credentials-'))
    try {
      const files = privateFiles(systemClock, new AbortController().signal)
      await files.write(join(folder, 'credentials.json'), kept(server, NOW).get(FILE) ?? '')
      const status = () =>
        runCli(['status', '--json'], {
          url: server.url,
          env: { ...env, GATEPOST_DATA_DIR: folder },
          privateFiles: files,
        })
      const runs = await Promise.all([status(), status(), status()])
      expect(runs.map(({ code }) => code)).toEqual([0, 0, 0])
      expect(await readdir(folder)).toEqual(['credentials.json'])
      expect(await files.read(join(folder, 'credentials.json'))).toContain('new-refresh')
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })

  it('is not lost when somebody leaves while it is refreshed', async () => {
    await using server = await provider()
    const leaving = new AbortController()
    server.answer('POST /identity/o/api/token', () => {
      leaving.abort()
      return success(tokens('new'))
    })
    const held = kept(server, NOW)
    const run = await runCli(['status'], {
      url: server.url,
      env,
      privateFiles: memoryFiles(held),
      signal: leaving.signal,
    })
    expect(run.code).toBe(130)
    expect(held.get(FILE)).toContain('new-refresh')
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
    expect([run.code, run.out]).toEqual([0, `Signed out of ${server.url}.\n`])
    expect(readForm(server.seen.at(-1)?.body)).toEqual({ client_id: 'gatepost-cli', token: 'old-refresh' })
    expect(held.get(FILE)).not.toContain('old-')
    expect(held.get(FILE)).toContain('other-refresh')
    const again = await runCli(['logout', '--json'], { url: server.url, env, privateFiles: memoryFiles(held) })
    expect(again.json()).toEqual({ ok: true, signed_out: false })
  })

  it('ends what another command has just refreshed', async () => {
    await using server = await provider()
    server.answer('POST /identity/o/api/revoke', success({}))
    const held = kept(server, NOW)
    const files = memoryFiles(held)
    const run = await runCli(['logout'], {
      url: server.url,
      env,
      privateFiles: {
        ...files,
        locked(_path, work) {
          held.set(FILE, (held.get(FILE) ?? '').replaceAll('old-', 'newer-'))
          return work()
        },
      },
    })
    expect(run.code).toBe(0)
    expect(readForm(server.seen.at(-1)?.body)['token']).toBe('newer-refresh')
    expect(held.get(FILE)).not.toContain('newer-')
  })

  it('tells when the server could not be told', async () => {
    await using server = await provider()
    const held = kept(server, NOW)
    const run = await runCli(['logout'], { url: server.url, env, privateFiles: memoryFiles(held) })
    expect([run.code, run.err]).toEqual([1, expect.stringContaining('/accounts/applications/')])
    expect(held.get(FILE)).not.toContain('old-')
  })
})
