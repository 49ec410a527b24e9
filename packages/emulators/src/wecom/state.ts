import { createHash } from 'node:crypto'
import type { WebSocket } from 'ws'
import type { EmulatorClock } from '../kit/clock.ts'
import { FileStore, type KeptFile } from '../kit/file-store.ts'
import { Faults } from '../kit/faults.ts'
import { SlidingWindow } from '../kit/sliding-window.ts'
import { ChatStore } from '../kit/chat-store.ts'
import { evictOldest } from '../kit/bounded-log.ts'
import type { WecomFault } from './faults.ts'

/** Times in milliseconds, as documented by the platform unless marked as assumed. */
export interface WecomTimes {
  /** How long a stream accepts frames after its first one. */
  readonly streamLifeMs: number
  /** How long a message accepts replies. */
  readonly replyLifeMs: number
  /** How long an event accepts replies. */
  readonly eventAnswerMs: number
  /** How long a person's file can be downloaded. */
  readonly downloadLifeMs: number
  readonly uploadLifeMs: number
  readonly mediaIdLifeMs: number
  readonly qrLifeMs: number
}

/** The platform's real times. */
export const REAL_TIMES: WecomTimes = {
  streamLifeMs: 6 * 60_000,
  replyLifeMs: 24 * 60 * 60_000,
  eventAnswerMs: 5_000,
  downloadLifeMs: 5 * 60_000,
  uploadLifeMs: 30 * 60_000,
  mediaIdLifeMs: 3 * 24 * 60 * 60_000,
  qrLifeMs: 5 * 60_000,
}

/** A socket; only one at a time is subscribed. */
export interface Connection {
  readonly socket: WebSocket
  /** Aborted on close. */
  readonly gone: AbortController
}

/** A callback that replies refer to by `req_id`. */
export interface Callback {
  readonly connection: Connection
  readonly kind: 'message' | 'event'
  readonly eventType: string | null
  readonly chatId: string
  readonly messageId: string
  readonly atMs: number
}

/** Values of `chattype`. */
export type ChatKind = 'single' | 'group'
/** File types that a bot can upload. */
export type MediaType = 'file' | 'image' | 'voice' | 'video'

/** A person's file with its encryption key. */
export interface Download extends KeptFile {
  readonly aesKey: Buffer
}

/** A file uploaded by the bot. */
export interface Uploaded extends KeptFile {
  readonly type: MediaType
}

/** A setup QR code. */
export interface QrCode {
  readonly scode: string
  readonly untilMs: number
  status: 'init' | 'scanned' | 'success' | 'refused' | 'expired'
}

/** A streaming message. */
export interface Stream {
  readonly messageId: string
  readonly startedMs: number
  finished: boolean
  /** Whether it has visible text. */
  isShown: boolean
}

/** A chunked upload. */
export interface Upload {
  readonly type: MediaType
  readonly name: string
  readonly size: number
  readonly total: number
  readonly md5: string
  readonly untilMs: number
  readonly chunks: Map<number, Buffer>
}

/** State of the emulator. */
export class WecomState {
  readonly clock: EmulatorClock
  readonly times: WecomTimes
  readonly chatStore: ChatStore
  readonly faults = new Faults<WecomFault>()
  readonly sends: SlidingWindow
  readonly history: number
  readonly bot = { id: 'aibGatepostEmulatorBot000001', name: 'Gatepost', secret: makeSecret(0), revoked: false }
  /** Chats with a message of a person; the bot can push to these only. */
  readonly chats = new Map<string, ChatKind>()
  readonly callbacks = new Map<string, Callback>()
  readonly streams = new Map<string, Stream>()
  readonly uploads = new Map<string, Upload>()
  readonly downloads = new FileStore<Download>()
  readonly media = new FileStore<Uploaded>()
  qr: QrCode | null = null
  /** The subscribed connection. */
  live: Connection | null = null
  #ids: number
  #secrets = 0

  constructor(clock: EmulatorClock, history: number, times: WecomTimes, idsAbove: number) {
    this.clock = clock
    this.times = times
    this.history = history
    this.chatStore = new ChatStore(clock, history)
    this.sends = new SlidingWindow(clock, 60 * 60_000)
    this.#ids = idsAbove
  }

  /** Returns an id that is never reused. */
  nextId(prefix: string): string {
    return `${prefix}${++this.#ids}`
  }

  /** Replaces the secret and accepts credentials again. */
  renewSecret(): void {
    this.bot.secret = makeSecret(++this.#secrets)
    this.bot.revoked = false
  }

  /** Stores a callback for replies. */
  remember(reqId: string, callback: Callback): void {
    this.callbacks.set(reqId, callback)
    evictOldest(this.callbacks, this.history)
  }
}

/** 43 characters, like the platform's. */
const makeSecret = (count: number): string =>
  createHash('sha256').update(`wecom secret ${count}`).digest('base64').replaceAll(/[+/=]/g, 'x').slice(0, 43)
