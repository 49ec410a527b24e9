import { type ChannelPlatform, readStored } from '../bound-platform.ts'
import { ChannelError } from '../errors.ts'
import type { PlatformIo, Validation } from '../platform.ts'
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
  /** The same for what a set-up has found. `firstUser` becomes the first of those who are answered, if nobody stands there. */
  saveFor(
    accountId: string,
    platform: ChannelPlatform,
    fields: Readonly<Record<string, unknown>>,
    firstUser: string | null,
  ): Promise<void>
  /** @throws {ChannelError} `no_credentials`, `config_broken`, `config_unwritable` */
  disable(accountId: string, platform: ChannelPlatform): Promise<void>
  /** Asks the platform and stores nothing. @throws {ChannelError} as `save` */
  test(
    accountId: string,
    platform: ChannelPlatform,
    body: unknown,
  ): Promise<{ readonly bot: { readonly id: string; readonly name: string } }>
}

export interface SaverOptions {
  readonly store: CredentialStore
  readonly supervisor: Supervisor
  readonly io: PlatformIo
}

/** How long `save` waits for the channel to run or fail; longer where only that proves the credentials. */
const SETTLE_MS = 5_000
const PROVE_MS = 12_000
const VALIDATE_MS = 15_000

export const createSaver = (options: SaverOptions): Saver => new ProvingSaver(options)

class ProvingSaver implements Saver {
  readonly #store: CredentialStore
  readonly #supervisor: Supervisor
  readonly #io: PlatformIo

  constructor({ store, supervisor, io }: SaverOptions) {
    this.#store = store
    this.#supervisor = supervisor
    this.#io = io
  }

  async save(accountId: string, platform: ChannelPlatform, body: unknown): Promise<void> {
    const request = readSave(platform, body)
    const before = (await this.#store.read(accountId))[platform.id]
    const candidate = savedChannel(platform, before, request)
    this.#checkFree(accountId, platform, candidate, request)
    const proves = request.credentials && candidate.enabled && platform.provedByConnecting === true
    if (request.credentials && !proves) await this.#validated(platform, candidate)
    await this.#store.change(accountId, platform.id, (current) => savedChannel(platform, current, request))
    await this.#supervisor.apply(accountId)
    const report = await this.#settled(accountId, platform, proves ? PROVE_MS : SETTLE_MS)
    const why = proves && report ? disproof(report) : null
    if (why === null) return
    await this.#store.change(accountId, platform.id, () => before)
    await this.#supervisor.apply(accountId)
    throw why
  }

  async saveFor(
    accountId: string,
    platform: ChannelPlatform,
    fields: Readonly<Record<string, unknown>>,
    firstUser: string | null,
  ): Promise<void> {
    const before = (await this.#store.read(accountId))[platform.id]
    const first = firstUser !== null && (before?.allowedUsers ?? []).length === 0
    await this.save(accountId, platform, { ...fields, enabled: true, ...(first && { allowed_users: [firstUser] }) })
  }

  async disable(accountId: string, platform: ChannelPlatform): Promise<void> {
    await this.#store.change(accountId, platform.id, (current) => {
      if (!current) throw new ChannelError('no_credentials')
      return { ...current, enabled: false }
    })
    await this.#supervisor.apply(accountId)
  }

  async test(accountId: string, platform: ChannelPlatform, body: unknown): ReturnType<Saver['test']> {
    const current = (await this.#store.read(accountId))[platform.id]
    const candidate = body === undefined ? current : savedChannel(platform, current, readSave(platform, body))
    if (!candidate) throw new ChannelError('no_credentials')
    const { identity, name } =
      this.#proven(accountId, platform, current, candidate) ?? (await this.#validated(platform, candidate))
    return { bot: { id: identity, name } }
  }

  #checkFree(accountId: string, platform: ChannelPlatform, channel: StoredChannel, request: SaveRequest): void {
    const leaseName = `${platform.id}/${readStored(platform, channel).identity}`
    const needsBot = request.credentials || channel.enabled
    if (needsBot && this.#supervisor.usedByAnother(accountId, leaseName)) throw new ChannelError('bot_in_use')
  }

  /** The connection of this very bot proves its credentials; to ask with others would end it. */
  #proven(
    accountId: string,
    platform: ChannelPlatform,
    current: StoredChannel | undefined,
    candidate: StoredChannel,
  ): { identity: string; name: string } | null {
    const runtime = this.#supervisor.runtime(accountId, platform.id)
    if (platform.provedByConnecting !== true || !current || !runtime) return null
    const report = runtime.report()
    const { identity, stored } = readStored(platform, candidate)
    if (!receives(report.state) || readStored(platform, current).identity !== identity) return null
    if (JSON.stringify(stored) === JSON.stringify(readStored(platform, current).stored))
      return { identity, name: report.botName ?? identity }
    const message = 'This bot is connected now, and a test with other credentials would end that. Save them instead.'
    throw new ChannelError('bot_in_use', { message })
  }

  async #settled(accountId: string, platform: ChannelPlatform, withinMs: number): Promise<ChannelReport | null> {
    const runtime = this.#supervisor.runtime(accountId, platform.id)
    const waiting = new AbortController()
    await Promise.race([runtime?.settled(), this.#io.clock.sleep(withinMs, waiting.signal)])
    waiting.abort()
    return runtime?.report() ?? null
  }

  async #validated(platform: ChannelPlatform, channel: StoredChannel): Promise<Extract<Validation, { ok: true }>> {
    const answer = await readStored(platform, channel).validate(this.#io, AbortSignal.timeout(VALIDATE_MS))
    if (answer.ok) return answer
    const code = answer.reason === 'rejected' ? 'credentials_rejected' : 'platform_unreachable'
    throw new ChannelError(code, { message: answer.message })
  }
}

/** Why what a new connection tells of itself speaks against its credentials; `null`: it does not. */
function disproof({ state, reason, message }: ChannelReport): ChannelError | null {
  const words = message === null ? {} : { message }
  if (state === 'rejected') return new ChannelError('credentials_rejected', words)
  return state === 'backing_off' && reason === 'network' ? new ChannelError('platform_unreachable', words) : null
}
