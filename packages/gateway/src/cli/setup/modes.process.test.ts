import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type RunningEmulator, startEmulators } from '@gatepost/emulators'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readConfig } from '../../config/config.ts'
import { type Gateway, startGateway } from '../../serve.ts'
import { runSpawned } from '../testing/spawn-cli.ts'
import { type CliRun, runCli, type RunOptions } from '../testing/test-io.ts'

/** The interfaces of the contract for programs, and the flow for people, against a service and six emulators. */

let root: string
let gateway: Gateway
let hosts: Readonly<Record<string, string>>
let emulators: ReadonlyMap<string, RunningEmulator>

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'gatepost-setup-'))
  const running = await startEmulators()
  emulators = new Map(running.map((emulator) => [emulator.platform, emulator]))
  hosts = Object.assign({}, ...running.map(({ environment }) => environment)) as Record<string, string> // texts all
  const config = readConfig({ ...hosts, GATEPOST_DATA_DIR: join(root, 'data'), GATEPOST_PORT: '0' })
  gateway = await startGateway(config, { sink: { write: () => {}, flush: () => {}, close: () => {} } })
})
afterAll(async () => {
  await gateway.stop()
  await Promise.all([...emulators.values()].map((emulator) => emulator.close()))
  await rm(root, { recursive: true })
})

const cli = (argv: readonly string[], options: RunOptions = {}): Promise<CliRun> =>
  runCli(argv, {
    url: gateway.url,
    now: Date.now(),
    ...options,
    env: { ...hosts, GATEPOST_TOKEN: gateway.ownerToken.reveal(), ...options.env },
  })

function control(platform: string): RunningEmulator['control'] {
  const emulator = emulators.get(platform)
  if (!emulator) throw new Error(`no emulator of ${platform}`)
  return emulator.control
}
const findEntry = async (platform: string): Promise<unknown> =>
  (await gateway.channels.list({ accountId: 'owner' })).find((entry) => entry.platform === platform)

/** As the phone shows it, a moment after the code. */
async function scanSoon(platform: string, act: Parameters<RunningEmulator['control']['scan']>[0]): Promise<void> {
  const untilMs = Date.now() + 100_000
  for (;;) {
    // a log-in within the first seconds without a scan would be taken for an earlier one
    await new Promise((resolve) => setTimeout(resolve, 300))
    const scanned = await control(platform)
      .scan(act)
      .then(
        () => true,
        (error: unknown) => {
          if (Date.now() > untilMs) throw error
          return false
        },
      )
    if (scanned) return
  }
}

describe('setup weixin, for programs', () => {
  const fetchQr = async (): Promise<string> => {
    const run = await cli(['setup', 'weixin', '--fetch-qr'])
    const { qrcode_url, qrcode_id } = JSON.parse(run.out) as Record<string, string> // the contract's own shape
    expect([run.code, qrcode_url]).toEqual([0, expect.stringMatching(/^https?:\/\//)])
    return qrcode_id ?? ''
  }

  it('prints a code, waits for the scan, and has saved the token', async () => {
    const id = await fetchQr()
    const [run] = await Promise.all([
      cli(['setup', 'weixin', '--qrcode-id', id]),
      scanSoon('weixin', { act: 'scan' }).then(() => scanSoon('weixin', { act: 'confirm', userId: 'ann@im.wechat' })),
    ])
    expect([run.code, run.out]).toEqual([0, expect.stringContaining('saved')])
    expect(await findEntry('weixin')).toMatchObject({
      has_token: true,
      enabled: true,
      allowed_users: ['ann@im.wechat'],
    })
    // the same id once more: still saved
    expect(await cli(['setup', 'weixin', '--qrcode-id', id])).toMatchObject({ code: 0 })
  })

  it('says stale-session when an earlier log-in is reported', async () => {
    const id = await fetchQr()
    await control('weixin').scan({ act: 'stale' })
    const run = await cli(['setup', 'weixin', '--qrcode-id', id])
    expect([run.code, run.out]).toEqual([1, 'stale-session\n'])
  })

  it('says expired for a code that nobody knows any more', async () => {
    const run = await cli(['setup', 'weixin', '--qrcode-id', 'long-gone'])
    expect([run.code, run.out]).toEqual([1, 'expired\n'])
  })

  it('asks for the number on the phone', async () => {
    const id = await fetchQr()
    await control('weixin').scan({ act: 'ask_code', code: '42' })
    const without = await cli(['setup', 'weixin', '--qrcode-id', id])
    expect([without.code, without.out]).toEqual([1, expect.stringContaining('--verify-code')])
    const wrong = await cli(['setup', 'weixin', '--qrcode-id', id, '--verify-code', '41'])
    expect([wrong.code, wrong.err]).toEqual([1, expect.stringContaining('Wrong')])
    const [run] = await Promise.all([
      cli(['setup', 'weixin', '--qrcode-id', id, '--verify-code', '42']),
      scanSoon('weixin', { act: 'confirm', userId: 'bo@im.wechat' }),
    ])
    expect([run.code, run.out]).toEqual([0, expect.stringContaining('saved')])
  })
})

describe('setup feishu, for programs', () => {
  it('prints the four lines, and saves nothing itself', async () => {
    const [run] = await Promise.all([
      runSpawned(['setup', 'feishu', '--background'], hosts),
      scanSoon('feishu', { act: 'confirm' }),
    ])
    expect(run.code).toBe(0)
    expect(run.out).toMatch(/^SCAN_URL:https?:\/\/\S+\nEXPIRE_IN:\d+\nAPP_ID:cli_[0-9a-f]{16}\nAPP_SECRET:\S+\n$/)
    expect(await findEntry('feishu')).toMatchObject({ has_config: false })
  })
})

describe('setup dingtalk, for programs', () => {
  it('prints a code, says that nobody has scanned it, then that it is configured', async () => {
    const printed = await cli(['setup', 'dingtalk', '--print-qr'])
    const last = printed.out.trimEnd().split('\n').at(-1) ?? ''
    const { device_code, ...shown } = JSON.parse(last) as Record<string, unknown> // the contract's own shape
    expect(shown).toEqual({ qr_url: expect.stringMatching(/^https?:/), expires_in: expect.any(Number) })
    const [run] = await Promise.all([pollUntil(String(device_code)), scanSoon('dingtalk', { act: 'confirm' })])
    expect([run.code, run.out]).toEqual([0, 'configured\n'])
    expect(await findEntry('dingtalk')).toMatchObject({ has_config: true, enabled: true })
  })

  it('says expired for a code that nobody knows', async () => {
    const run = await cli(['setup', 'dingtalk', '--poll', 'long-gone'])
    expect([run.code, run.out]).toEqual([1, 'expired\n'])
  })

  /** As the contract's client does: again while it is 2. */
  async function pollUntil(code: string): Promise<CliRun> {
    for (;;) {
      const run = await cli(['setup', 'dingtalk', '--poll', code])
      if (run.code !== 2) return run
      expect(run.out).toBe('WAITING\n')
    }
  }
})

describe('setup discord, for programs', () => {
  it('prints the portal and the invitation without asking hasAccounts', async () => {
    expect((await cli(['setup', 'discord', '--portal-url'])).out).toBe('https://discord.com/developers/applications\n')
    const { out } = await cli(['setup', 'discord', '--invite-url', '1234567890'])
    expect(out).toMatch(
      /^https:\/\/discord\.com\/oauth2\/authorize\?client_id=1234567890&permissions=\d+&scope=bot%20applications\.commands\n$/,
    )
  })

  it('validates, saves, starts, and sees the bot join a server', async () => {
    const { credentials, id } = await control('discord').bot()
    const run = await cli(['setup', 'discord', '--validate', credentials['bot_token'] ?? ''])
    expect([run.code, run.json()]).toEqual([0, { bot_id: id, username: expect.any(String) }])
    expect(await findEntry('discord')).toMatchObject({ has_token: true, running: true })
    const [watched] = await Promise.all([
      cli(['setup', 'discord', '--watch-guild']),
      scanSoon('discord', { act: 'join', id: '777', title: 'Harbour' }),
    ])
    expect([watched.code, watched.json()]).toEqual([
      0,
      { guild_id: expect.any(String), guild_name: expect.any(String), total: expect.any(Number) },
    ])
  })

  it('refuses a token in the words of the platform', async () => {
    const run = await cli(['setup', 'discord', '--validate', 'MTIzNDU2.made-up.made-up-token-of-nobody'])
    expect([run.code, run.out]).toEqual([1, ''])
  })
})

describe('setup, for people', () => {
  it.each([
    ['feishu', 'qr'],
    ['weixin', 'qr'],
    ['dingtalk', 'qr'],
    ['wecom', 'qr'],
  ] as const)('%s by a code that is scanned', async (platform, kind) => {
    const [run] = await Promise.all([
      cli(['setup', platform, '--kind', kind], { typed: [] }),
      scanSoon(platform, { act: 'confirm' }),
    ])
    expect([run.code, run.err]).toEqual([0, ''])
    expect(run.out).toContain('▀')
    expect(run.said.at(-1)).toContain('send a message')
  })

  it.each([
    ['telegram', [/bot token/]],
    ['wecom', [/Bot ID/i, /secret/i]],
    ['feishu', [/App ID/i, /secret/i]],
    ['dingtalk', [/Client ID/i, /secret/i]],
  ] as const)('%s by values that are pasted', async (platform, questions) => {
    const { credentials } = await control(platform).bot()
    const values = [
      credentials['app_id'] ?? credentials['bot_id'] ?? credentials['client_id'],
      credentials['app_secret'] ?? credentials['secret'] ?? credentials['client_secret'] ?? credentials['bot_token'],
    ]
    const typed = questions.map((question, index) => ({
      question,
      answer: (questions.length === 1 ? values[1] : values[index]) ?? '',
    }))
    const { domain } = credentials
    const server = domain === undefined ? [] : ['--base-url', domain]
    const run = await cli(['setup', platform, '--kind', 'paste', ...server], { typed })
    expect([run.code, run.err]).toEqual([0, ''])
    expect(run.said.at(-1)).toContain('send a message')
    expect(run.out + run.said.join('\n')).not.toContain(values[1])
  })
})
