import { createHash } from 'node:crypto'
import type { WebSocket } from 'ws'
import type { EmulatorClock } from '../kit/clock.ts'
import { FileStore, type KeptFile } from '../kit/file-store.ts'
import { Faults } from '../kit/faults.ts'
import type { FormPart } from '../kit/http.ts'
import { SlidingWindow } from '../kit/sliding-window.ts'
import { ChatStore } from '../kit/chat-store.ts'
import type { DingtalkFault } from './faults.ts'

/** Times in milliseconds, as documented by the platform unless marked as assumed. */
export interface DingtalkTimes {
  /** Lifetime of a connection ticket. */
  readonly ticketLifeMs: number
  readonly tokenLifeMs: number
  readonly webhookLifeMs: number
  /** Delays between deliveries of an unconfirmed message; the last one repeats. */
  readonly redeliveryMs: readonly number[]
  /** How long after sending a message is still delivered; assumed. */
  readonly replayMs: number
  /** Interval of the platform's pings; assumed. */
  readonly pingMs: number
  /** From a disconnect frame to the closing of the connection. */
  readonly disconnectMs: number
  /** Lifetime of a download code and its URL; assumed. */
  readonly downloadLifeMs: number
  readonly registrationLifeMs: number
  /** Polling interval of a registration, in seconds. */
  readonly pollSeconds: number
}

/** The platform's real times. */
export const REAL_TIMES: DingtalkTimes = {
  ticketLifeMs: 90_000,
  tokenLifeMs: 7_200_000,
  webhookLifeMs: 90 * 60_000,
  redeliveryMs: [16_000, 60_000],
  replayMs: 10 * 60_000,
  pingMs: 30_000,
  disconnectMs: 10_000,
  downloadLifeMs: 10 * 60_000,
  registrationLifeMs: 7_200_000,
  pollSeconds: 3,
}

/** A person who has sent a message. */
export interface Person {
  readonly name: string
  readonly chatId: string
  readonly isOutsider: boolean
}

/** A card, stored by the app's `outTrackId`. */
export interface Card {
  readonly messageId: string
  chatId: string | null
  content: string
  /** 1 processing, 2 inputting, 3 finished, 4 executing, 5 failed. */
  flowStatus: string
  isShown: boolean
  /** Ids of the streaming updates received. */
  readonly guids: Set<string>
}

/** A chunked upload. */
export interface FileTransaction {
  readonly total: number
  readonly name: string
  readonly chunks: Map<number, FormPart>
}

/** A registration that can be confirmed with a phone. */
export interface Registration {
  readonly nonce: string
  readonly deviceCode: string
  readonly userCode: string
  /** Expiry, counted from its begin. */
  untilMs: number
  hasBegun: boolean
  isScanned: boolean
  status: 'WAITING' | 'SUCCESS' | 'FAIL' | 'EXPIRED'
}

/** A socket of the app. */
export interface Connection {
  readonly socket: WebSocket
  readonly id: string
  readonly topics: ReadonlySet<string>
  readonly gone: AbortController
  /** Half-open: nothing passes. */
  isSilent: boolean
  /** Was asked to reconnect. */
  isLeaving: boolean
}

/** An event that is delivered until it is confirmed. */
export interface PushedEvent {
  readonly messageId: string
  readonly topic: string
  readonly data: Readonly<Record<string, unknown>>
  readonly bornMs: number
  readonly confirmed: AbortController
}

/** State of the emulator. */
export class DingtalkState {
  /** Without a trailing slash; known once the server listens. */
  url = ''
  readonly clock: EmulatorClock
  readonly times: DingtalkTimes
  readonly history: number
  readonly chatStore: ChatStore
  readonly faults = new Faults<DingtalkFault>()
  readonly calls: SlidingWindow
  /** `id` is both the client id and the robot code. */
  readonly bot = { id: 'dinggatepostemulator', name: 'Gatepost', secret: makeSecret(0), revoked: false }
  readonly people = new Map<string, Person>()
  readonly groups = new Set<string>()
  readonly connections = new Set<Connection>()
  readonly tickets = new Map<string, { readonly untilMs: number; readonly topics: ReadonlySet<string> }>()
  /** Expiry times by token, of the new and the old API. */
  readonly tokens = { api: new Map<string, number>(), old: new Map<string, number>() }
  readonly sessions = new Map<string, { readonly chatId: string; readonly untilMs: number }>()
  /** Events by the id of the frame that delivered them. */
  readonly frames = new Map<string, PushedEvent>()
  readonly cards = new Map<string, Card>()
  readonly downloads = new FileStore()
  readonly media = new FileStore<KeptFile & { readonly type: string }>()
  readonly transactions = new Map<string, FileTransaction>()
  readonly closing = new AbortController()
  registration: Registration | null = null
  /** Webhooks return 130101 until this time. */
  webhookBlockedUntilMs = 0
  /** Aborted and replaced when a connection opens. */
  arrival = new AbortController()
  /** Number of deliveries so far, to use connections in turn. */
  turns = 0
  #ids: number
  #secrets = 0

  constructor(clock: EmulatorClock, history: number, times: DingtalkTimes, idsAbove: number) {
    this.clock = clock
    this.times = times
    this.history = history
    this.chatStore = new ChatStore(clock, history)
    this.calls = new SlidingWindow(clock, 60_000)
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

  /** Whether a lasting fault of this kind is active. */
  isOn(kind: DingtalkFault['kind']): boolean {
    return this.faults.active.some(({ spec }) => spec.kind === kind)
  }
}

/** Returns the platform's id of the direct chat with a person. */
export const directChatId = (personId: string): string =>
  `cid${createHash('sha256').update(`direct ${personId}`).digest('base64url').slice(0, 22)}==`

/** 64 characters, like the platform's. */
const makeSecret = (count: number): string =>
  createHash('sha512').update(`dingtalk secret ${count}`).digest('base64url').slice(0, 64)
