import { type ChannelPlatform, readStored } from '../bound-platform.ts'
import { ChannelError } from '../errors.ts'
import type { Validation } from '../platform.ts'
import type { PlatformIo } from '../platform-io.ts'
import type { ChannelRuntime } from '../supervisor/channel-runtime.ts'
import type { ChannelReport } from '../supervisor/report.ts'
import { receives } from '../supervisor/report.ts'
import type { Supervisor } from '../supervisor/supervisor.ts'
import type { CredentialStore, StoredChannel } from './credential-store.ts'
import { readSave, savedChannel, type SaveRequest } from './save.ts'

/** Changes what is stored of a channel and brings it about. */
export interface Saver {
  /**
   * Credentials are asked for at the platform first, stored, and swapped in.
   * @throws {ChannelError} `credentials_invalid`, `credentials_rejected` (with the platform's words),
   * `platform_unreachable`, `no_credentials`, `bot_in_use`, `config_broken`, `config_unwritable`
   */
  save(accountId: string, platform: ChannelPlatform, body: unknown): Promise<void>
  /**
   * The same for what a set-up has found. Nothing is stored any more once `signal` has aborted: then it rejects with its
   * reason.
   */
  saveFor(accountId: string, platform: ChannelPlatform, found: FoundChannel, signal: AbortSignal): Promise<void>
  /** @throws {ChannelError} `no_credentials`, `config_broken`, `config_unwritable` */
  disable(accountId: string, platform: ChannelPlatform): Promise<void>
  /** Removes it, whatever stands there. @throws {ChannelError} `no_credentials`, `config_broken`, `config_unwritable` */
  forget(accountId: string, platform: ChannelPlatform): Promise<void>
  /** Asks the platform and stores nothing. @throws {ChannelError} as `save` */
  test(
    accountId: string,
    platform: ChannelPlatform,
    body: unknown,
  ): Promise<{ readonly bot: { readonly id: string; readonly name: string } }>
}

/** What a set-up has found. */
export interface FoundChannel {
  readonly fields: Readonly<Record<string, unknown>>
  /** Becomes the first of those who are answered, if nobody stands there. */
  readonly firstUser: string | null
}

export interface SaverOptions {
  readonly store: CredentialStore
  readonly supervisor: Supervisor
  readonly io: PlatformIo
  /** Of a channel, by whichever process holds its bot. */
  readonly report: (runtime: ChannelRuntime | null) => Promise<ChannelReport | null>
  /** Whether some process holds this bot. */
  readonly isHeld: (leaseName: string) => Promise<boolean>
}

/** How long `save` waits for the channel to run or fail; longer where only that proves the credentials. */
const SETTLE_MS = 5_000
const PROVE_MS = 12_000
const VALIDATE_MS = 15_000
/** Another process tells of its connection only through the database. */
const LOOK_MS = 250
const never: AbortSignal = new AbortController().signal

export const createSaver = (options: SaverOptions): Saver => new ProvingSaver(options)

class ProvingSaver implements Saver {
  readonly #options: SaverOptions
  /** Credentials that only their connection proves are saved one after another: each has a proven one to go back to. */
  readonly #proving = new Map<string, Promise<void>>()

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
    const before = (await this.#store.read(accountId))[platform.id]
    const candidate = savedChannel(platform, before, request)
    this.#checkFree(accountId, platform, candidate, request)
    if (request.credentials && candidate.enabled && platform.provedByConnecting === true)
      return this.#inTurn(`${accountId}/${platform.id}`, () => this.#prove(accountId, platform, request, signal))
    if (request.credentials) await this.#validated(platform, candidate)
    await this.#store.change(accountId, platform.id, (current) => {
      signal.throwIfAborted()
      return savedChannel(platform, current, request)
    })
    await this.#supervisor.apply(accountId, platform.id)
    await this.#settled(accountId, platform, SETTLE_MS)
  }

  #inTurn(key: string, work: () => Promise<void>): Promise<void> {
    const after = (this.#proving.get(key) ?? Promise.resolve()).then(work, work)
    this.#proving.set(key, after)
    return after
  }

  /** Stores what is to be proved, and puts back what was there when its connection disproves it. */
  async #prove(accountId: string, platform: ChannelPlatform, request: SaveRequest, signal: AbortSignal): Promise<void> {
    const reported = await this.#options.report(this.#supervisor.runtime(accountId, platform.id))
    let before: StoredChannel | undefined
    let tried: StoredChannel | undefined
    await this.#store.change(accountId, platform.id, (current) => {
      signal.throwIfAborted()
      before = current
      return (tried = savedChannel(platform, current, request))
    })
    await this.#supervisor.apply(accountId, platform.id)
    const isNew = JSON.stringify(before?.credentials) !== JSON.stringify(tried?.credentials)
    const report = await this.#proof(accountId, platform, isNew ? (reported?.sinceMs ?? null) : 'any')
    const why = report && disproof(report)
    if (why === null) return
    await this.#store.change(accountId, platform.id, (current) => putBack(current, tried, before))
    await this.#supervisor.apply(accountId, platform.id)
    // the caller is told when the one before runs again: on some platforms nothing is kept for it meanwhile
    await this.#settled(accountId, platform, SETTLE_MS)
    throw why
  }

  /**
   * What becomes of the connection. Where another process holds the bot, that one tries: with success it reports anew,
   * otherwise it lets go of the bot, and this one meets the same end.
   * @param beforeMs Since when the bot was as it was reported before; `any`: what is reported now counts.
   */
  async #proof(
    accountId: string,
    platform: ChannelPlatform,
    beforeMs: number | null | 'any',
  ): Promise<ChannelReport | null> {
    const { clock } = this.#options.io
    const untilMs = clock.now() + PROVE_MS
    for (;;) {
      const own = await this.#settled(accountId, platform, untilMs - clock.now())
      const isOpen = own?.state === 'standby' || own?.state === 'connecting'
      if (!isOpen || clock.now() >= untilMs) return own
      const theirs = await this.#options.report(this.#supervisor.runtime(accountId, platform.id))
      const isNews = beforeMs === 'any' || theirs?.sinceMs !== beforeMs
      if (theirs && (theirs.reason === 'bot_in_use' || (receives(theirs.state) && isNews))) return theirs
      await clock.sleep(LOOK_MS)
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
    const candidate = body === undefined ? current : savedChannel(platform, current, readSave(platform, body))
    if (!candidate) throw new ChannelError('no_credentials')
    const { identity, name } =
      (await this.#proven(accountId, platform, current, candidate)) ?? (await this.#validated(platform, candidate))
    return { bot: { id: identity, name } }
  }

  #checkFree(accountId: string, platform: ChannelPlatform, channel: StoredChannel, request: SaveRequest): void {
    const leaseName = `${platform.id}/${readStored(platform, channel).identity}`
    const needsBot = request.credentials || channel.enabled
    if (needsBot && this.#supervisor.usedByAnother(accountId, leaseName)) throw new ChannelError('bot_in_use')
  }

  /**
   * The connection of this very bot proves its credentials, whichever process holds it; to ask with others would end it.
   * @throws {ChannelError} `bot_in_use`
   */
  async #proven(
    accountId: string,
    platform: ChannelPlatform,
    current: StoredChannel | undefined,
    candidate: StoredChannel,
  ): Promise<{ identity: string; name: string } | null> {
    if (platform.provedByConnecting !== true) return null
    const { identity, stored } = readStored(platform, candidate)
    const leaseName = `${platform.id}/${identity}`
    const own = this.#supervisor.runtime(accountId, platform.id)
    const runtime = own?.leaseName === leaseName ? own : null
    const report = await this.#options.report(runtime)
    const isStored = current && JSON.stringify(stored) === JSON.stringify(readStored(platform, current).stored)
    if (isStored && report && receives(report.state)) return { identity, name: report.botName ?? identity }
    const isHere = runtime !== null && runtime.report().state !== 'standby'
    const isConnected = isHere
      ? receives(runtime.report().state)
      : this.#supervisor.usedByAnother(accountId, leaseName) || (await this.#options.isHeld(leaseName))
    if (!isConnected) return null
    const message = 'This bot is connected now, and a test with other credentials would end that. Save them instead.'
    throw new ChannelError('bot_in_use', { message })
  }

  async #settled(accountId: string, platform: ChannelPlatform, withinMs: number): Promise<ChannelReport | null> {
    const runtime = this.#supervisor.runtime(accountId, platform.id)
    const waiting = new AbortController()
    await Promise.race([runtime?.settled(), this.#options.io.clock.sleep(withinMs, waiting.signal)])
    waiting.abort()
    return runtime?.report() ?? null
  }

  async #validated(platform: ChannelPlatform, channel: StoredChannel): Promise<Extract<Validation, { ok: true }>> {
    const answer = await readStored(platform, channel).validate(this.#options.io, AbortSignal.timeout(VALIDATE_MS))
    if (answer.ok) return answer
    const code = answer.reason === 'rejected' ? 'credentials_rejected' : 'platform_unreachable'
    throw new ChannelError(code, { message: answer.message })
  }
}

/** The channel without the credentials that were disproved; what was changed meanwhile stays as it is. */
function putBack(
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

/** Why what a new connection tells of itself speaks against its credentials; `null`: it does not. */
function disproof({ state, reason, message }: ChannelReport): ChannelError | null {
  const words = message === null ? {} : { message }
  if (state === 'rejected') return new ChannelError('credentials_rejected', words)
  if (reason === 'bot_in_use') return new ChannelError('bot_in_use')
  return state === 'backing_off' && reason === 'network' ? new ChannelError('platform_unreachable', words) : null
}
