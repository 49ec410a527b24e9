import { randomUUID } from 'node:crypto'
import encodeQR from 'qr'
import { ChannelError } from '../errors.ts'
import type { Clock, Log, PlatformIo } from '../platform-io.ts'
import type { PlatformId } from '../platform-names.ts'
import {
  SETUP_FAILURES,
  SetupFailure,
  checkedStep,
  type SetupGuide,
  type SetupQuestion,
  type SetupStep,
  type SetupWorld,
  type SetupState,
  type SetupView,
} from './guide.ts'

export interface SessionOptions {
  readonly accountId: string
  readonly platform: PlatformId
  readonly guide: SetupGuide
  readonly io: PlatformIo
  readonly stored: SetupWorld['stored']
  readonly isRejected: boolean
  /** As the guide's; nothing is stored any more once `signal` has aborted. */
  readonly save: (signal: AbortSignal, ...found: Parameters<SetupWorld['save']>) => Promise<void>
}

interface Question {
  readonly question: SetupQuestion
  readonly answered: (values: Readonly<Record<string, string>>) => void
}

/** No code of any platform is valid for longer. @see DingTalk, device registration (7,200 s) */
const LIFE_MS = 2 * 60 * 60 * 1_000
const CANCELLED = 'The set-up was cancelled.'
const UNFORESEEN = 'The set-up failed in an unforeseen way; the log says more.'

/** One guided set-up under way, or just ended. Lives in this process only. */
export class SetupSession {
  readonly id: string = randomUUID()
  readonly accountId: string
  readonly platform: PlatformId
  /** When it came into being, milliseconds since the Unix epoch. */
  readonly startedAtMs: number
  readonly #guide: SetupGuide
  readonly #clock: Clock
  readonly #log: Log
  readonly #aborter = new AbortController()
  readonly #watchers = new Set<() => void>()
  #version = 0
  #codes = 0
  #state: SetupState = 'starting'
  #step: SetupStep | null = null
  /** The code of the step as a picture: drawn once, asked for often. */
  #qr: string | null = null
  #question: Question | null = null
  #message = ''
  #error: SetupView['error'] = null
  #saved = false
  #firstUser: SetupView['first_user'] = null
  #endedAtMs: number | null = null
  /** What was shown after the credentials were saved. */
  #lastWords: string | null = null

  constructor(options: SessionOptions) {
    const { accountId, platform, guide, io } = options
    this.accountId = accountId
    this.platform = platform
    this.#guide = guide
    this.#clock = io.clock
    this.#log = io.log
    this.startedAtMs = io.clock.now()
    void this.#run(options)
  }

  /** Milliseconds since the Unix epoch; `null`: it is under way. */
  get endedAtMs(): number | null {
    return this.#endedAtMs
  }

  /** What is to be scanned now. */
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
    const look = (): void => over.abort()
    this.#watchers.add(look)
    await this.#clock.sleep(waitMs, AbortSignal.any([over.signal, signal]))
    this.#watchers.delete(look)
  }

  /** @throws {ChannelError} `setup_input_unexpected` */
  answer(values: Readonly<Record<string, string>>): void {
    const asked = this.#question
    if (!asked) throw new ChannelError('setup_input_unexpected')
    const given = asked.question.fields.map(({ name }) => [name, values[name] ?? ''] as const)
    if (given.some(([, value]) => value.trim() === '')) {
      const names = given.map(([name]) => name).join(', ')
      throw new ChannelError('setup_input_unexpected', { message: `Give a value for: ${names}.` })
    }
    this.#question = null
    this.#become('working', this.#message)
    asked.answered(Object.fromEntries(given))
  }

  cancel(): void {
    this.#end('failed', CANCELLED, 'cancelled')
    this.#aborter.abort()
  }

  /** Nobody waits any more. */
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
      this.#end('done', this.#lastWords ?? (this.#saved ? 'Connected.' : 'Nothing had to be changed.'), null)
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
    this.#log.error('A set-up failed in an unforeseen way', { platform: this.platform, error })
    this.#end('failed', UNFORESEEN, 'internal')
  }

  #world({ io, stored, isRejected, save }: SessionOptions): SetupWorld {
    return {
      io,
      stored,
      isRejected,
      show: (step) => this.#show(checkedStep(step)),
      ask: (question, signal) => this.#ask(question, signal),
      save: async (fields, firstUser) => {
        this.#aborter.signal.throwIfAborted()
        await save(this.#aborter.signal, fields, firstUser)
        this.#saved = true
        this.#firstUser = firstUser ? { id: firstUser.id, name: firstUser.name ?? null } : null
        if (this.#endedAtMs !== null) this.#tell('failed', `${CANCELLED} By then the credentials were saved.`)
      },
    }
  }

  #show(step: SetupStep): void {
    if (this.#endedAtMs !== null) return
    const isNew = step.scannable !== true || step.url !== this.#step?.url
    if (isNew) this.#qr = step.scannable === true && step.url !== undefined ? renderQr(step.url) : null
    if (isNew && this.#qr !== null) this.#codes += 1
    this.#step = step
    if (this.#saved) this.#lastWords = step.message
    this.#become(step.state, step.message)
  }

  async #ask(question: SetupQuestion, signal: AbortSignal): Promise<Readonly<Record<string, string>>> {
    const { promise, resolve, reject } = Promise.withResolvers<Readonly<Record<string, string>>>()
    const until = AbortSignal.any([signal, this.#aborter.signal])
    const leave = (): void => reject(until.reason)
    until.addEventListener('abort', leave, { once: true })
    if (until.aborted) leave()
    this.#question = { question, answered: resolve }
    this.#become('input_needed', question.message)
    try {
      return await promise
    } finally {
      until.removeEventListener('abort', leave)
      this.#question = null
    }
  }

  #become(state: SetupState, message: string): void {
    if (this.#endedAtMs === null) this.#tell(state, message)
  }

  #tell(state: SetupState, message: string): void {
    this.#state = state
    this.#message = message
    this.#version += 1
    for (const look of this.#watchers) look()
  }

  #end(state: 'done' | 'failed', message: string, error: SetupView['error']): void {
    if (this.#endedAtMs !== null) return
    this.#error = error
    // what has ended has nothing to scan any more
    this.#step = this.#step?.scannable === true ? null : this.#step
    this.#qr = null
    this.#question = null
    this.#become(state, message)
    this.#endedAtMs = this.#clock.now()
  }
}

/** A QR code as an SVG document: black with a quiet zone, to be put on white. @see ISO/IEC 18004 */
const renderQr = (text: string): string => encodeQR(text, 'svg', { ecc: 'medium', border: 4 })
