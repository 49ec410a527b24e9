import { createHash } from 'node:crypto'
import type { WebSocket } from 'ws'
import type { EmulatorClock } from '../kit/clock.ts'
import { FileStore, type KeptFile } from '../kit/file-store.ts'
import { Faults } from '../kit/faults.ts'
import { SlidingWindow } from '../kit/sliding-window.ts'
import { ChatWorld } from '../kit/world.ts'
import { forgetOldest } from '../kit/bounded-log.ts'
import type { WecomFault } from './faults.ts'

/** Times in milliseconds, as the platform has them unless stated. */
export interface WecomTimes {
  /** From the first frame of a stream to the last that is accepted. */
  readonly streamLifeMs: number
  /** In which a message can be answered. */
  readonly replyLifeMs: number
  /** In which an event can be answered. */
  readonly eventAnswerMs: number
  /** In which a file of a person can be downloaded. */
  readonly downloadLifeMs: number
  readonly uploadLifeMs: number
  readonly mediaIdLifeMs: number
  readonly qrLifeMs: number
}

/** The platform's own. */
export const REAL_TIMES: WecomTimes = {
  streamLifeMs: 6 * 60_000,
  replyLifeMs: 24 * 60 * 60_000,
  eventAnswerMs: 5_000,
  downloadLifeMs: 5 * 60_000,
  uploadLifeMs: 30 * 60_000,
  mediaIdLifeMs: 3 * 24 * 60 * 60_000,
  qrLifeMs: 5 * 60_000,
}

/** One socket; only one at a time is subscribed. */
export interface Connection {
  readonly socket: WebSocket
  /** Aborted when it is closed. */
  readonly gone: AbortController
}

/** What an answer refers to by its `req_id`. */
export interface Callback {
  readonly connection: Connection
  readonly kind: 'message' | 'event'
  readonly eventType: string | null
  readonly chatId: string
  readonly messageId: string
  readonly atMs: number
}

/** As in `chattype`. */
export type ChatKind = 'single' | 'group'
/** What a bot can upload. */
export type MediaType = 'file' | 'image' | 'voice' | 'video'

/** A file of a person, with the key that encrypts it. */
export interface Download extends KeptFile {
  readonly aesKey: Buffer
}

/** A file of the bot. */
export interface Uploaded extends KeptFile {
  readonly type: MediaType
}

/** A QR code that waits for a phone. */
export interface QrCode {
  readonly scode: string
  readonly untilMs: number
  status: 'init' | 'scanned' | 'success' | 'refused' | 'expired'
}

/** A bubble that is written bit by bit. */
export interface Stream {
  readonly messageId: string
  readonly startedMs: number
  finished: boolean
  /** Whether people see anything in it. */
  isShown: boolean
}

/** A file on its way, in pieces. */
export interface Upload {
  readonly type: MediaType
  readonly name: string
  readonly size: number
  readonly total: number
  readonly md5: string
  readonly untilMs: number
  readonly chunks: Map<number, Buffer>
}

/** Everything that the emulator knows. */
export class WecomState {
  readonly clock: EmulatorClock
  readonly times: WecomTimes
  readonly world: ChatWorld
  readonly faults = new Faults<WecomFault>()
  readonly sends: SlidingWindow
  readonly history: number
  readonly bot = { id: 'aibGatepostEmulatorBot000001', name: 'Gatepost', secret: secretOf(0), revoked: false }
  /** Those in which somebody has written, and so may be written to. */
  readonly chats = new Map<string, ChatKind>()
  readonly callbacks = new Map<string, Callback>()
  readonly streams = new Map<string, Stream>()
  readonly uploads = new Map<string, Upload>()
  readonly downloads = new FileStore<Download>()
  readonly media = new FileStore<Uploaded>()
  qr: QrCode | null = null
  /** The one that has subscribed. */
  live: Connection | null = null
  #ids: number
  #secrets = 0

  constructor(clock: EmulatorClock, history: number, times: WecomTimes, idsAbove: number) {
    this.clock = clock
    this.times = times
    this.history = history
    this.world = new ChatWorld(clock, history)
    this.sends = new SlidingWindow(clock, 60 * 60_000)
    this.#ids = idsAbove
  }

  /** Never given twice. */
  nextId(prefix: string): string {
    return `${prefix}${++this.#ids}`
  }

  renewSecret(): void {
    this.bot.secret = secretOf(++this.#secrets)
    this.bot.revoked = false
  }

  remember(reqId: string, callback: Callback): void {
    this.callbacks.set(reqId, callback)
    forgetOldest(this.callbacks, this.history)
  }
}

/** Made up, 43 characters as the platform's. */
const secretOf = (count: number): string =>
  createHash('sha256').update(`wecom secret ${count}`).digest('base64').replaceAll(/[+/=]/g, 'x').slice(0, 43)
