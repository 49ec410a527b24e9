import type { Connection, Inbox } from '../../connection.ts'
import type { InboundEvent, OutboundPart, Outcome } from '../../message.ts'
import type { PlatformIo } from '../../platform-io.ts'
import { unlessStopped } from '../wire/call.ts'
import { dropOldest, perBot } from '../wire/bounded-map.ts'
import { openSession, type WecomSession, wecomUrl } from './client.ts'
import type { WecomCredentials } from './credentials.ts'
import { decodeFrame } from './decode.ts'
import { createIntake, type Intake } from './intake.ts'
import { fetchMedia } from './media.ts'
import { connectionErrorOf, type SessionEnd } from './outcome.ts'
import { Speaker } from './speaker.ts'
import { HeardMessages, Talk } from './talk.ts'

const HEARTBEAT_MS = 30_000
/** So many unanswered in a row: the connection is dead. */
const MISSED_HEARTBEATS = 2
/** A connection that lived this long may be followed by another one at once, without the supervisor. */
const STEADY_MS = 60_000
const REMEMBERED_NAMES = 20
const LOST_MEANWHILE = 'WeCom hands messages only to a bot that is connected, and keeps none'

let talks = 0

/** Opens nothing yet: `run` does. */
export const connectWecom = (credentials: WecomCredentials, io: PlatformIo): Connection =>
  new WecomConnection(credentials, io)

class WecomConnection implements Connection {
  readonly can: Connection['can']
  readonly #credentials: WecomCredentials
  readonly #io: PlatformIo
  readonly #speaker: Speaker
  readonly #health: Health
  /** Names by which people have mentioned the bot. */
  readonly #names = new Set<string>()
  /** What came and could not be stored yet. */
  readonly #unstored: InboundEvent[] = []
  #talk: Talk | null = null
  /** Pending while a connection is being made. */
  #opening: Promise<Talk | null> | null = null
  #provedAtMs: number | null = null

  constructor(credentials: WecomCredentials, io: PlatformIo) {
    this.#credentials = credentials
    this.#io = io
    this.#speaker = new Speaker(io)
    this.#health = healthOf(io, credentials.bot_id)
    const speaker = this.#speaker
    this.can = {
      edit: (part, messageId, signal) => this.#say(signal, (talk) => speaker.edit(talk, part, messageId, signal)),
      editAgain: (messageId) => this.#talk !== null && speaker.editAgain(this.#talk, messageId),
      resend: (part, triedAtMs) => this.#talk !== null && speaker.resend(this.#talk, part, triedAtMs),
      allowance: (chat) => speaker.allowance(chat),
      fetchMedia: (media, signal) => fetchMedia(media, io, signal),
    }
  }

  send(part: OutboundPart, signal: AbortSignal): Promise<Outcome> {
    return this.#say(signal, (talk) =>
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
      if (!again) throw connectionErrorOf(end)
      this.#io.log.info('WeCom connection lost, connecting again', { why: end.detail })
    }
  }

  /** One connection, from its opening to its end. `livedMs`: how long it was subscribed; `null`: never. */
  async #serve(inbox: Inbox, signal: AbortSignal): Promise<{ end: SessionEnd; livedMs: number | null }> {
    const { clock } = this.#io
    const heard = new HeardMessages()
    const intake = createIntake(inbox, this.#unstored, this.#io)
    const onFrame = (frame: unknown): void => this.#receive(frame, heard, intake, inbox)
    const opened = await this.#open(heard, onFrame, signal)
    if ('end' in opened) {
      this.#noteEnd(opened.end)
      await intake.finish()
      return { end: opened.end, livedMs: null }
    }
    const openedAtMs = clock.now()
    this.#noteOpen(inbox, openedAtMs)
    const end = await this.#live(opened.session, opened.talk, inbox, intake, signal)
    this.#noteEnd(end)
    return { end, livedMs: clock.now() - openedAtMs }
  }

  async #open(
    heard: HeardMessages,
    onFrame: (frame: unknown) => void,
    signal: AbortSignal,
  ): Promise<{ readonly session: WecomSession; readonly talk: Talk } | { readonly end: SessionEnd }> {
    const opening = Promise.withResolvers<Talk | null>()
    this.#opening = opening.promise
    try {
      const options = { credentials: this.#credentials, url: wecomUrl(this.#io), io: this.#io, onFrame }
      const opened = await openSession(options, signal)
      if ('end' in opened) return opened
      const talk = new Talk(opened.session, heard, ++talks, this.#io.clock.now())
      this.#talk = talk
      return { session: opened.session, talk }
    } finally {
      this.#opening = null
      opening.resolve(this.#talk)
    }
  }

  /** @throws what `inbox.accept` threw */
  async #live(
    session: WecomSession,
    talk: Talk,
    inbox: Inbox,
    intake: Intake,
    signal: AbortSignal,
  ): Promise<SessionEnd> {
    const over = new AbortController()
    const stop = (): void => session.close()
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
    const beating = this.#beat(session, talk, inbox, over.signal)
    try {
      return await Promise.race([session.ended, intake.failed])
    } finally {
      session.close()
      over.abort()
      this.#talk = null
      signal.removeEventListener('abort', stop)
      await beating
      await intake.finish()
    }
  }

  async #beat(session: WecomSession, talk: Talk, inbox: Inbox, signal: AbortSignal): Promise<void> {
    for (let count = 1, missed = 0; ; count++) {
      await this.#io.clock.sleep(HEARTBEAT_MS, signal)
      if (signal.aborted) return
      this.#speaker.closeOld(talk, HEARTBEAT_MS)
      const answer = await talk.call('ping', `beat_${talk.number}_${count}`, null, signal)
      if (signal.aborted) return
      if (answer.ok) {
        missed = 0
        this.#prove(inbox)
      } else if (++missed >= MISSED_HEARTBEATS) {
        session.close({ why: 'lost', detail: 'heartbeats were not answered' })
      }
    }
  }

  #receive(frame: unknown, heard: HeardMessages, intake: Intake, inbox: Inbox): void {
    const nowMs = this.#io.clock.now()
    const { event, reqId, botName, malformed } = decodeFrame(frame, nowMs, (name) => this.#names.has(name))
    if (malformed !== undefined) this.#io.log.warn('A frame of WeCom was not understood', { member: malformed })
    if (botName !== undefined) this.#learn(botName)
    // what comes before the connection counts as open must not hide the gap before it
    if (this.#talk !== null) this.#prove(inbox)
    if (event === undefined) return
    if (event.type === 'message' && reqId !== undefined)
      heard.note(event.chat.id, { messageId: event.messageId, reqId, atMs: nowMs })
    intake.put(event)
  }

  #learn(name: string): void {
    this.#names.add(name)
    dropOldest(this.#names, REMEMBERED_NAMES)
  }

  #noteOpen(inbox: Inbox, nowMs: number): void {
    this.#health.subscribed = { atMs: nowMs, errcode: 0, errmsg: 'ok' }
    this.#health.takenOverAtMs = null
    this.#health.isConnected = true
    if (this.#provedAtMs !== null && nowMs > this.#provedAtMs) inbox.gap(this.#provedAtMs, nowMs, LOST_MEANWHILE)
    this.#prove(inbox)
  }

  #noteEnd(end: SessionEnd): void {
    const atMs = this.#io.clock.now()
    this.#health.isConnected = false
    if (end.why === 'refused') this.#health.subscribed = { atMs, errcode: end.errcode, errmsg: end.errmsg }
    if (end.why === 'taken_over') this.#health.takenOverAtMs = atMs
  }

  #prove(inbox: Inbox): void {
    this.#provedAtMs = this.#io.clock.now()
    this.#health.provedAtMs = this.#provedAtMs
    inbox.alive()
  }

  /** On the connection that is open, or is being made. */
  async #say(signal: AbortSignal, how: (talk: Talk) => Promise<Outcome>): Promise<Outcome> {
    const talk = this.#talk ?? (await this.#opened(signal))
    return talk === null ? NOT_CONNECTED : how(talk)
  }

  async #opened(signal: AbortSignal): Promise<Talk | null> {
    if (this.#opening === null || signal.aborted) return null
    return unlessStopped(this.#opening, signal)
  }
}

const NOT_CONNECTED: Outcome = { status: 'refused', code: 'network', detail: 'there is no connection to WeCom' }

/** What the connection of one bot has met in this process, for whoever diagnoses it. Milliseconds since the Unix epoch. */
export interface Health {
  /** The last answer to a subscription; `null`: there was none yet. */
  subscribed: { readonly atMs: number; readonly errcode: number; readonly errmsg: string } | null
  /** The last sign of life on a connection. */
  provedAtMs: number | null
  takenOverAtMs: number | null
  isConnected: boolean
}

/** Of one bot, by its id. */
export const healthOf = perBot<Health>(() => ({
  subscribed: null,
  provedAtMs: null,
  takenOverAtMs: null,
  isConnected: false,
}))
