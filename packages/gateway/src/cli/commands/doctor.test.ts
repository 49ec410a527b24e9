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

/** The checks of the command itself: of this machine and of the server. */
function ownChecks(run: CliRun): readonly Diagnosis[] {
  const { sections } = run.json() as { sections: readonly { checks: readonly Diagnosis[] }[] } // as the command prints it
  return sections.slice(0, 2).flatMap(({ checks }) => checks)
}

const healthy = {
  'GET /healthz': success(),
  'GET /api/channels': success({ channels: [...unconfigured, telegramEntry] }),
  'GET /api/doctor': report(checks.filter(({ status }) => status !== 'fail')),
}

describe('doctor', () => {
  it('passes when everything is in order', async () => {
    await using server = await startFakeServer(healthy)
    const run = await doctor(server.url)
    expect(run.out).not.toMatch(/fail/i)
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

  it('never prints the word for warnings alone', async () => {
    const warning: Diagnosis = { id: 'x', title: 'Privacy mode', status: 'warn', detail: 'unknown' }
    await using server = await startFakeServer({ ...healthy, 'GET /api/doctor': report([warning]) })
    const run = await doctor(server.url)
    expect([run.code, run.out]).toEqual([0, expect.stringContaining('Passed with 1 warning.')])
    expect(run.out).not.toMatch(/fail/i)
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

  it('prints the code and the values of each finding as JSON, also of its own checks', async () => {
    await using server = await startFakeServer(healthy)
    const run = await doctor(server.url, { args: ['--json'] })
    const found = ownChecks(run).map(({ id, finding, values }) => [id, finding, values])
    expect(found).toEqual([
      ['node', 'node_supported', { version: '26.10.0' }],
      ['settings', 'settings_valid', {}],
      ['data_folder', 'folder_private', { path: folder, mode: '0700' }],
      ['token_file', 'file_private', { path: join(folder, 'api-token'), mode: '0600' }],
      ['config_file', 'file_private', { path: join(folder, 'accounts', 'owner', 'channels.yml'), mode: '0600' }],
      ['server_reachable', 'gatepost_responds', { url: server.url }],
      ['token_accepted', 'owner_token_accepted', {}],
      ['clock', 'clocks_agree', { seconds: 0 }],
    ])
  })

  it('gives each failure of its own checks a code and a remedy', async () => {
    await chmod(folder, 0o755)
    await writeFile(join(folder, 'accounts', 'owner', 'channels.yml'), 'telegram: [', { mode: 0o600 })
    await rm(join(folder, 'api-token'))
    const refused = refusal(503, 'config_broken', 'channels.yml cannot be read: line 3, column 5.')
    await using server = await startFakeServer({ ...healthy, 'GET /api/channels': refused })
    const run = await doctor(server.url, { args: ['--json'], nodeVersion: '24.15.0' })
    const failed = ownChecks(run).filter(({ status }) => status === 'fail')
    expect(failed.map(({ id, finding }) => `${id}: ${finding}`)).toEqual([
      'node: node_unsupported',
      'data_folder: folder_exposed',
      'config_file: config_broken',
      'channels_readable: config_broken',
    ])
    expect(failed.every(({ remedy }) => typeof remedy === 'string')).toBe(true)
    expect(new Set(failed.slice(2).map(({ remedy }) => remedy)).size).toBe(1)
    expect(ownChecks(run).find(({ id }) => id === 'token_file')).toMatchObject({
      finding: 'no_token_file',
      values: { path: join(folder, 'api-token') },
    })
  })

  it("keeps the server's reason when it cannot run the checks of the platforms", async () => {
    const refused = refusal(500, 'internal_error', 'It broke.')
    await using server = await startFakeServer({ ...healthy, 'GET /api/doctor': refused })
    const run = await doctor(server.url, { args: ['--json'] })
    expect(run.json()).toMatchObject({
      sections: [{}, {}, { checks: [{ finding: 'checks_unavailable', values: { code: 'internal_error' } }] }],
    })
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
