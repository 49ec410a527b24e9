import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { checks, NOW, refusal, startFakeServer, success, telegramEntry, unconfigured } from '../testing/fake-server.ts'
import type { Diagnosis } from '@gatepost/channels'
import { runCli, type CliRun } from '../testing/test-io.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatepost-doctor-'))
  await mkdir(join(folder, 'accounts', 'owner'), { recursive: true, mode: 0o700 })
  await writeFile(join(folder, 'api-token'), 'a-token\n', { mode: 0o600 })
  await writeFile(join(folder, 'accounts', 'owner', 'channels.yml'), 'telegram: {}\n', { mode: 0o600 })
})
afterEach(() => rm(folder, { recursive: true }))

const env = (): Readonly<Record<string, string>> => ({ GATEPOST_TOKEN: '', GATEPOST_DATA_DIR: folder })
const files = (): Readonly<Record<string, string>> => ({ [join(folder, 'api-token')]: 'a-token\n' })
const doctor = (url: string, options: { args?: string[]; nodeVersion?: string } = {}): Promise<CliRun> =>
  runCli(['doctor', ...(options.args ?? [])], {
    url,
    env: env(),
    files: files(),
    nodeVersion: options.nodeVersion ?? '26.10.0',
  })

/** The server's answer about a channel. */
const report = (found: readonly Diagnosis[]): ReturnType<typeof success> =>
  success({
    ok: found.every(({ status }) => status !== 'fail'),
    sections: [{ platform: 'telegram', title: 'Telegram', checks: found }],
  })

const healthy = {
  'GET /healthz': success(),
  'GET /api/channels': success({ channels: [...unconfigured, telegramEntry] }),
  'GET /api/doctor': report(checks.filter(({ status }) => status !== 'fail')),
}

describe('doctor', () => {
  it('passes when everything is in order', async () => {
    await using server = await startFakeServer(healthy)
    const run = await doctor(server.url)
    expect(run.out).not.toContain('FAIL')
    expect(run.code).toBe(0)
    for (const title of [
      'Node',
      'Settings',
      'Data folder',
      'Owner token file',
      'Configuration',
      'Server',
      'Owner token',
      'Token form',
    ])
      expect(run.out).toMatch(new RegExp(`^ {2}pass {2}${title} `, 'm'))
    expect(run.out).toContain('All checks passed.')
  })

  it('shows a failure with its remedy and exits with 1', async () => {
    await using server = await startFakeServer({ ...healthy, 'GET /api/doctor': report(checks) })
    const run = await doctor(server.url)
    expect(run.code).toBe(1)
    expect(run.out).toMatch(/FAIL {2}Token accepted +Telegram answers: Unauthorized\n +→ Send \/mybots to BotFather/)
    expect(run.out).toContain('1 check failed.')
  })

  it('checks only the platform that is named, and prints JSON', async () => {
    await using server = await startFakeServer({
      ...healthy,
      'GET /api/channels/platform_e/doctor': success({ checks }),
    })
    const run = await doctor(server.url, { args: ['platform_e', '--json'] })
    expect(run.code).toBe(1)
    expect(run.json()).toMatchObject({
      ok: false,
      sections: [{ title: 'This machine' }, {}, { title: 'platform_e', checks }],
    })
  })

  it('checks this machine also when no server answers', async () => {
    const server = await startFakeServer()
    await server[Symbol.asyncDispose]()
    const run = await doctor(server.url)
    expect(run.code).toBe(1)
    expect(run.out).toMatch(/pass {2}Data folder/)
    expect(run.out).toMatch(/FAIL {2}Server +no response from .*\n +→ Start it with npm start/)
  })

  const broken: readonly [what: string, damage: () => Promise<void>, line: RegExp][] = [
    [
      'an open data folder',
      () => chmod(folder, 0o755),
      /FAIL {2}Data folder +other users can access .* \(0755\)\n +→ chmod 700/,
    ],
    [
      'an open token file',
      () => chmod(join(folder, 'api-token'), 0o644),
      /FAIL {2}Owner token file +.*\(0644\)\n +→ chmod 600/,
    ],
    [
      'an open configuration',
      () => chmod(join(folder, 'accounts', 'owner', 'channels.yml'), 0o640),
      /FAIL {2}Configuration +.*\(0640\)\n +→ chmod 600/,
    ],
  ]
  it('finds the place at which the configuration cannot be read, without a server and without its secrets', async () => {
    const path = join(folder, 'accounts', 'owner', 'channels.yml')
    await writeFile(path, 'telegram:\n  bot_token: [a-secret\n')
    const server = await startFakeServer()
    await server[Symbol.asyncDispose]()
    const run = await doctor(server.url)
    expect(run.out).toMatch(/FAIL {2}Configuration +Couldn't read .*channels\.yml: line \d+, column \d+/)
    expect(run.out).toContain('→ Fix the file')
    expect(run.out).not.toContain('a-secret')
  })

  it.each(broken)('finds %s', async (_what, damage, line) => {
    await damage()
    await using server = await startFakeServer(healthy)
    const run = await doctor(server.url)
    expect([run.code, run.out]).toEqual([1, expect.stringMatching(line)])
  })

  it('nothing configured yet is no failure', async () => {
    await rm(join(folder, 'accounts'), { recursive: true })
    await using server = await startFakeServer({ ...healthy, 'GET /api/channels': success({ channels: unconfigured }) })
    const run = await doctor(server.url)
    expect([run.code, run.out]).toEqual([0, expect.stringMatching(/warn {2}Configuration +no channel configured yet/)])
  })

  it('finds another Node and a wrong token', async () => {
    await using server = await startFakeServer({ ...healthy, 'GET /api/channels': refusal(401, 'unauthorized', 'No.') })
    const run = await doctor(server.url, { nodeVersion: '24.15.0' })
    expect(run.code).toBe(1)
    expect(run.out).toMatch(/FAIL {2}Node +24\.15\.0\n +→ Gatepost needs Node 26\.10/)
    expect(run.out).toMatch(/FAIL {2}Owner token +No\.\n/)
    expect(run.out).not.toContain('a-token')
  })

  it("a configuration file that the server cannot read is found by the platform's checks", async () => {
    const call = 'GET /api/doctor'
    const sentence = 'channels.yml cannot be read: line 3, column 5.'
    await using server = await startFakeServer({ ...healthy, [call]: refusal(503, 'config_broken', sentence) })
    const run = await doctor(server.url)
    expect([run.code, run.out]).toEqual([1, expect.stringContaining(sentence)])
  })

  it('finds a clock that differs', async () => {
    await using server = await startFakeServer(healthy)
    const run = await runCli(['doctor'], { url: server.url, env: env(), files: files(), now: NOW + 61_000 })
    expect([run.code, run.out]).toEqual([1, expect.stringMatching(/FAIL {2}Clock +the server's clock is off by 61 s/)])
    expect(run.out).toContain('Token form') // the other checks are made all the same
  })

  it('names every setting that is wrong', async () => {
    await using server = await startFakeServer(healthy)
    const wrong = { ...env(), GATEPOST_ASSISTANT: 'none', GATEPOST_LOG_LEVEL: 'loud' }
    const run = await runCli(['doctor'], { url: server.url, env: wrong, files: files() })
    expect(run.code).toBe(1)
    expect(run.out).toMatch(/FAIL {2}Settings +.*GATEPOST_LOG_LEVEL.*/)
    expect(run.out).toContain('GATEPOST_ASSISTANT must be')
  })

  it('tells an unreadable configuration from a refused token', async () => {
    const sentence = 'channels.yml cannot be read: line 3, column 5.'
    await using server = await startFakeServer({
      ...healthy,
      'GET /api/channels': refusal(503, 'config_broken', sentence),
    })
    const run = await doctor(server.url)
    expect(run.code).toBe(1)
    expect(run.out).toMatch(/pass {2}Owner token +accepted/)
    expect(run.out).toMatch(/FAIL {2}Channels +channels\.yml cannot be read: line 3, column 5\.\n +→ Fix the file/)
  })
})
