import { randomUUID } from 'node:crypto'
import encodeQR from 'qr'
import { ChannelError } from '../errors.ts'
import type { Clock, Log, PlatformIo } from '../platform-io.ts'
import type { PlatformId } from '../platform-names.ts'
import type { StoredSetup } from './setup-store.ts'
import {
  SETUP_FAILURES,
  SetupFailure,
  requireShowableStep,
  type SetupGuide,
  type SetupQuestion,
  type SetupStep,
  type SetupWorld,
  type SetupState,
  type SetupView,
} from './guide.ts'

/** Options of a setup session. */
export interface SessionOptions {
  readonly accountId: string
  readonly platform: PlatformId
  readonly guide: SetupGuide
  readonly io: PlatformIo
  readonly stored: SetupWorld['stored']
  readonly isRejected: boolean
  /** Like the guide's `save`; stores nothing once `signal` has aborted. */
  readonly save: (signal: AbortSignal, ...found: Parameters<SetupWorld['save']>) => Promise<void>
  /** Stores the progress of the setup. */
  readonly keep: (session: SetupSession, ...progress: Parameters<SetupWorld['keep']>) => Promise<void>
  /** Called once when the setup has ended. */
  readonly ended: (id: string) => void
  /** Where a restarted process goes on. */
  readonly resumed?: Pick<StoredSetup, 'id' | 'startedAtMs' | 'codes' | 'version' | 'progress'>
}

interface Question {
  readonly question: SetupQuestion
  readonly answered: (values: Readonly<Record<string, string>>) => void
}

/** No code of any platform is valid for longer. @see DingTalk, device registration (7,200 s) */
const LIFE_MS = 2 * 60 * 60 * 1_000
const CANCELLED = 'Setup cancelled.'
const UNEXPECTED = 'Setup failed unexpectedly. See the server log.'

/** A guided setup in progress or just ended. */
export class SetupSession {
  readonly id: string
  readonly accountId: string
  readonly platform: PlatformId
  /** Start time, milliseconds since the Unix epoch. */
  readonly startedAtMs: number
  readonly #guide: SetupGuide
  readonly #clock: Clock
  readonly #log: Log
  readonly #ended: SessionOptions['ended']
  readonly #aborter = new AbortController()
  readonly #watchers = new Set<() => void>()
  #version = 0
  #codes = 0
  #state: SetupState = 'starting'
  #step: SetupStep | null = null
  /** The QR code of the step: rendered once, read often. */
  #qr: string | null = null
  #question: Question | null = null
  #message = ''
  #error: SetupView['error'] = null
  #saved = false
  #firstUser: SetupView['first_user'] = null
  #endedAtMs: number | null = null
  /** The last message shown after the credentials were saved. */
  #finalMessage: string | null = null

  constructor(options: SessionOptions) {
    const { accountId, platform, guide, io, resumed } = options
    this.id = resumed?.id ?? randomUUID()
    this.#codes = resumed?.codes ?? 0
    this.#version = resumed?.version ?? 0
    this.accountId = accountId
    this.platform = platform
    this.#guide = guide
    this.#clock = io.clock
    this.#log = io.log
    this.#ended = options.ended
    this.startedAtMs = resumed?.startedAtMs ?? io.clock.now()
    void this.#run(options)
  }

  /** Milliseconds since the Unix epoch; `null`: in progress. */
  get endedAtMs(): number | null {
    return this.#endedAtMs
  }

  /** Number of QR codes shown so far. */
  get codes(): number {
    return this.#codes
  }

  get version(): number {
    return this.#version
  }

  /** The code to scan now. */
  get code(): string | null {
    return this.#step?.scannable === true ? (this.#step.url ?? null) : null
  }

  view(): SetupView {
    const { kind, title, instructions } = this.#guide
    const step = this.#step
    const page = this.#question?.question.url
    const url = page ?? step?.url
    return {
      id: this.id,
      platform: this.platform,
      kind,
      title,
      instructions,
      state: this.#state,
      version: this.#version,
      message: this.#message,
      ...(url === undefined ? {} : { url }),
      ...(page === undefined && this.#qr !== null ? { qr: this.#qr } : {}),
      codes: this.#codes,
      started_at: this.startedAtMs,
      expires_at: step?.expiresAtMs ?? null,
      fields: this.#question?.question.fields ?? [],
      saved: this.#saved,
      facts: step?.facts ?? {},
      first_user: this.#firstUser,
      error: this.#error,
    }
  }

  /** Resolves when the version is above `version`, or after `waitMs`. */
  async changed(version: number, waitMs: number, signal: AbortSignal): Promise<void> {
    if (this.#version > version) return
    const over = new AbortController()
    const onChange = (): void => over.abort()
    this.#watchers.add(onChange)
    await this.#clock.sleep(waitMs, AbortSignal.any([over.signal, signal]))
    this.#watchers.delete(onChange)
  }

  /** @throws {ChannelError} `setup_input_unexpected` */
  answer(values: Readonly<Record<string, string>>): void {
    const asked = this.#question
    if (!asked) throw new ChannelError('setup_input_unexpected')
    const given = asked.question.fields.map(({ name }) => [name, values[name] ?? ''] as const)
    if (given.some(([, value]) => value.trim() === '')) {
      const names = given.map(([name]) => name).join(', ')
      throw new ChannelError('setup_input_unexpected', { message: `Enter a value for: ${names}.` })
    }
    this.#question = null
    this.#update('working', this.#message)
    asked.answered(Object.fromEntries(given))
  }

  cancel(): void {
    this.#end('failed', CANCELLED, 'cancelled')
    this.#aborter.abort()
  }

  /** Ends an abandoned setup. */
  expire(): void {
    this.#end('failed', SETUP_FAILURES.expired, 'expired')
    this.#aborter.abort()
  }

  async #run(options: SessionOptions): Promise<void> {
    const { signal } = this.#aborter
    const over = new AbortController()
    const until = AbortSignal.any([signal, over.signal])
    void this.#clock.sleep(LIFE_MS, until).then(() => this.#aborter.abort())
    try {
      await this.#guide.run(this.#world(options), signal)
      this.#end('done', this.#finalMessage ?? (this.#saved ? 'Connected.' : 'Nothing to change.'), null)
    } catch (error) {
      this.#fail(error)
    } finally {
      over.abort()
    }
  }

  #fail(error: unknown): void {
    if (this.#endedAtMs !== null) return
    if (error instanceof SetupFailure) return this.#end('failed', error.message, error.code)
    if (error instanceof ChannelError) return this.#end('failed', error.message, error.code)
    if (this.#aborter.signal.aborted) return this.#end('failed', SETUP_FAILURES.expired, 'expired')
    this.#log.error('A setup failed unexpectedly', { platform: this.platform, error })
    this.#end('failed', UNEXPECTED, 'internal')
  }

  #world({ io, stored, isRejected, save, keep, resumed }: SessionOptions): SetupWorld {
    return {
      io,
      stored,
      isRejected,
      resumed: resumed?.progress ?? null,
      keep: (progress, expiresAtMs) => keep(this, progress, expiresAtMs),
      show: (step) => this.#show(requireShowableStep(step)),
      ask: (question, signal) => this.#ask(question, signal),
      save: async (fields, firstUser) => {
        this.#aborter.signal.throwIfAborted()
        await save(this.#aborter.signal, fields, firstUser)
        this.#saved = true
        this.#firstUser = firstUser ? { id: firstUser.id, name: firstUser.name ?? null } : null
        if (this.#endedAtMs !== null) this.#publish('failed', `${CANCELLED} The credentials had already been saved.`)
      },
    }
  }

  #show(step: SetupStep): void {
    if (this.#endedAtMs !== null) return
    const isNew = step.scannable !== true || step.url !== this.#step?.url
    if (isNew) this.#qr = step.scannable === true && step.url !== undefined ? renderQr(step.url) : null
    if (isNew && this.#qr !== null) this.#codes += 1
    this.#step = step
    if (this.#saved) this.#finalMessage = step.message
    this.#update(step.state, step.message)
  }

  async #ask(question: SetupQuestion, signal: AbortSignal): Promise<Readonly<Record<string, string>>> {
    const { promise, resolve, reject } = Promise.withResolvers<Readonly<Record<string, string>>>()
    const until = AbortSignal.any([signal, this.#aborter.signal])
    const onAbort = (): void => reject(until.reason)
    until.addEventListener('abort', onAbort, { once: true })
    if (until.aborted) onAbort()
    this.#question = { question, answered: resolve }
    this.#update('input_needed', question.message)
    try {
      return await promise
    } finally {
      until.removeEventListener('abort', onAbort)
      this.#question = null
    }
  }

  #update(state: SetupState, message: string): void {
    if (this.#endedAtMs === null) this.#publish(state, message)
  }

  #publish(state: SetupState, message: string): void {
    this.#state = state
    this.#message = message
    this.#version += 1
    for (const onChange of this.#watchers) onChange()
  }

  #end(state: 'done' | 'failed', message: string, error: SetupView['error']): void {
    if (this.#endedAtMs !== null) return
    this.#error = error
    // an ended setup has no code to scan
    this.#step = this.#step?.scannable === true ? null : this.#step
    this.#qr = null
    this.#question = null
    this.#update(state, message)
    this.#endedAtMs = this.#clock.now()
    this.#ended(this.id)
  }
}

/** Returns a QR code as an SVG document: black, with a quiet zone, for a white background. @see ISO/IEC 18004 */
const renderQr = (text: string): string => encodeQR(text, 'svg', { ecc: 'medium', border: 4 })
