import { type Accounts, createAccounts } from './accounts/accounts.ts'
import type { GatewayTables } from './accounts/schema.ts'
import { sealedAssistant } from './assistant/assistant-keeper.ts'
import { composeAssistant } from './assistant/compose.ts'
import type { GatewayConfig } from './config/config.ts'
import { childEnvironment } from './config/child-environment.ts'
import { isLoopback } from './config/forms.ts'
import { type ChildDemo, childDemo } from './demo/child-demo.ts'
import type { RunningDemo } from './demo/demo.ts'
import { toOrigin } from './config/public-url.ts'
import { openDataFolder, ownerToken, ownSecretKeys } from './data-folder.ts'
import { createKeyRotation, type KeyRotation } from './keys/key-rotation.ts'
import { createRotationStore } from './keys/key-rotation.sql.ts'
import { forgetOlderKeys, keyIds, type SecretKeys } from './keys/secret-keys.sql.ts'
import { type LineSink, type ProcessLog, stderrSink } from './log/log.ts'
import { type OpenLog, openLog } from './log/open-log.ts'
import { serveApp } from './serve-app.ts'
import { readTodaysLines } from './log/daily-file.ts'
import { StartError } from './server/errors.ts'
import { systemClock } from './system-clock.ts'
import { VERSION } from './version.ts'
import { AuthError, type AuthTables, type MailTransport } from '@gatepost/auth'
import {
  type Assistant,
  channelMigrations,
  type Channels,
  type ChannelTables,
  type Clock,
  createChannels,
  type Secret,
} from '@gatepost/channels'
import {
  createPublicNetwork,
  type Database,
  migrate,
  openDatabase,
  openPresence,
  type Presence,
  SqlError,
} from '@gatepost/sql'
import { join } from 'node:path'

/** A running service. */
export interface Gateway {
  readonly url: string
  readonly ownerToken: Secret
  /** Link that creates the first account, once, within a day; `null` if one exists. Only for the operator's terminal. */
  readonly firstAccountUrl: string | null
  /** Link that signs a demo visitor in; `null` if this isn't a demo. */
  readonly demoUrl: string | null
  readonly accounts: Accounts
  readonly channels: Channels
  readonly log: ProcessLog
  /**
   * Resolves with the reason, for the log, when this process can't go on: it can no longer send heartbeats, so that other
   * processes take over its connections, or a sync to disk has failed. Stop it and start a new one.
   */
  readonly lost: Promise<LossReason>
  /** Finishes or parks running work within 10 s and releases everything. Further calls have no effect. */
  stop(): Promise<void>
}

/** Why a process can't go on. */
export interface LossReason {
  readonly message: string
  readonly error?: unknown
}

const SYNC_FAILED = "Couldn't sync the database to disk: what was stored may not survive a power loss. Check the disk"

/** Replacements for tests, benchmarks and the demo. */
export interface GatewayOverrides {
  readonly clock?: Clock
  readonly random?: () => number
  readonly fetch?: typeof fetch
  readonly assistant?: Assistant
  /** Replaces the mail transport of the settings. */
  readonly mail?: MailTransport
  /** Replaces stderr. The daily file is always written. */
  readonly sink?: LineSink
  /** Emulated platforms for visitors of the console. */
  readonly demo?: RunningDemo
}

type Tables = ChannelTables & AuthTables & GatewayTables

/** Time limits for stopping, in milliseconds. */
const STOP = { channels: 8000, requests: 1500 } as const

/** Cleanup steps, run in reverse. Failures are logged and don't prevent the others. */
type Closers = (() => Promise<void>)[]

/**
 * Starts the whole service: data folder, log, database, channels, HTTP.
 * @throws {StartError} with a message for the operator; nothing keeps running
 */
export async function startGateway(config: GatewayConfig, overrides: GatewayOverrides = {}): Promise<Gateway> {
  const clock = overrides.clock ?? systemClock
  await openDataFolder(config.dataDir)
  const opened = openLog(config, clock, overrides.sink ?? stderrSink())
  const { log } = opened
  const closers: Closers = []
  try {
    return await compose(config, overrides, { ...opened, clock, closers })
  } catch (error) {
    await closeAll(closers, log)
    log.close()
    throw startError(error)
  }
}

async function compose(
  config: GatewayConfig,
  overrides: GatewayOverrides,
  world: OpenLog & { readonly clock: Clock; readonly closers: Closers },
): Promise<Gateway> {
  const { clock, log, closers } = world
  for (const warning of config.warnings) log.warn(warning)
  const token = await ownerToken(config.dataDir)
  const secretKeys = config.secretKeys ?? (await ownSecretKeys(config.dataDir))
  const database = await openDatabase<Tables>(
    config.databaseUrl === null ? { file: join(config.dataDir, 'gatepost.db') } : { url: config.databaseUrl.reveal() },
  )
  closers.push(() => database.close())
  await migrate(database, { owner: 'channels', migrations: channelMigrations, nowMs: clock.now() })
  const accounts = await startAccounts(config, overrides, { clock, log, database, secretKeys, token })
  closers.push(() => accounts.close())
  const lost = Promise.withResolvers<LossReason>()
  void database.failed.then((error) => lost.resolve({ message: SYNC_FAILED, error }))
  const onLost = (): void => lost.resolve({ message: 'Lost the connection that sends heartbeats' })
  const presence = await openPresence(database, { folder: join(config.dataDir, 'presence'), onLost })
  closers.push(() => presence.close())
  const { assistant, desk } = startAssistant(config, overrides, { clock, log, database, accounts })
  const channels = startChannels(config, overrides, { clock, log, database, presence, secretKeys, assistant })
  const keyRotation = startKeyRotation({ clock, log, database, accounts, channels, secretKeys })
  const stopping = new AbortController()
  const demos = createDemos(config, overrides, world)
  const server = await serveApp(config, {
    channels,
    accounts,
    desk,
    keyRotation,
    ...world,
    ...demos,
    stopping: stopping.signal,
    database: database.dialect === 'postgres' ? 'postgresql' : 'sqlite',
  })
  closers.push(() => keyRotation.stop())
  closers.push(() => channels.stop(STOP.channels))
  closers.push(() => server.close(STOP.requests))
  closers.push(async () => demos.childDemo?.stop())
  await channels.start()
  await keyRotation.resume()
  const links = await createLinks(config, accounts, server)
  log.info('Gatepost is ready', { url: server.url, version: VERSION, data: config.dataDir })
  return {
    url: server.url,
    ownerToken: token,
    ...links,
    accounts,
    channels,
    log,
    lost: lost.promise,
    stop: once(() => stopAll(closers, log, stopping)),
  }
}

/** Creates the links for the operator's terminal. */
async function createLinks(
  { publicUrl }: GatewayConfig,
  accounts: Accounts,
  { url }: { readonly url: string },
): Promise<Pick<Gateway, 'firstAccountUrl' | 'demoUrl'>> {
  const first = await accounts.createFirstAccountPath()
  return {
    firstAccountUrl: first === null ? null : `${publicUrl === null ? url : toOrigin(publicUrl)}${first}`,
    demoUrl: accounts.demoPath === null ? null : `${url}${accounts.demoPath}`,
  }
}

function startAccounts(
  config: GatewayConfig,
  overrides: GatewayOverrides,
  world: { clock: Clock; log: ProcessLog; database: Database<Tables>; secretKeys: SecretKeys; token: Secret },
): Promise<Accounts> {
  const { clock, log, database, secretKeys, token } = world
  return createAccounts({
    database,
    secretKeys,
    canForgetKeys: config.canForgetKeys,
    ownerToken: token,
    publicUrl: config.publicUrl,
    settings: config.accountSettings(),
    isSignupOpen: config.isSignupOpen,
    isStaffFactorRequired: config.isStaffFactorRequired,
    maxTokens: config.maxTokens,
    auditRetentionMs: config.auditDays * 86_400_000,
    clock,
    log,
    ...(overrides.mail !== undefined && { mail: overrides.mail }),
    ...(overrides.demo !== undefined && { demoKey: overrides.demo.key }),
  })
}

/** Creates the demo of this process, or the starter of a separate one if only this machine can reach the service. */
function createDemos(
  { publicUrl, host }: GatewayConfig,
  overrides: GatewayOverrides,
  { clock, log }: { readonly clock: Clock; readonly log: ProcessLog },
): { readonly demo: RunningDemo | null; readonly childDemo: ChildDemo | null } {
  const demo = overrides.demo ?? null
  const canStart = demo === null && publicUrl === null && isLoopback(host)
  return { demo, childDemo: canStart ? childDemo({ env: process.env, clock, log }) : null }
}

const startAssistant = (
  config: GatewayConfig,
  overrides: GatewayOverrides,
  world: { clock: Clock; log: ProcessLog; database: Database<Tables>; accounts: Accounts },
): ReturnType<typeof composeAssistant> =>
  composeAssistant({
    clock: world.clock,
    log: world.log,
    database: world.database,
    sealer: world.accounts.auth.kernel.sealer,
    env: config.assistantEnvironment,
    fixed: overrides.assistant ?? null,
    fetch: overrides.fetch ?? fetch,
    environment: childEnvironment(process.env, config.assistantVariables),
  })

/** Creates the rotation of all stored secrets. */
function startKeyRotation(world: {
  clock: Clock
  log: ProcessLog
  database: Database<Tables>
  accounts: Accounts
  channels: Channels
  secretKeys: SecretKeys
}): KeyRotation {
  const { clock, log, accounts, channels, secretKeys } = world
  const database = world.database as unknown as Database<GatewayTables> // the same database, typed by the gateway's tables
  const { kernel } = accounts.auth
  return createKeyRotation({
    tables: [...accounts.auth.sealedTables(), sealedAssistant(database, kernel.sealer), ...channels.sealedTables()],
    store: createRotationStore(database),
    keyId: keyIds(secretKeys)[0],
    onDone: () => forgetOlderKeys(database, secretKeys),
    clock,
    log,
  })
}

function startChannels(
  config: GatewayConfig,
  overrides: GatewayOverrides,
  world: {
    clock: Clock
    log: ProcessLog
    database: Database<Tables>
    presence: Presence
    secretKeys: SecretKeys
    assistant: Assistant
  },
): Channels {
  const { clock, log, database, presence, secretKeys, assistant } = world
  return createChannels({
    database,
    presence,
    dataDir: config.dataDir,
    secretKeys,
    assistant,
    clock,
    random: overrides.random ?? Math.random,
    log,
    fetch: overrides.fetch ?? fetch,
    publicNetwork: createPublicNetwork({ allowed: config.privateServers }),
    hosts: config.hosts,
    settings: {
      leaseMs: config.leaseSeconds * 1000,
      concurrentTurns: config.concurrentTurns,
      history: config.assistant,
      retentionMs: config.retentionDays * 86_400_000,
      pacing: config.pacing,
      maxChannels: config.maxChannels,
      maxStoredBytes: config.maxStoredBytes,
    },
    todaysLog() {
      log.flush()
      return readTodaysLines(join(config.dataDir, 'log'), clock.now())
    },
  })
}

async function stopAll(closers: Closers, log: ProcessLog, stopping: AbortController): Promise<void> {
  log.info('Gatepost is stopping')
  stopping.abort()
  await closeAll(closers, log)
  log.info('Gatepost has stopped')
  log.close()
}

function once(run: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | null = null
  return () => (done ??= run())
}

/** Closes everything in reverse order. */
async function closeAll(closers: Closers, log: ProcessLog): Promise<void> {
  for (let close = closers.pop(); close !== undefined; close = closers.pop()) {
    try {
      await close()
    } catch (error) {
      log.error("A part of the service didn't close properly", { error })
    }
  }
}

function startError(error: unknown): unknown {
  if (error instanceof AuthError && error.code === 'settings_invalid')
    return new StartError(error.message, { cause: error })
  if (!(error instanceof SqlError)) return error
  const reason = error.details['reason']
  const why = reason === undefined ? '' : ` (${reason})`
  return new StartError(`${error.message}${why} Check GATEPOST_DATABASE_URL and GATEPOST_DATA_DIR.`, { cause: error })
}
