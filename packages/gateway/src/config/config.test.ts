import { mergeAssistant, resolveAssistant } from '../assistant/assistant-settings.ts'
import { ConfigError, type Environment, readConfig } from './config.ts'
import { ALL_SETTINGS } from './settings.ts'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

function listProblems(env: Environment): readonly string[] {
  try {
    readConfig(env)
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
}

const https = 'https://gate.example.org'
const key = Buffer.alloc(32, 7)

describe('a configuration', () => {
  it('has defaults for an empty environment', () => {
    expect(readConfig({})).toMatchObject({
      host: '127.0.0.1',
      port: 7070,
      publicUrl: null,
      hstsSubdomains: false,
      dataDir: join(homedir(), '.gatepost'),
      databaseUrl: null,
      secretKeys: null,
      canForgetKeys: false,
      logLevel: 'info',
      retentionDays: 90,
      pacing: true,
      concurrentTurns: 64,
      leaseSeconds: 15,
      assistant: { kind: 'echo' },
      privateServers: [],
      accountLimits: { requestsPerMinute: 1200, concurrentRequests: 32, eventStreams: 20 },
      maxChannels: 6,
      maxTokens: 100,
      maxStoredBytes: 2_048_000_000,
      assistantVariables: [],
      hosts: {},
      warnings: [],
    })
  })

  const accepted: readonly [env: Environment, part: Readonly<Record<string, unknown>>][] = [
    [{ GATEPOST_PORT: '0' }, { port: 0 }],
    [{ GATEPOST_PORT: '' }, { port: 7070 }],
    [{ GATEPOST_HOST: '::1' }, { host: '::1' }],
    [{ GATEPOST_HOST: '[::1]' }, { host: '::1' }],
    [{ GATEPOST_HOST: '127.9.9.9' }, { host: '127.9.9.9' }],
    [
      { GATEPOST_HOST: '0.0.0.0', GATEPOST_PUBLIC_URL: https },
      { host: '0.0.0.0', publicUrl: https },
    ],
    [{ GATEPOST_PUBLIC_URL: `${https}:8443/` }, { publicUrl: `${https}:8443` }],
    [{ GATEPOST_PUBLIC_URL: `${https}/a/gate/` }, { publicUrl: `${https}/a/gate` }],
    [{ GATEPOST_DATA_DIR: '~/x' }, { dataDir: join(homedir(), 'x') }],
    [{ GATEPOST_RETENTION_DAYS: '8' }, { retentionDays: 8 }],
    [{ GATEPOST_PACING: 'off' }, { pacing: false }],
    [{ GATEPOST_HSTS_SUBDOMAINS: 'on' }, { hstsSubdomains: true }],
    [
      { GATEPOST_PRIVATE_SERVERS: 'bots.internal, 10.0.0.0/8,fd00::/8,192.168.1.7' },
      { privateServers: ['bots.internal', '10.0.0.0/8', 'fd00::/8', '192.168.1.7'] },
    ],
    [
      { GATEPOST_ASSISTANT_VARIABLES: 'OPENAI_API_KEY, https_proxy' },
      { assistantVariables: ['OPENAI_API_KEY', 'https_proxy'] },
    ],
    [
      { GATEPOST_TELEGRAM_API_URL: 'http://127.0.0.1:8081/' },
      { hosts: { GATEPOST_TELEGRAM_API_URL: 'http://127.0.0.1:8081' } },
    ],
    [
      {
        GATEPOST_ASSISTANT: 'openai',
        GATEPOST_ASSISTANT_BASE_URL: 'http://localhost:1/v1/',
        GATEPOST_ASSISTANT_MODEL: 'm',
      },
      {
        assistant: expect.objectContaining({
          kind: 'openai',
          baseUrl: 'http://localhost:1/v1',
          model: 'm',
          apiKey: null,
        }),
      },
    ],
    [
      { GATEPOST_ASSISTANT: 'http', GATEPOST_ASSISTANT_URL: 'https://a.example/hook?x=1' },
      { assistant: expect.objectContaining({ kind: 'http', url: 'https://a.example/hook?x=1' }) },
    ],
  ]
  it.each(accepted)('%j', (env, part) => {
    expect(readConfig(env)).toMatchObject(part)
  })

  it('limits the replies of every assistant, also of one that is set while the service runs', () => {
    const limit = (env: Environment): number => {
      const { assistantEnvironment } = readConfig(env)
      const stored = { kind: 'http', url: 'https://here.example.org/' } as const
      return resolveAssistant(mergeAssistant(assistantEnvironment, stored)).maxAnswerCharacters
    }
    expect(limit({})).toBe(100_000)
    expect(limit({ GATEPOST_ASSISTANT_MAX_REPLY_CHARACTERS: '500' })).toBe(500)
    const name = 'GATEPOST_ASSISTANT_MAX_REPLY_CHARACTERS'
    expect(listProblems({ [name]: '99' })).toEqual([`${name} must be a whole number from 100 to 1000000.`])
  })

  it('keeps secrets as secrets', () => {
    const config = readConfig({
      GATEPOST_DATABASE_URL: 'postgres://gate:hunter2@db/gate',
      GATEPOST_SECRET_KEY: key.toString('base64'),
      GATEPOST_ASSISTANT_API_KEY: 'sk-abcdefghijkl',
      GATEPOST_ASSISTANT: 'openai',
      GATEPOST_ASSISTANT_BASE_URL: 'http://localhost:1/v1',
      GATEPOST_ASSISTANT_MODEL: 'm',
    })
    expect(config.databaseUrl?.reveal()).toBe('postgres://gate:hunter2@db/gate')
    expect(config.secretKeys?.map((secret) => secret.reveal())).toEqual([key.toString('base64url')])
    expect(JSON.stringify(config)).not.toMatch(new RegExp(`hunter2|sk-abc|${key.toString('base64url')}`))
  })

  it('has several secret keys, in their order', () => {
    const keys = [1, 2, 3].map((byte) => Buffer.alloc(32, byte))
    const { secretKeys } = readConfig({ GATEPOST_SECRET_KEY: keys.map((one) => one.toString('base64')).join(', ') })
    expect(secretKeys?.map((secret) => secret.reveal())).toEqual(keys.map((one) => one.toString('base64url')))
    const of =
      (...texts: readonly string[]): (() => unknown) =>
      () =>
        readConfig({ GATEPOST_SECRET_KEY: texts.join() })
    const [first = ''] = keys.map((one) => one.toString('base64'))
    for (const wrong of [of(first, ''), of(first, 'x'), of(first, first)]) expect(wrong).toThrow(/GATEPOST_SECRET_KEY/)
  })

  it('cannot be changed', () => {
    const config = readConfig({})
    expect([config, config.hosts, config.warnings, config.assistant].every(Object.isFrozen)).toBe(true)
  })

  it('tells unknown names, with the nearest known one', () => {
    const env = { GATEPOST_PROT: '1', GATEPOST_TELEGRAM_URL: 'x', GATEPOST_ZZZ: '', GATEPOST_TOKEN: 'x', PATH: '/bin' }
    expect(readConfig(env).warnings).toEqual([
      'Unknown setting GATEPOST_PROT. Did you mean GATEPOST_PORT?',
      'Unknown setting GATEPOST_TELEGRAM_URL. Did you mean GATEPOST_TELEGRAM_API_URL?',
      'Unknown setting GATEPOST_ZZZ.',
    ])
  })
})

describe('what is refused', () => {
  const refused: readonly [name: string, value: string][] = [
    ['GATEPOST_HOST', 'a b'],
    ['GATEPOST_HOST', '1.2.3'],
    ['GATEPOST_HOST', 'http://x'],
    ['GATEPOST_PORT', '65536'],
    ['GATEPOST_PORT', '-1'],
    ['GATEPOST_PORT', '80.5'],
    ['GATEPOST_PORT', '0x50'],
    ['GATEPOST_PUBLIC_URL', 'gate.example.org'],
    ['GATEPOST_PUBLIC_URL', `${https}/a//b`],
    ['GATEPOST_PUBLIC_URL', `${https}/a%20b`],
    ['GATEPOST_PUBLIC_URL', `${https}/path?query`],
    ['GATEPOST_PUBLIC_URL', 'https://user:pass@gate.example.org'],
    ['GATEPOST_PRIVATE_SERVERS', '10.0.0.0/33'],
    ['GATEPOST_PRIVATE_SERVERS', 'bots.internal/8'],
    ['GATEPOST_PRIVATE_SERVERS', 'a,,b'],
    ['GATEPOST_PRIVATE_SERVERS', 'https://bots.internal'],
    ['GATEPOST_ASSISTANT_VARIABLES', 'GATEPOST_SECRET_KEY'],
    ['GATEPOST_ASSISTANT_VARIABLES', 'A=b'],
    ['GATEPOST_DATABASE_URL', 'mysql://x'],
    ['GATEPOST_SECRET_KEY', 'short'],
    ['GATEPOST_LOG_LEVEL', 'loud'],
    ['GATEPOST_RETENTION_DAYS', '7'],
    ['GATEPOST_PACING', 'true'],
    ['GATEPOST_CONCURRENT_TURNS', '0'],
    ['GATEPOST_LEASE_SECONDS', '4'],
    ['GATEPOST_ASSISTANT', 'oracle'],
    ['GATEPOST_TELEGRAM_API_URL', 'ftp://x'],
    ['GATEPOST_TELEGRAM_API_URL', 'https://x?token=1'],
    ['GATEPOST_WECOM_WS_URL', 'https://x'],
  ]
  it.each(refused)('%s=%s', (name, value) => {
    const setting = ALL_SETTINGS.find((one) => one.name === name)
    expect(listProblems({ [name]: value })).toContain(`${name} must be ${setting?.form}.`)
  })

  it('is told all at once, and no value with it', () => {
    const problems = listProblems({
      GATEPOST_PORT: 'secret1',
      GATEPOST_PACING: 'secret2',
      GATEPOST_DATABASE_URL: 'secret3',
    })
    expect(problems.map((problem) => problem.split(' ')[0])).toEqual([
      'GATEPOST_PORT',
      'GATEPOST_DATABASE_URL',
      'GATEPOST_PACING',
    ])
    expect(problems.join()).not.toContain('secret')
  })

  const exposed: readonly Environment[] = [
    { GATEPOST_HOST: '0.0.0.0' },
    { GATEPOST_HOST: '::' },
    { GATEPOST_HOST: 'gate.example.org' },
    { GATEPOST_HOST: '192.168.1.5', GATEPOST_PUBLIC_URL: 'http://gate.example.org' },
  ]
  it.each(exposed)('%j: strangers without TLS', (env) => {
    expect(listProblems(env)).toEqual([expect.stringMatching(/^GATEPOST_PUBLIC_URL must be an https address/)])
  })

  const unfinished: readonly [kind: string, missing: readonly string[]][] = [
    ['openai', ['GATEPOST_ASSISTANT_BASE_URL', 'GATEPOST_ASSISTANT_MODEL']],
    ['http', ['GATEPOST_ASSISTANT_URL']],
    ['command', ['GATEPOST_ASSISTANT_COMMAND']],
  ]
  it.each(unfinished)('the assistant %s without what it needs', (kind, missing) => {
    const sentences = missing.map((name) => `${name} must be set if GATEPOST_ASSISTANT is ${kind}.`)
    expect(listProblems({ GATEPOST_ASSISTANT: kind })).toEqual(sentences)
  })

  it('is also what only the assistant finds wrong, under its name in the environment', () => {
    const env = { GATEPOST_ASSISTANT: 'command', GATEPOST_ASSISTANT_COMMAND: 'program "unclosed' }
    expect(listProblems(env)).toEqual([expect.stringMatching(/^GATEPOST_ASSISTANT_COMMAND /)])
  })
})

it('documents each name once, with a default that is allowed', () => {
  expect(new Set(ALL_SETTINGS.map(({ name }) => name)).size).toBe(ALL_SETTINGS.length)
  const wrong = ALL_SETTINGS.filter(({ fallback, parse }) => fallback !== null && parse(fallback) === undefined)
  expect(wrong).toEqual([])
})
