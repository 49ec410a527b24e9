import { createHash } from 'node:crypto'
import type { WebSocket } from 'ws'
import type { EmulatorClock } from '../kit/clock.ts'
import { FileStore, type KeptFile } from '../kit/file-store.ts'
import { Faults } from '../kit/faults.ts'
import type { FormPart } from '../kit/http.ts'
import { SlidingWindow } from '../kit/sliding-window.ts'
import { ChatWorld } from '../kit/world.ts'
import type { DingtalkFault } from './faults.ts'

/** Times in milliseconds, as the platform has them unless stated. */
export interface DingtalkTimes {
  readonly ticketLifeMs: number
  readonly tokenLifeMs: number
  readonly webhookLifeMs: number
  /** Waits between deliveries of a message that nobody confirms; the last one repeats. */
  readonly redeliveryMs: readonly number[]
  /** How long after it was written a message is delivered at all; assumed. */
  readonly replayMs: number
  /** Between pings of the gateway; assumed. */
  readonly pingMs: number
  /** From a disconnect frame to the end of the connection. */
  readonly disconnectMs: number
  /** Of a download code and of the URL that it gives; assumed. */
  readonly downloadLifeMs: number
  readonly registrationLifeMs: number
  /** What the platform says of polling a registration, seconds. */
  readonly pollSeconds: number
}

/** The platform's own. */
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

/** Somebody who has written. */
export interface Person {
  readonly name: string
  readonly chatId: string
  readonly isOutsider: boolean
}

/** A card, by the app's own `outTrackId`. */
export interface Card {
  readonly messageId: string
  chatId: string | null
  content: string
  /** 1 processing, 2 inputting, 3 finished, 4 executing, 5 failed. */
  flowStatus: string
  isShown: boolean
  /** Ids of the updates that came. */
  readonly guids: Set<string>
}

/** A large file on its way, in pieces. */
export interface FileTransaction {
  readonly total: number
  readonly name: string
  readonly chunks: Map<number, FormPart>
}

/** A registration that waits for a phone. */
export interface Registration {
  readonly nonce: string
  readonly deviceCode: string
  readonly userCode: string
  /** From when it began. */
  untilMs: number
  hasBegun: boolean
  isScanned: boolean
  status: 'WAITING' | 'SUCCESS' | 'FAIL' | 'EXPIRED'
}

/** One socket of the app. */
export interface Connection {
  readonly socket: WebSocket
  readonly id: string
  readonly topics: ReadonlySet<string>
  readonly gone: AbortController
  /** Looks open, but nothing passes. */
  isSilent: boolean
  /** Has been told to leave. */
  isLeaving: boolean
}

/** What is delivered until somebody confirms it. */
export interface PushedEvent {
  readonly messageId: string
  readonly topic: string
  readonly data: Readonly<Record<string, unknown>>
  readonly bornMs: number
  readonly confirmed: AbortController
}

/** Everything that the emulator knows. */
export class DingtalkState {
  /** Without a trailing slash; known once the server listens. */
  url = ''
  readonly clock: EmulatorClock
  readonly times: DingtalkTimes
  readonly history: number
  readonly world: ChatWorld
  readonly faults = new Faults<DingtalkFault>()
  readonly calls: SlidingWindow
  /** `id` is the client id and the robot code alike. */
  readonly bot = { id: 'dinggatepostemulator', name: 'Gatepost', secret: secretOf(0), revoked: false }
  readonly people = new Map<string, Person>()
  readonly groups = new Set<string>()
  readonly connections = new Set<Connection>()
  readonly tickets = new Map<string, { readonly untilMs: number; readonly topics: ReadonlySet<string> }>()
  /** Of the new and of the old API, with the end of their lives. */
  readonly tokens = { api: new Map<string, number>(), old: new Map<string, number>() }
  readonly sessions = new Map<string, { readonly chatId: string; readonly untilMs: number }>()
  /** Events by the id of the frame that carried them. */
  readonly frames = new Map<string, PushedEvent>()
  readonly cards = new Map<string, Card>()
  readonly downloads = new FileStore()
  readonly media = new FileStore<KeptFile & { readonly type: string }>()
  readonly transactions = new Map<string, FileTransaction>()
  readonly closing = new AbortController()
  registration: Registration | null = null
  /** Until then webhooks answer 130101. */
  webhookBlockedUntilMs = 0
  /** Aborted and replaced when a connection opens. */
  arrival = new AbortController()
  /** How often a connection was chosen. */
  turns = 0
  #ids: number
  #secrets = 0

  constructor(clock: EmulatorClock, history: number, times: DingtalkTimes, idsAbove: number) {
    this.clock = clock
    this.times = times
    this.history = history
    this.world = new ChatWorld(clock, history)
    this.calls = new SlidingWindow(clock, 60_000)
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

  /** Whether a fault that lasts is on. */
  isOn(kind: DingtalkFault['kind']): boolean {
    return this.faults.active.some(({ spec }) => spec.kind === kind)
  }
}

/** The direct chat with a person, as the platform names it. */
export const directChatId = (personId: string): string =>
  `cid${createHash('sha256').update(`direct ${personId}`).digest('base64url').slice(0, 22)}==`

/** Made up, 64 characters as the platform's. */
const secretOf = (count: number): string =>
  createHash('sha512').update(`dingtalk secret ${count}`).digest('base64url').slice(0, 64)
