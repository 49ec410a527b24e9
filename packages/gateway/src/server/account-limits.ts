import type { Caller } from '../accounts/caller.ts'
import { GatewayError } from './errors.ts'
import type { Metric } from '../metrics/metrics.ts'
import type { Clock } from '@gatepost/channels'

/** Limits of each account in this process. */
export interface AccountLimitSettings {
  /** Also the size of a burst. */
  readonly requestsPerMinute: number
  readonly concurrentRequests: number
  readonly eventStreams: number
}

/** Keeps one account's requests from slowing the others. The owner token has no limits. */
export interface AccountLimits {
  /** Counts a request. Returns a function that ends it. @throws {GatewayError} `too_many_requests` with `Retry-After` */
  startRequest(caller: Caller): () => void
  /** Counts an open event stream. Returns a function that ends it. @throws {GatewayError} `too_many_streams` */
  startStream(caller: Caller): () => void
  metrics(): readonly Metric[]
}

/** State of one account. */
interface Usage {
  /** Requests that may start now; grows with time. */
  tokens: number
  atMs: number
  running: number
  streams: number
}

type Limit = 'rate' | 'concurrency' | 'streams'

const MINUTE_MS = 60_000
/** From this number of accounts on, those without a recent request are dropped. */
const MANY = 10_000
/** How long clients should wait when requests or streams have to end first, in seconds. */
const RETRY_SECONDS: Readonly<Record<'concurrency' | 'streams', number>> = { concurrency: 1, streams: 30 }

/** Creates the limits of this process. */
export function createAccountLimits(settings: AccountLimitSettings, clock: Pick<Clock, 'now'>): AccountLimits {
  const { requestsPerMinute, concurrentRequests, eventStreams } = settings
  const usages = new Usages(requestsPerMinute, clock)
  const refused: Record<Limit, number> = { rate: 0, concurrency: 0, streams: 0 }
  const refuse = (limit: Limit, seconds: number): GatewayError => {
    refused[limit] += 1
    const code = limit === 'streams' ? 'too_many_streams' : 'too_many_requests'
    return new GatewayError(code, { headers: { 'retry-after': String(seconds) } })
  }
  return {
    startRequest({ kind, principal }) {
      if (kind === 'owner') return () => undefined
      const usage = usages.find(principal.accountId)
      if (usage.running >= concurrentRequests) throw refuse('concurrency', RETRY_SECONDS.concurrency)
      if (usage.tokens < 1) throw refuse('rate', Math.ceil(((1 - usage.tokens) * MINUTE_MS) / requestsPerMinute / 1000))
      usage.tokens -= 1
      usage.running += 1
      return once(() => (usage.running -= 1))
    },
    startStream({ kind, principal }) {
      if (kind === 'owner') return () => undefined
      const usage = usages.find(principal.accountId)
      if (usage.streams >= eventStreams) throw refuse('streams', RETRY_SECONDS.streams)
      usage.streams += 1
      return once(() => (usage.streams -= 1))
    },
    metrics: () => limitMetrics(refused, usages),
  }
}

/** The accounts with recent requests. */
class Usages {
  readonly #perMinute: number
  readonly #clock: Pick<Clock, 'now'>
  readonly #byAccount = new Map<string, Usage>()

  constructor(perMinute: number, clock: Pick<Clock, 'now'>) {
    this.#perMinute = perMinute
    this.#clock = clock
  }

  find(accountId: string): Usage {
    const nowMs = this.#clock.now()
    const known = this.#byAccount.get(accountId)
    if (known === undefined && this.#byAccount.size >= MANY) this.#dropIdle(nowMs)
    const usage = known ?? { tokens: this.#perMinute, atMs: nowMs, running: 0, streams: 0 }
    this.#byAccount.set(accountId, usage)
    this.#refill(usage, nowMs)
    return usage
  }

  sum(count: (usage: Usage) => number): number {
    return this.#byAccount.values().reduce((total, usage) => total + count(usage), 0)
  }

  #refill(usage: Usage, nowMs: number): void {
    const gained = (Math.max(0, nowMs - usage.atMs) * this.#perMinute) / MINUTE_MS
    usage.tokens = Math.min(this.#perMinute, usage.tokens + gained)
    usage.atMs = nowMs
  }

  #dropIdle(nowMs: number): void {
    for (const [id, usage] of this.#byAccount) {
      this.#refill(usage, nowMs)
      if (usage.running === 0 && usage.streams === 0 && usage.tokens >= this.#perMinute) this.#byAccount.delete(id)
    }
  }
}

const limitMetrics = (refused: Readonly<Record<Limit, number>>, usages: Usages): readonly Metric[] => [
  {
    name: 'gatepost_api_refused_total',
    help: 'Requests refused because of the limits of an account.',
    type: 'counter',
    samples: Object.entries(refused).map(([limit, value]) => ({ labels: { limit }, value })),
  },
  {
    name: 'gatepost_api_requests_running',
    help: 'Requests of accounts being handled.',
    type: 'gauge',
    samples: [{ value: usages.sum(({ running }) => running) }],
  },
  {
    name: 'gatepost_event_streams',
    help: 'Open event streams of accounts.',
    type: 'gauge',
    samples: [{ value: usages.sum(({ streams }) => streams) }],
  },
]

function once(run: () => void): () => void {
  let isDone = false
  return () => {
    if (!isDone) run()
    isDone = true
  }
}
