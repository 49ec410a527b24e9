import { type ChannelPlatform, readStored } from '../bound-platform.ts'
import { OWNER_ACCOUNT } from '../channels.ts'
import { ChannelError } from '../errors.ts'
import type { Validation } from '../platform.ts'
import type { PlatformIo } from '../platform-io.ts'
import type { ServerAccess } from '../server-access.ts'
import { createKeyedLimiter } from '../semaphore.ts'
import type { ChannelRuntime } from '../supervisor/channel-runtime.ts'
import { type ChannelReport, receives } from '../supervisor/report.ts'
import type { Supervisor } from '../supervisor/supervisor.ts'
import type { CredentialStore, StoredChannel } from './credential-store.ts'
import { readSave, applySave, type SaveRequest } from './save-request.ts'

/** Changes stored channels and applies the changes. */
export interface Saver {
  /**
   * Saves the body of a save request. Credentials are validated with the platform, stored, and applied.
   * @throws {ChannelError} `credentials_invalid`, `server_not_public`, `credentials_rejected` (with the platform's
   * message), `platform_unreachable`, `no_credentials`, `bot_in_use`, `config_broken`, `config_unwritable`
   */
  save(accountId: string, platform: ChannelPlatform, body: unknown): Promise<void>
  /**
   * Saves the result of a setup. Once `signal` has aborted, nothing is stored and it rejects with the signal's reason.
   */
  saveFor(accountId: string, platform: ChannelPlatform, found: FoundChannel, signal: AbortSignal): Promise<void>
  /** @throws {ChannelError} `no_credentials`, `config_broken`, `config_unwritable` */
  disable(accountId: string, platform: ChannelPlatform): Promise<void>
  /** Removes the channel, even a malformed one. @throws {ChannelError} `no_credentials`, `config_broken`, `config_unwritable` */
  forget(accountId: string, platform: ChannelPlatform): Promise<void>
  /** Validates with the platform without saving. @throws {ChannelError} as `save` */
  test(
    accountId: string,
    platform: ChannelPlatform,
    body: unknown,
  ): Promise<{ readonly bot: { readonly id: string; readonly name: string } }>
}

/** The result of a setup. */
export interface FoundChannel {
  readonly fields: Readonly<Record<string, unknown>>
  /** Becomes the first allowed user if there is none. */
  readonly firstUser: string | null
}

/** Options of `createSaver`. */
export interface SaverOptions {
  readonly store: CredentialStore
  readonly supervisor: Supervisor
  readonly io: PlatformIo
  readonly access: ServerAccess
  /** Most channels of an account other than the owner's. */
  readonly maxChannels: number
  /** Returns a channel's report, from whichever process holds its bot. */
  readonly report: (runtime: ChannelRuntime | null) => Promise<ChannelReport | null>
  /** Returns whether any process holds this bot. */
  readonly isHeld: (leaseName: string) => Promise<boolean>
}

/** How long `save` waits for the channel to run or fail; longer where connecting is the only validation. */
const SETTLE_MS = 5_000
const PROVE_MS = 12_000
const VALIDATE_MS = 15_000
/** Another process reports its connection only through the database. */
const POLL_MS = 250
const never: AbortSignal = new AbortController().signal

/** Creates the saver of this process. */
export const createSaver = (options: SaverOptions): Saver => new ChannelSaver(options)

class ChannelSaver implements Saver {
  readonly #options: SaverOptions
  /** Credentials validated by connecting are saved one after another, so that each can be rolled back to valid ones. */
  readonly #proving = createKeyedLimiter()

  constructor(options: SaverOptions) {
    this.#options = options
  }

  get #store(): CredentialStore {
    return this.#options.store
  }

  get #supervisor(): Supervisor {
    return this.#options.supervisor
  }

  save(accountId: string, platform: ChannelPlatform, body: unknown): Promise<void> {
    return this.#save(accountId, platform, body, never)
  }

  async #save(accountId: string, platform: ChannelPlatform, body: unknown, signal: AbortSignal): Promise<void> {
    const request = readSave(platform, body)
    const stored = await this.#store.read(accountId)
    const before = stored[platform.id]
    const candidate = applySave(platform, before, request)
    const isFull = Object.keys(stored).length >= this.#options.maxChannels
    if (before === undefined && isFull && accountId !== OWNER_ACCOUNT) throw new ChannelError('too_many_channels')
    this.#checkFree(accountId, platform, candidate, request)
    if (request.credentials) await this.#options.access.check(accountId, readStored(platform, candidate))
    if (request.credentials && candidate.enabled && platform.provedByConnecting === true)
      return this.#proving.run(`${accountId}/${platform.id}`, () => this.#prove(accountId, platform, request, signal))
    if (request.credentials) await this.#validateWithPlatform(accountId, platform, candidate)
    await this.#store.change(accountId, platform.id, (current) => {
      signal.throwIfAborted()
      return applySave(platform, current, request)
    })
    await this.#supervisor.apply(accountId, platform.id)
    await this.#waitUntilSettled(accountId, platform, SETTLE_MS)
  }

  /** Stores the new credentials, and rolls them back when connecting with them fails. */
  async #prove(accountId: string, platform: ChannelPlatform, request: SaveRequest, signal: AbortSignal): Promise<void> {
    const reported = await this.#options.report(this.#supervisor.runtime(accountId, platform.id))
    let before: StoredChannel | undefined
    let tried: StoredChannel | undefined
    await this.#store.change(accountId, platform.id, (current) => {
      signal.throwIfAborted()
      before = current
      return (tried = applySave(platform, current, request))
    })
    await this.#supervisor.apply(accountId, platform.id)
    const isNew = JSON.stringify(before?.credentials) !== JSON.stringify(tried?.credentials)
    const report = await this.#waitForProof(accountId, platform, isNew ? (reported?.sinceMs ?? null) : 'any')
    const why = report && findDisproof(report)
    if (why === null) return
    await this.#store.change(accountId, platform.id, (current) => rollBack(current, tried, before))
    await this.#supervisor.apply(accountId, platform.id)
    // wait until the previous connection is back: some platforms keep no messages while it is down
    await this.#waitUntilSettled(accountId, platform, SETTLE_MS)
    throw why
  }

  /**
   * Waits for the connection to succeed or fail. Where another process holds the bot, that process tries: on success it
   * sends a new report, otherwise it releases the bot, and this process meets the same failure.
   * @param beforeMs `sinceMs` of the report before the change; `any`: the current report counts.
   */
  async #waitForProof(
    accountId: string,
    platform: ChannelPlatform,
    beforeMs: number | null | 'any',
  ): Promise<ChannelReport | null> {
    const { clock } = this.#options.io
    const untilMs = clock.now() + PROVE_MS
    for (;;) {
      const own = await this.#waitUntilSettled(accountId, platform, untilMs - clock.now())
      const isOpen = own?.state === 'standby' || own?.state === 'connecting'
      if (!isOpen || clock.now() >= untilMs) return own
      const theirs = await this.#options.report(this.#supervisor.runtime(accountId, platform.id))
      const isNews = beforeMs === 'any' || theirs?.sinceMs !== beforeMs
      if (theirs && (theirs.reason === 'bot_in_use' || (receives(theirs.state) && isNews))) return theirs
      await clock.sleep(POLL_MS)
    }
  }

  async saveFor(
    accountId: string,
    platform: ChannelPlatform,
    { fields, firstUser }: FoundChannel,
    signal: AbortSignal,
  ): Promise<void> {
    const before = (await this.#store.read(accountId))[platform.id]
    const first = firstUser !== null && (before?.allowedUsers ?? []).length === 0
    const body = { ...fields, enabled: true, ...(first && { allowed_users: [firstUser] }) }
    await this.#save(accountId, platform, body, signal)
  }

  async disable(accountId: string, platform: ChannelPlatform): Promise<void> {
    await this.#store.change(accountId, platform.id, (current) => {
      if (!current) throw new ChannelError('no_credentials')
      return { ...current, enabled: false }
    })
    await this.#supervisor.apply(accountId, platform.id)
  }

  async forget(accountId: string, platform: ChannelPlatform): Promise<void> {
    await this.#store.change(accountId, platform.id, (current) => {
      if (!current) throw new ChannelError('no_credentials')
      return undefined
    })
    await this.#supervisor.apply(accountId, platform.id)
  }

  async test(accountId: string, platform: ChannelPlatform, body: unknown): ReturnType<Saver['test']> {
    const current = (await this.#store.read(accountId))[platform.id]
    const candidate = body === undefined ? current : applySave(platform, current, readSave(platform, body))
    if (!candidate) throw new ChannelError('no_credentials')
    await this.#options.access.check(accountId, readStored(platform, candidate))
    const { identity, name } =
      (await this.#findProvenBot(accountId, platform, current, candidate)) ??
      (await this.#validateWithPlatform(accountId, platform, candidate))
    return { bot: { id: identity, name } }
  }

  #checkFree(accountId: string, platform: ChannelPlatform, channel: StoredChannel, request: SaveRequest): void {
    const leaseName = readStored(platform, channel).leaseName(this.#options.io)
    const needsBot = request.credentials || channel.enabled
    if (needsBot && this.#supervisor.usedByAnother(accountId, leaseName)) throw new ChannelError('bot_in_use')
  }

  /**
   * A live connection of this bot validates its credentials, whichever process holds it; testing others would end it.
   * @throws {ChannelError} `bot_in_use`
   */
  async #findProvenBot(
    accountId: string,
    platform: ChannelPlatform,
    current: StoredChannel | undefined,
    candidate: StoredChannel,
  ): Promise<{ identity: string; name: string } | null> {
    if (platform.provedByConnecting !== true) return null
    const credentials = readStored(platform, candidate)
    const { identity, stored } = credentials
    const leaseName = credentials.leaseName(this.#options.io)
    const own = this.#supervisor.runtime(accountId, platform.id)
    const runtime = own?.leaseName === leaseName ? own : null
    const report = await this.#options.report(runtime)
    const isStored = current && JSON.stringify(stored) === JSON.stringify(readStored(platform, current).stored)
    if (isStored && report && receives(report.state)) return { identity, name: report.toBotKey ?? identity }
    const isHere = runtime !== null && runtime.report().state !== 'standby'
    const isConnected = isHere
      ? receives(runtime.report().state)
      : this.#supervisor.usedByAnother(accountId, leaseName) || (await this.#options.isHeld(leaseName))
    if (!isConnected) return null
    const message = 'This bot is connected, and a test with other credentials would disconnect it. Save them instead.'
    throw new ChannelError('bot_in_use', { message })
  }

  async #waitUntilSettled(
    accountId: string,
    platform: ChannelPlatform,
    withinMs: number,
  ): Promise<ChannelReport | null> {
    const runtime = this.#supervisor.runtime(accountId, platform.id)
    const waiting = new AbortController()
    await Promise.race([runtime?.settled(), this.#options.io.clock.sleep(withinMs, waiting.signal)])
    waiting.abort()
    return runtime?.report() ?? null
  }

  async #validateWithPlatform(
    accountId: string,
    platform: ChannelPlatform,
    channel: StoredChannel,
  ): Promise<Extract<Validation, { ok: true }>> {
    const credentials = readStored(platform, channel)
    const io = this.#options.access.ioFor(accountId, credentials)
    const answer = await credentials.validate(io, AbortSignal.timeout(VALIDATE_MS))
    if (answer.ok) return answer
    const code = answer.reason === 'rejected' ? 'credentials_rejected' : 'platform_unreachable'
    throw new ChannelError(code, { message: answer.message })
  }
}

/** Returns the channel without the rejected credentials; other changes made in the meantime are kept. */
function rollBack(
  current: StoredChannel | undefined,
  tried: StoredChannel | undefined,
  before: StoredChannel | undefined,
): StoredChannel | undefined {
  const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)
  if (!current || !tried || !isSame(current.credentials, tried.credentials)) return current
  if (!before) return undefined
  return {
    credentials: before.credentials,
    enabled: isSame(current.enabled, tried.enabled) ? before.enabled : current.enabled,
    allowedUsers: isSame(current.allowedUsers, tried.allowedUsers) ? before.allowedUsers : current.allowedUsers,
  }
}

/** Returns why a report means that the credentials don't work, or `null`. */
function findDisproof({ state, reason, message }: ChannelReport): ChannelError | null {
  const words = message === null ? {} : { message }
  if (state === 'rejected') return new ChannelError('credentials_rejected', words)
  if (reason === 'bot_in_use') return new ChannelError('bot_in_use')
  return state === 'backing_off' && reason === 'network' ? new ChannelError('platform_unreachable', words) : null
}
