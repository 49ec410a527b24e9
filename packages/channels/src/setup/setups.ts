import type { Platforms } from '../bound-platform.ts'
import type { ChannelSetups, SetupRef, Principal, SetupRequest, SetupWait } from '../channels.ts'
import type { CredentialStore } from '../config/credential-store.ts'
import type { Saver } from '../config/saver.ts'
import { ChannelError } from '../errors.ts'
import type { PlatformIo } from '../platform-io.ts'
import type { PlatformId } from '../platform-names.ts'
import { type SessionOptions, SetupSession } from './session.ts'
import type { SetupState, SetupView, SetupWay } from './guide.ts'

/** Guided setups, with the operations of the service itself. */
export interface Setups extends ChannelSetups {
  /** Cancels the setups in progress for this platform. */
  cancelAll(accountId: string, platform: PlatformId): void
  /** Cancels all setups in progress. */
  close(): void
}

/** Options of `createSetups`. */
export interface SetupsOptions {
  readonly io: PlatformIo
  readonly platforms: Platforms
  readonly store: CredentialStore
  readonly saver: Saver
  /** Returns whether the platform has rejected the stored credentials. */
  isRejected(accountId: string, platform: PlatformId): Promise<boolean>
}

/** Most setups of one account at a time. */
const MAX_OPEN = 10
/** At the limit, a setup that no client has polled for this long is ended. */
const ABANDONED_MS = 10 * 60 * 1_000
/** How long ended setups are kept, and how many. */
const KEEP_MS = 15 * 60 * 1_000
const KEEP = 100
/** How long the platform may take for its first answer. */
const FIRST_MS = 20_000
const never: AbortSignal = new AbortController().signal

/** Creates the guided setups of this process. */
export const createSetups = (options: SetupsOptions): Setups => new Sessions(options)

class Sessions implements Setups {
  readonly #options: SetupsOptions
  readonly #sessions = new Map<string, SetupSession>()
  /** When each setup was last polled. */
  readonly #lastSeenAt = new Map<string, number>()
  /** Codes that were shown, newest last: the page of a code also asks for replaced ones. */
  readonly #codes = new Map<string, SetupSession>()

  constructor(options: SetupsOptions) {
    this.#options = options
  }

  ways(id: PlatformId): readonly SetupWay[] {
    return this.#options.platforms[id].setups.map(({ kind, title, instructions }) => ({ kind, title, instructions }))
  }

  async start({ accountId }: Principal, id: PlatformId, { kind, fields: also }: SetupRequest): Promise<SetupView> {
    const { io, store, saver, platforms } = this.#options
    const platform = platforms[id]
    const guide = kind === null ? platform.setups[0] : platform.setups.find((one) => one.kind === kind)
    if (!guide) throw new ChannelError('setup_kind_unknown')
    const unknownName = Object.keys(also).find((name) => !platform.fields.includes(name))
    if (unknownName !== undefined) throw unknownField(unknownName, id)
    const stored = (await store.read(accountId))[id]?.credentials ?? null
    const isRejected = await this.#options.isRejected(accountId, id)
    this.#dropEnded()
    this.#makeRoom(accountId)
    const save: SessionOptions['save'] = (signal, fields, firstUser) =>
      saver.saveFor(accountId, platform, { fields: { ...also, ...fields }, firstUser: firstUser?.id ?? null }, signal)
    const session = new SetupSession({ accountId, platform: id, guide, io, stored, isRejected, save })
    this.#sessions.set(session.id, session)
    this.#lastSeenAt.set(session.id, io.clock.now())
    await session.changed(0, FIRST_MS, never)
    return this.#toView(session)
  }

  async view(of: SetupRef, { version, waitMs, signal }: SetupWait): Promise<SetupView> {
    const session = this.#find(of)
    if (waitMs > 0 && session.endedAtMs === null) {
      await session.changed(version ?? session.view().version, waitMs, signal)
    }
    return this.#toView(session)
  }

  answer(of: SetupRef, values: Readonly<Record<string, string>>): SetupView {
    const session = this.#find(of)
    session.answer(values)
    return this.#toView(session)
  }

  cancel(of: SetupRef): void {
    this.#find(of).cancel()
  }

  cancelAll(accountId: string, platform: PlatformId): void {
    for (const session of this.#sessions.values())
      if (session.accountId === accountId && session.platform === platform) session.cancel()
  }

  findStateByCode(code: string, sinceMs: number): SetupState | 'expired' | null {
    for (const session of this.#sessions.values()) this.#recordCode(session)
    const session = this.#codes.get(code)
    if (!session || (session.endedAtMs ?? sinceMs) < sinceMs) return null
    const { state, error } = session.view()
    // the guide has gone on to another code
    const replaced = session.endedAtMs === null && session.code !== null && session.code !== code
    return replaced || error === 'expired' ? 'expired' : state
  }

  isCode(code: string): boolean {
    const { io, platforms } = this.#options
    const guides = Object.values(platforms).flatMap((platform) => platform.setups)
    return this.findStateByCode(code, 0) !== null || guides.some((guide) => guide.isCodeUrl?.(code, io) === true)
  }

  close(): void {
    for (const session of this.#sessions.values()) session.cancel()
  }

  #toView(session: SetupSession): SetupView {
    this.#recordCode(session)
    return session.view()
  }

  #recordCode(session: SetupSession): void {
    if (session.code !== null) this.#codes.set(session.code, session)
  }

  #find({ accountId, platform, id }: SetupRef): SetupSession {
    const session = this.#sessions.get(id)
    if (session?.accountId !== accountId || session.platform !== platform) throw new ChannelError('unknown_setup')
    this.#lastSeenAt.set(id, this.#options.io.clock.now())
    return session
  }

  /** @throws {ChannelError} `too_many_setups` */
  #makeRoom(accountId: string): void {
    const sinceMs = this.#options.io.clock.now() - ABANDONED_MS
    const open = [...this.#sessions.values()].filter((one) => one.accountId === accountId && one.endedAtMs === null)
    if (open.length < MAX_OPEN) return
    const abandoned = open.find(({ id }) => (this.#lastSeenAt.get(id) ?? 0) < sinceMs)
    if (!abandoned) throw new ChannelError('too_many_setups')
    abandoned.expire()
  }

  #dropEnded(): void {
    const nowMs = this.#options.io.clock.now()
    const ended = [...this.#sessions.values()].filter(({ endedAtMs }) => endedAtMs !== null)
    const old = ended.filter(({ endedAtMs }, at) => at < ended.length - KEEP || nowMs - (endedAtMs ?? nowMs) > KEEP_MS)
    for (const { id } of old) {
      this.#sessions.delete(id)
      this.#lastSeenAt.delete(id)
    }
    const gone = new Set(old)
    for (const [code, session] of this.#codes) if (gone.has(session)) this.#codes.delete(code)
  }
}

const unknownField = (field: string, platform: PlatformId): ChannelError =>
  new ChannelError('credentials_invalid', { message: `${field} is not a field of ${platform}.`, details: { field } })
