import { toGapReason } from '../../gap-reasons.ts'
import type { Connection, Inbox } from '../../connection.ts'
import type { InboundEvent, OutboundPart, Outcome } from '../../message.ts'
import type { PlatformIo } from '../../platform-io.ts'
import { raceAbort } from '../wire/call.ts'
import { dropOldest, createPerBotState } from '../wire/bounded-map.ts'
import { openSession, type WecomSession, wecomUrl } from './client.ts'
import type { WecomCredentials } from './credentials.ts'
import { decodeFrame } from './decode.ts'
import { createIntake, type Intake } from './intake.ts'
import { fetchMedia } from './media.ts'
import { toConnectionError, type SessionEnd } from './outcome.ts'
import { MessageSender } from './sender.ts'
import { ReplyTargets, ReplySession } from './reply-session.ts'

const HEARTBEAT_MS = 30_000
/** So many unanswered in a row: the connection is dead. */
const MISSED_HEARTBEATS = 2
/** A connection that lived this long may be followed by another one at once, without the supervisor. */
const STEADY_MS = 60_000
const REMEMBERED_NAMES = 20

let sessionCount = 0

/** Opens nothing yet: `run` does. */
export const connectWecom = (credentials: WecomCredentials, io: PlatformIo): Connection =>
  new WecomConnection(credentials, io)

class WecomConnection implements Connection {
  readonly can: Connection['can']
  readonly #credentials: WecomCredentials
  readonly #io: PlatformIo
  readonly #speaker: MessageSender
  readonly #health: Health
  /** Names by which people have mentioned the bot. */
  readonly #names = new Set<string>()
  /** What came and could not be stored yet. */
  readonly #unstored: InboundEvent[] = []
  #session: ReplySession | null = null
  /** Pending while a connection is being made. */
  #opening: Promise<ReplySession | null> | null = null
  #provedAtMs: number | null = null

  constructor(credentials: WecomCredentials, io: PlatformIo) {
    this.#credentials = credentials
    this.#io = io
    this.#speaker = new MessageSender(io)
    this.#health = getBotHealth(io, credentials.bot_id)
    const speaker = this.#speaker
    this.can = {
      edit: (part, messageId, signal) =>
        this.#runOnSession(signal, (talk) => speaker.edit(talk, part, messageId, signal)),
      editAgain: (messageId) => this.#session !== null && speaker.editAgain(this.#session, messageId),
      resend: (part, triedAtMs) => this.#session !== null && speaker.resend(this.#session, part, triedAtMs),
      allowance: (chat) => speaker.allowance(chat),
      fetchMedia: (media, signal) => fetchMedia(media, io, signal),
    }
  }

  send(part: OutboundPart, signal: AbortSignal): Promise<Outcome> {
    return this.#runOnSession(signal, (talk) =>
      part.kind === 'text' ? this.#speaker.sendText(talk, part, signal) : this.#speaker.sendFile(talk, part, signal),
    )
  }

  /**
   * A connection that was steady and is lost is followed by another one at once, for what people write in between is
   * gone; every other end is for the supervisor.
   */
  async run(inbox: Inbox, signal: AbortSignal): Promise<void> {
    const lastHeardMs = await inbox.lastHeardMs()
    if (lastHeardMs !== null) this.#provedAtMs = Math.max(lastHeardMs, this.#provedAtMs ?? lastHeardMs)
    for (let first = true; !signal.aborted; first = false) {
      const { end, livedMs } = await this.#serve(inbox, signal)
      if (signal.aborted) return
      const again = end.why === 'lost' && livedMs !== null && (first || livedMs >= STEADY_MS)
      if (!again) throw toConnectionError(end)
      this.#io.log.info('WeCom connection lost; reconnecting', { why: end.detail })
    }
  }

  /** One connection, from its opening to its end. `livedMs`: how long it was subscribed; `null`: never. */
  async #serve(inbox: Inbox, signal: AbortSignal): Promise<{ end: SessionEnd; livedMs: number | null }> {
    const { clock } = this.#io
    const heard = new ReplyTargets()
    const onStored = (): void => this.#recordStored(intake)
    const intake: Intake = createIntake({ inbox, waiting: this.#unstored, io: this.#io, onStored })
    const onFrame = (frame: unknown): void => this.#receive(frame, heard, intake, inbox)
    const opened = await this.#open(heard, onFrame, signal)
    if ('end' in opened) {
      this.#recordEnd(opened.end)
      await intake.finish()
      return { end: opened.end, livedMs: null }
    }
    const openedAtMs = clock.now()
    this.#recordOpen(inbox, openedAtMs)
    const end = await this.#serveSession(opened.session, opened.talk, inbox, intake, signal)
    this.#recordEnd(end)
    return { end, livedMs: clock.now() - openedAtMs }
  }

  async #open(
    heard: ReplyTargets,
    onFrame: (frame: unknown) => void,
    signal: AbortSignal,
  ): Promise<{ readonly session: WecomSession; readonly talk: ReplySession } | { readonly end: SessionEnd }> {
    const opening = Promise.withResolvers<ReplySession | null>()
    this.#opening = opening.promise
    try {
      const options = { credentials: this.#credentials, url: wecomUrl(this.#io), io: this.#io, onFrame }
      const opened = await openSession(options, signal)
      if ('end' in opened) return opened
      const talk = new ReplySession(opened.session, heard, ++sessionCount, this.#io.clock.now())
      this.#session = talk
      return { session: opened.session, talk }
    } finally {
      this.#opening = null
      opening.resolve(this.#session)
    }
  }

  /** @throws what `inbox.accept` threw */
  async #serveSession(
    session: WecomSession,
    talk: ReplySession,
    inbox: Inbox,
    intake: Intake,
    signal: AbortSignal,
  ): Promise<SessionEnd> {
    const over = new AbortController()
    const stop = (): void => session.close()
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
    const beating = this.#heartbeatLoop({ session, talk, inbox, intake }, over.signal)
    try {
      return await Promise.race([session.ended, intake.failed])
    } finally {
      session.close()
      over.abort()
      this.#session = null
      signal.removeEventListener('abort', stop)
      await beating
      await intake.finish()
    }
  }

  async #heartbeatLoop(
    { session, talk, inbox, intake }: { session: WecomSession; talk: ReplySession; inbox: Inbox; intake: Intake },
    signal: AbortSignal,
  ): Promise<void> {
    for (let count = 1, missed = 0; ; count++) {
      await this.#io.clock.sleep(HEARTBEAT_MS, signal)
      if (signal.aborted) return
      this.#speaker.closeOld(talk, HEARTBEAT_MS)
      const answer = await talk.call('ping', `beat_${talk.number}_${count}`, null, signal)
      if (signal.aborted) return
      if (answer.ok) {
        missed = 0
        this.#recordAlive(inbox, intake)
      } else if (++missed >= MISSED_HEARTBEATS) {
        session.close({ why: 'lost', detail: 'heartbeats went unanswered' })
      }
    }
  }

  #receive(frame: unknown, heard: ReplyTargets, intake: Intake, inbox: Inbox): void {
    const nowMs = this.#io.clock.now()
    const { event, reqId, toBotKey, malformed } = decodeFrame(frame, nowMs, (name) => this.#names.has(name))
    if (malformed !== undefined) this.#io.log.warn('Dropped a malformed WeCom frame', { member: malformed })
    if (toBotKey !== undefined) this.#addName(toBotKey)
    if (event?.type === 'message' && reqId !== undefined)
      heard.note(event.chat.id, { messageId: event.messageId, reqId, atMs: nowMs })
    if (event !== undefined) intake.put(event)
    this.#recordAlive(inbox, intake)
  }

  #addName(name: string): void {
    this.#names.add(name)
    dropOldest(this.#names, REMEMBERED_NAMES)
  }

  #recordOpen(inbox: Inbox, nowMs: number): void {
    this.#health.subscribed = { atMs: nowMs, errcode: 0, errmsg: 'ok' }
    this.#health.takenOverAtMs = null
    this.#health.isConnected = true
    if (this.#provedAtMs !== null && nowMs > this.#provedAtMs)
      inbox.gap(this.#provedAtMs, nowMs, toGapReason('messages_not_kept'))
    this.#provedAtMs = nowMs
    this.#health.provedAtMs = nowMs
    inbox.alive()
  }

  #recordEnd(end: SessionEnd): void {
    const atMs = this.#io.clock.now()
    this.#health.isConnected = false
    if (end.why === 'refused') this.#health.subscribed = { atMs, errcode: end.errcode, errmsg: end.errmsg }
    if (end.why === 'taken_over') this.#health.takenOverAtMs = atMs
  }

  #recordAlive(inbox: Inbox, intake: Intake): void {
    // what comes before the connection counts as open must not hide the gap before it
    if (this.#session === null) return
    this.#health.provedAtMs = this.#io.clock.now()
    this.#recordStored(intake)
    inbox.alive({ isComplete: intake.isStored })
  }

  /** A gap must not begin after an event that waits to be stored. */
  #recordStored(intake: Intake): void {
    if (this.#session !== null && intake.isStored) this.#provedAtMs = this.#io.clock.now()
  }

  /** On the connection that is open, or is being made. */
  async #runOnSession(signal: AbortSignal, how: (talk: ReplySession) => Promise<Outcome>): Promise<Outcome> {
    const talk = this.#session ?? (await this.#waitForSession(signal))
    return talk === null ? NOT_CONNECTED : how(talk)
  }

  async #waitForSession(signal: AbortSignal): Promise<ReplySession | null> {
    if (this.#opening === null || signal.aborted) return null
    return raceAbort(this.#opening, signal)
  }
}

const NOT_CONNECTED: Outcome = { status: 'refused', code: 'network', detail: 'not connected to WeCom' }

/** What the connection of one bot has met in this process, for whoever diagnoses it. Milliseconds since the Unix epoch. */
export interface Health {
  /** The last answer to a subscription; `null`: there was none yet. */
  subscribed: { readonly atMs: number; readonly errcode: number; readonly errmsg: string } | null
  /** The last heartbeat on a connection. */
  provedAtMs: number | null
  takenOverAtMs: number | null
  isConnected: boolean
}

/** Of one bot, by its id. */
export const getBotHealth = createPerBotState<Health>(() => ({
  subscribed: null,
  provedAtMs: null,
  takenOverAtMs: null,
  isConnected: false,
}))
