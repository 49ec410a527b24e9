import type { Platforms } from '../bound-platform.ts'
import type { ChannelSetups, SetupRef, Principal, SetupRequest, SetupWait } from '../channels.ts'
import type { CredentialStore } from '../config/credential-store.ts'
import type { Saver } from '../config/saver.ts'
import { ChannelError } from '../errors.ts'
import type { PlatformIo } from '../platform-io.ts'
import type { PlatformId } from '../platform-names.ts'
import { SetupSession } from './session.ts'
import type { SetupStore, StoredSetup } from './setup-store.ts'
import type { SetupGuide, SetupState, SetupView, SetupWay } from './guide.ts'

/** Guided setups, with the operations of the service itself. */
export interface Setups extends ChannelSetups {
  /** Cancels the setups in progress for this platform. */
  cancelAll(accountId: string, platform: PlatformId): void
  /** Ends all setups in progress here. Those with a stored code go on in the next process. */
  close(): void
}

/** Options of `createSetups`. */
export interface SetupsOptions {
  readonly io: PlatformIo
  readonly platforms: Platforms
  readonly store: CredentialStore
  readonly saver: Saver
  readonly setupStore: SetupStore
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

/** Above every version that a client has seen since the progress was stored. */
const VERSIONS_PER_RUN = 1_000
const SETUP_ID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/

/** Creates the guided setups of this process. */
export const createSetups = (options: SetupsOptions): Setups => new Sessions(options)

class Sessions implements Setups {
  readonly #options: SetupsOptions
  readonly #sessions = new Map<string, SetupSession>()
  /** When each setup was last polled. */
  readonly #lastSeenAt = new Map<string, number>()
  /** Codes that were shown, newest last: the page of a code also asks for replaced ones. */
  readonly #codes = new Map<string, SetupSession>()
  /** Setups that are being claimed, by ID. */
  readonly #claims = new Map<string, Promise<void>>()
  #isClosing = false

  constructor(options: SetupsOptions) {
    this.#options = options
  }

  ways(id: PlatformId): readonly SetupWay[] {
    return this.#options.platforms[id].setups.map(({ kind, title, instructions }) => ({ kind, title, instructions }))
  }

  async start({ accountId }: Principal, id: PlatformId, { kind, fields: also }: SetupRequest): Promise<SetupView> {
    const platform = this.#options.platforms[id]
    const guide = kind === null ? platform.setups[0] : platform.setups.find((one) => one.kind === kind)
    if (!guide) throw new ChannelError('setup_kind_unknown')
    const unknownName = Object.keys(also).find((name) => !platform.fields.includes(name))
    if (unknownName !== undefined) throw unknownField(unknownName, id)
    const session = await this.#run({ accountId, platform: id, fields: also }, guide)
    await session.changed(0, FIRST_MS, never)
    return this.#toView(session)
  }

  async #run(
    of: Pick<StoredSetup, 'accountId' | 'platform' | 'fields'>,
    guide: SetupGuide,
    resumed?: StoredSetup,
  ): Promise<SetupSession> {
    const { io, store, saver, platforms, setupStore } = this.#options
    const { accountId, platform, fields: also } = of
    const stored = (await store.read(accountId))[platform]?.credentials ?? null
    const isRejected = await this.#options.isRejected(accountId, platform)
    this.#dropEnded()
    this.#makeRoom(accountId)
    const session = new SetupSession({
      accountId,
      platform,
      guide,
      io,
      stored,
      isRejected,
      save: (signal, fields, firstUser) =>
        saver.saveFor(
          accountId,
          platforms[platform],
          { fields: { ...also, ...fields }, firstUser: firstUser?.id ?? null },
          signal,
        ),
      keep: async (kept, progress, expiresAtMs) => {
        const { id, startedAtMs, codes } = kept
        const version = kept.version + VERSIONS_PER_RUN
        const setup = { id, accountId, platform, fields: also, kind: guide.kind, startedAtMs, codes, version, progress }
        await setupStore.save(setup, expiresAtMs, io.clock.now())
        if (kept.endedAtMs !== null) this.#forget(id)
      },
      ended: (id) => this.#forget(id),
      ...(resumed && { resumed }),
    })
    this.#sessions.set(session.id, session)
    this.#lastSeenAt.set(session.id, io.clock.now())
    return session
  }

  /** Removes the stored progress of an ended setup, unless the next process is to go on with it. */
  #forget(id: string): void {
    if (this.#isClosing) return
    const { setupStore, io } = this.#options
    void setupStore.remove(id).catch((error: unknown) => {
      io.log.warn("A stored setup couldn't be removed", { error })
    })
  }

  /** Goes on with a setup that another process left behind. */
  async #resume(id: string): Promise<void> {
    if (this.#sessions.has(id) || this.#isClosing || !SETUP_ID.test(id)) return
    const claim = this.#claims.get(id) ?? this.#claim(id).finally(() => this.#claims.delete(id))
    this.#claims.set(id, claim)
    await claim
  }

  async #claim(id: string): Promise<void> {
    const { setupStore, io, platforms } = this.#options
    const setup = await setupStore.claim(id, io.clock.now())
    const guide = setup && platforms[setup.platform].setups.find(({ kind }) => kind === setup.kind)
    if (!setup || !guide) return
    const session = await this.#run(setup, guide, setup)
    await session.changed(setup.version, FIRST_MS, never)
  }

  async view(of: SetupRef, { version, waitMs, signal }: SetupWait): Promise<SetupView> {
    await this.#resume(of.id)
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
    void this.#options.setupStore.removeAll(accountId, platform).catch((error: unknown) => {
      this.#options.io.log.warn("Stored setups couldn't be removed", { platform, error })
    })
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
    this.#isClosing = true
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
