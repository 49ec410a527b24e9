import { type AuthSettingsInput, resolveSettings, SETTING_TABLE } from '@gatepost/auth'
import {
  type AssistantSettings,
  AssistantSettingsError,
  type AssistantSettingsInput,
  resolveAssistantSettings,
  Secret,
} from '@gatepost/channels'
import type { AccountLimitSettings } from '../server/account-limits.ts'
import type { SecretKeys } from '../keys/secret-keys.sql.ts'
import { accountSettings } from './account-settings.ts'
import { type AssistantKind, isLoopback, type LogLevel, type Parse } from './forms.ts'
import { ALL_SETTINGS, HOST_SETTINGS, type Setting, SETTINGS } from './settings.ts'

/** The configuration of the service. */
export interface GatewayConfig {
  readonly host: string
  /** 0: any free port. */
  readonly port: number
  /** E.g. `https://gate.example.org`, optionally with a path, without a trailing slash; `null` if unset. */
  readonly publicUrl: string | null
  /** Whether browsers must use https for subdomains of the public host, too. */
  readonly hstsSubdomains: boolean
  /** Absolute. */
  readonly dataDir: string
  /** `null`: SQLite in the data folder. */
  readonly databaseUrl: Secret | null
  /** 32 bytes each as base64url, the newest first; `null`: use the keys in the data folder. */
  readonly secretKeys: SecretKeys | null
  /** Whether to start without keys that stored data may be encrypted with. */
  readonly canForgetKeys: boolean
  readonly logLevel: LogLevel
  readonly retentionDays: number
  /** Whether anyone may sign up. */
  readonly isSignupOpen: boolean
  readonly auditDays: number
  /** Whether staff need a second factor to use staff permissions. */
  readonly isStaffFactorRequired: boolean
  /** Returns the settings of accounts. A function, so that secrets aren't printed with the configuration. */
  readonly accountSettings: () => AuthSettingsInput
  /** Private servers that accounts may use. */
  readonly privateServers: readonly string[]
  /** Limits of each account's requests. */
  readonly accountLimits: AccountLimitSettings
  readonly maxChannels: number
  readonly maxTokens: number
  /** Of files, per account. */
  readonly maxStoredBytes: number
  readonly pacing: boolean
  readonly concurrentTurns: number
  readonly leaseSeconds: number
  /** The assistant if nothing is set in the console. */
  readonly assistant: AssistantSettings
  /** The assistant's settings from environment variables, which can't be changed in the console. */
  readonly assistantEnvironment: AssistantSettingsInput
  /** Environment variables that an assistant program receives besides the basic ones. */
  readonly assistantVariables: readonly string[]
  /** Configured base URLs of platform hosts, by setting name. */
  readonly hosts: Readonly<Record<string, string>>
  /** Warnings for the operator. */
  readonly warnings: readonly string[]
}

/** Thrown for an invalid environment. `problems` are messages, each naming its variable. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly problems: readonly string[]
  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
    this.problems = problems
  }
}

/** Environment variables. */
export type Environment = Readonly<Record<string, string | undefined>>

/** Variables that only the command line reads. Known, so there is no warning about them. */
const OTHER_NAMES: readonly string[] = ['GATEPOST_TOKEN']

/**
 * Reads the configuration from environment variables. An empty variable counts as unset.
 * @throws {ConfigError} with all problems at once, without repeating values
 */
export function readConfig(env: Environment): GatewayConfig {
  const problems: string[] = []
  const optional = <T>(setting: Setting<T>): T | null => {
    const text = env[setting.name] || setting.fallback
    if (text === null) return null
    const value = setting.parse(text)
    if (value === undefined) problems.push(`${setting.name} must be ${setting.form}.`)
    return value ?? null
  }
  const required = <T>(setting: Setting<T>): T => optional(setting) ?? parseFallback(setting)
  const secret = (setting: Setting<string>): Secret | null => {
    const text = optional(setting)
    return text === null ? null : new Secret(text)
  }

  const publicUrl = optional(SETTINGS.publicUrl)
  const isSignupOpen = required(SETTINGS.isSignupOpen)
  const accounts = accountSettings(env, { publicUrl, isSignupOpen }, problems)
  const read = { required, optional, secret }
  const config: GatewayConfig = {
    host: required(SETTINGS.host),
    port: required(SETTINGS.port),
    publicUrl,
    hstsSubdomains: required(SETTINGS.hstsSubdomains),
    dataDir: required(SETTINGS.dataDir),
    databaseUrl: secret(SETTINGS.databaseUrl),
    secretKeys: toSecretKeys(optional(SETTINGS.secretKey)),
    canForgetKeys: required(SETTINGS.canForgetKeys),
    logLevel: required(SETTINGS.logLevel),
    retentionDays: required(SETTINGS.retentionDays),
    isSignupOpen,
    auditDays: required(SETTINGS.auditDays),
    isStaffFactorRequired: required(SETTINGS.isStaffFactorRequired),
    accountSettings: () => accounts,
    privateServers: optional(SETTINGS.privateServers) ?? [],
    accountLimits: {
      requestsPerMinute: required(SETTINGS.requestsPerMinute),
      concurrentRequests: required(SETTINGS.concurrentRequests),
      eventStreams: required(SETTINGS.eventStreams),
    },
    maxChannels: required(SETTINGS.maxChannels),
    maxTokens: required(SETTINGS.maxTokens),
    maxStoredBytes: required(SETTINGS.maxStoredMegabytes) * 1_000_000,
    pacing: required(SETTINGS.pacing),
    concurrentTurns: required(SETTINGS.concurrentTurns),
    leaseSeconds: required(SETTINGS.leaseSeconds),
    ...readAssistant(read, env, problems),
    assistantVariables: optional(SETTINGS.assistantVariables) ?? [],
    hosts: Object.freeze(readHosts(env, problems)),
    warnings: Object.freeze(unknownNames(env)),
  }
  problems.push(...exposure(config), ...impossibleFactor(config))
  if (problems.length > 0) throw new ConfigError(problems)
  return Object.freeze(config)
}

const toSecretKeys = (keys: readonly [string, ...string[]] | null): SecretKeys | null => {
  if (keys === null) return null
  const [newest, ...older] = keys
  return [new Secret(newest), ...older.map((key) => new Secret(key))]
}

/** Placeholder after a problem; the configuration isn't returned then. */
function parseFallback<T>(setting: Setting<T>): T {
  const parse: Parse<T> = setting.parse
  const value = setting.fallback === null ? undefined : parse(setting.fallback)
  if (value === undefined) throw new Error(`the default of ${setting.name} is invalid`)
  return value
}

function readHosts(env: Environment, problems: string[]): Record<string, string> {
  const hosts: Record<string, string> = {}
  for (const setting of HOST_SETTINGS) {
    const text = env[setting.name]
    if (!text) continue
    const value = setting.parse(text)
    if (value === undefined) problems.push(`${setting.name} must be ${setting.form}.`)
    else hosts[setting.name] = value
  }
  return hosts
}

interface Reader {
  readonly required: <T>(setting: Setting<T>) => T
  readonly optional: <T>(setting: Setting<T>) => T | null
  readonly secret: (setting: Setting<string>) => Secret | null
}

/** Required variables of each kind. */
const NEEDED: Readonly<Record<AssistantKind, readonly Setting<string>[]>> = {
  echo: [],
  openai: [SETTINGS.assistantBaseUrl, SETTINGS.assistantModel],
  http: [SETTINGS.assistantUrl],
  command: [SETTINGS.assistantCommand],
}

function readAssistant(
  read: Reader,
  env: Environment,
  problems: string[],
): Pick<GatewayConfig, 'assistant' | 'assistantEnvironment'> {
  const kind = read.required(SETTINGS.assistant)
  const given = {
    kind: env[SETTINGS.assistant.name] ? kind : null,
    baseUrl: read.optional(SETTINGS.assistantBaseUrl),
    apiKey: read.secret(SETTINGS.assistantApiKey),
    model: read.optional(SETTINGS.assistantModel),
    systemPrompt: read.optional(SETTINGS.assistantSystemPrompt),
    url: read.optional(SETTINGS.assistantUrl),
    command: read.optional(SETTINGS.assistantCommand),
    maxAnswerCharacters: read.required(SETTINGS.assistantMaxReplyCharacters),
  }
  const missing = NEEDED[kind].filter(({ name }) => !env[name])
  problems.push(...missing.map(({ name }) => `${name} must be set if GATEPOST_ASSISTANT is ${kind}.`))
  const assistantEnvironment: AssistantSettingsInput = Object.freeze(
    Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null)),
  )
  const nothing = { assistant: resolveAssistantSettings(), assistantEnvironment: {} }
  if (problems.length > 0) return nothing // not returned
  try {
    return { assistant: resolveAssistantSettings(assistantEnvironment), assistantEnvironment }
  } catch (error) {
    if (!(error instanceof AssistantSettingsError)) throw error
    problems.push(`${ASSISTANT_NAMES[error.setting] ?? 'GATEPOST_ASSISTANT'} ${error.problem}.`)
    return nothing
  }
}

const ASSISTANT_NAMES: Readonly<Record<string, string>> = {
  baseUrl: SETTINGS.assistantBaseUrl.name,
  apiKey: SETTINGS.assistantApiKey.name,
  model: SETTINGS.assistantModel.name,
  systemPrompt: SETTINGS.assistantSystemPrompt.name,
  url: SETTINGS.assistantUrl.name,
  command: SETTINGS.assistantCommand.name,
}

/** Requires TLS if other machines can connect. */
function exposure({ host, publicUrl }: GatewayConfig): string[] {
  if (isLoopback(host) || publicUrl?.startsWith('https:')) return []
  return [
    'GATEPOST_PUBLIC_URL must be an https address if GATEPOST_HOST is not a loopback address. ' +
      'Use a reverse proxy with TLS, or listen on 127.0.0.1.',
  ]
}

/** Requires two-factor authentication to be enabled if staff need it. */
function impossibleFactor({ isStaffFactorRequired, accountSettings: settings }: GatewayConfig): string[] {
  if (!isStaffFactorRequired) return []
  const { enabled, supportedTypes } = resolveSettings(settings()).settings.mfa
  if (enabled && supportedTypes.some((type) => type !== 'recovery_codes')) return []
  return [
    'GATEPOST_STAFF_SECOND_FACTOR requires two-factor authentication. Set MFA_ENABLED to true, and totp or webauthn in MFA_SUPPORTED_TYPES.',
  ]
}

function unknownNames(env: Environment): string[] {
  const ofAccounts = SETTING_TABLE.flatMap(({ name, aliases }) => [name, ...aliases])
  const known = [...ALL_SETTINGS.map((setting) => setting.name), ...OTHER_NAMES, ...ofAccounts]
  return Object.keys(env)
    .filter((name) => name.startsWith('GATEPOST_') && !known.includes(name))
    .toSorted()
    .map((name) => {
      const guess = findNearest(name, known)
      return `Unknown setting ${name}.${guess === null ? '' : ` Did you mean ${guess}?`}`
    })
}

/** Returns the candidate closest to `word`; `null` if none is close. */
function findNearest(word: string, candidates: readonly string[]): string | null {
  let best: { readonly name: string; readonly distance: number } | null = null
  for (const name of candidates) {
    const distance = editDistance(word, name)
    if (best === null || distance < best.distance) best = { name, distance }
  }
  return best !== null && best.distance <= Math.max(2, Math.floor(word.length / 5)) ? best.name : null
}

/** Returns the Levenshtein distance between two words. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (const [i, left] of a.split('').entries()) {
    const next = [i + 1]
    for (const [j, right] of b.split('').entries()) {
      const replaced = (row[j] ?? 0) + (left === right ? 0 : 1)
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
