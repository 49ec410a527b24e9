import {
  type ChannelDetails,
  type ChannelEntry,
  ChannelError,
  type ChannelEvent,
  type ChannelMetrics,
  type Channels,
  PLATFORM_IDS,
  type PlatformId,
  type SetupView,
} from '@gatepost/channels'

/** A service in memory that notes what it is asked and answers what a test has put there. */
export interface FakeChannels extends Channels {
  readonly calls: readonly (readonly [method: string, ...args: unknown[]])[]
  /** Thrown by every method from now on, until it is `null` again. */
  failWith(error: Error | null): void
  ready(state: { database: boolean; enabled: number; running: number }): void
  emit(event: ChannelEvent): void
  /** Listeners of events that have not ended. */
  readonly listeners: number
}

const entry = (platform: PlatformId): ChannelEntry => ({
  platform,
  enabled: platform === 'telegram',
  running: platform === 'telegram',
  has_config: platform === 'telegram',
  ...(platform === 'telegram' && { has_token: true, base_url: 'https://api.telegram.org', parse_mode: 'HTML' }),
  allowed_users: [],
})

const details: ChannelDetails = {
  ...entry('telegram'),
  state: 'running',
  reason: null,
  message: null,
  since: 1_000,
  bot: { id: '42', name: 'Echo' },
  group_policy: 'allowed',
  secrets: { bot_token: '****made' },
  retry_at: null,
  last_heard_at: 5,
  last_inbound_at: 2_000,
  last_delivered_at: null,
  gaps: [{ from: 1, to: 2, why: 'offline for more than a day', reason_code: null, values: {} }],
  send_budget: { available: 30, per_second: 30, paused_until: null },
  queued: 0,
  dead: 0,
}

const message = {
  id: 'm1',
  conversation_id: 'c1',
  chat: { id: '7', kind: 'direct', title: null },
  from: { user_id: '7', name: 'Ada' },
  text: 'hello',
  files: [{ kind: 'image', name: 'a.png', mime: 'image/png', size: 3 }],
  sent_at: 1,
  received_at: 2,
  state: 'answered',
  reason: null,
} as const

const delivery = {
  id: 'd/1.0',
  kind: 'send',
  conversation_id: 'c1',
  chat_id: '7',
  user_id: '7',
  text: 'hello',
  file: null,
  state: 'delivered',
  attempts: 1,
  created_at: 1,
  updated_at: 2,
  platform_message_id: '9',
  code: null,
  reason: null,
  dead: false,
  truncated: false,
} as const

const conversation = {
  id: 'c1',
  platform: 'telegram',
  chat: message.chat,
  people: [message.from],
  last: { at: 2, by: 'bot', name: 'Ada', text: 'hello' },
  waiting: 0,
  failed: 0,
} as const

const counts = { received: 1, answered: 1, failed: 0, delivered: 1, refused: 0, unknown: 0 }
const traffic = {
  from: 0,
  to: 60_000,
  step_ms: 60_000,
  platforms: [
    {
      platform: 'telegram',
      received: [1],
      answered: [1],
      failed: [0],
      delivered: [1],
      refused: [0],
      unknown: [0],
    },
  ],
  answer_ms: [{ p50: 20, p95: 40 }],
  totals: { ...counts, answer_ms: { p50: 20, p95: 40 } },
} as const

const user = {
  user_id: '7',
  name: 'Ada',
  username: null,
  last_seen_at: 5,
  reachable: true,
  reason: null,
  reason_code: null,
  sends_left: null,
  allowed: true,
}

const setup = {
  id: 's1',
  platform: 'weixin',
  kind: 'qr',
  title: 'Scan a QR code',
  instructions: ['Scan it.'],
  state: 'waiting',
  version: 1,
  message: 'Scan the code.',
  url: 'https://example.org/q/1',
  codes: 1,
  started_at: 0,
  expires_at: 300_000,
  facts: {},
  fields: [],
  saved: false,
  first_user: null,
  error: null,
} as const satisfies SetupView

const check = { id: 'config', title: 'Credentials', status: 'pass', detail: 'stored' } as const

const metrics: ChannelMetrics = {
  channels: [{ platform: 'telegram', state: 'running' }],
  received: 3,
  ignored: 1,
  turns: { answered: 2, failed: 0, retried: 0 },
  deliveries: { delivered: 2, refused: 0, unknown: 0, retried: 1 },
  queued: 4,
  answerMs: { bounds: [5, 25], counts: [1, 2], sum: 20, count: 2 },
}

export function fakeChannels(): FakeChannels {
  const calls: (readonly [string, ...unknown[]])[] = []
  const listeners = new Set<(event: ChannelEvent) => void>()
  let error: Error | null = null
  let readiness = { database: true, enabled: 1, running: 1 }
  const noted = async <T>(answer: T, method: string, ...args: unknown[]): Promise<T> => {
    calls.push([method, ...args])
    if (error !== null) throw error
    return answer
  }
  return {
    calls,
    failWith: (next) => {
      error = next
    },
    ready: (state) => {
      readiness = state
    },
    sealedTables: () => [],
    emit: (event) => listeners.forEach((listener) => listener(event)),
    get listeners() {
      return listeners.size
    },
    list: (who) => noted(PLATFORM_IDS.map(entry), 'list', who),
    details: (who, platform) => noted(details, 'details', who, platform),
    save: (who, platform, body) => noted(undefined, 'save', who, platform, body),
    disable: (who, platform) => noted(undefined, 'disable', who, platform),
    forget: (who, platform) => noted(undefined, 'forget', who, platform),
    test: (who, platform, body) => noted({ bot: { id: '42', name: 'Echo' } }, 'test', who, platform, body),
    setups: {
      ways: () => [],
      start: (who, platform, how) => noted(setup, 'setups.start', who, platform, how),
      view: (of, { version, waitMs }) => noted(setup, 'setups.view', of, version, waitMs),
      answer: () => setup,
      cancel: () => undefined,
      findStateByCode: (code) => (code === setup.url ? setup.state : null),
      isCode: (code) => code === setup.url || new URL(code).host === 'liteapp.weixin.qq.com',
    },
    users: (who, platform) => noted([user], 'users', who, platform),
    send: (who, platform, text, userId) => noted({ deliveryId: 'd/1.0' }, 'send', who, platform, text, userId),
    messages: (who, platform, page) => noted({ items: [message], next: 'm1' }, 'messages', who, platform, page),
    deliveries: (who, platform, page) => noted({ items: [delivery], next: null }, 'deliveries', who, platform, page),
    delivery: async (who, platform, id) => {
      await noted(undefined, 'delivery', who, platform, id)
      if (id !== 'd/1.0') throw new ChannelError('unknown_delivery')
      return delivery
    },
    resend: async (who, platform, id) => {
      await noted(undefined, 'resend', who, platform, id)
      if (id !== 'd/1.0') throw new ChannelError('unknown_delivery')
    },
    dismiss: (who, platform, id) => noted(undefined, 'dismiss', who, platform, id),
    preview: async (_who, _platform, text) => [
      {
        markup: text,
        size: text.length,
        limit: 4_096,
        unit: 'utf16',
        blocks: [{ type: 'paragraph', spans: [{ text }] }],
      },
    ],
    history: {
      conversations: (who, request) =>
        noted({ items: [conversation], next: 'c1' }, 'history.conversations', who, request),
      conversation: (who, id, page) =>
        noted(
          {
            conversation,
            items: [
              { type: 'delivery', delivery },
              { type: 'message', message },
            ],
            next: null,
          },
          'history.conversation',
          who,
          id,
          page,
        ),
      deliveries: (who, request) =>
        noted(
          { items: [{ ...delivery, platform: 'telegram', to: message.from }], next: null },
          'history.deliveries',
          who,
          request,
        ),
      traffic: (who, span) => noted(traffic, 'history.traffic', who, span),
    },
    doctor: (who) =>
      noted({ ok: true, sections: [{ platform: null, title: 'Service', checks: [check] }] }, 'doctor', who),
    diagnose: (who, platform) => noted([check], 'diagnose', who, platform),
    events: (_who, signal) => eventsOf(listeners, signal),
    readiness: () => noted(readiness, 'readiness'),
    metrics: () => Promise.resolve(metrics),
    start: () => noted(undefined, 'start'),
    stop: (withinMs) => noted(undefined, 'stop', withinMs),
  }
}

async function* eventsOf(
  listeners: Set<(event: ChannelEvent) => void>,
  signal: AbortSignal,
): AsyncGenerator<ChannelEvent> {
  const waiting: ChannelEvent[] = []
  let wake = (): void => undefined
  const listener = (event: ChannelEvent): void => {
    waiting.push(event)
    wake()
  }
  const end = (): void => wake()
  listeners.add(listener)
  signal.addEventListener('abort', end)
  try {
    while (!signal.aborted) {
      const event = waiting.shift()
      if (event !== undefined) yield event
      else await new Promise<void>((resolve) => (wake = resolve))
    }
  } finally {
    listeners.delete(listener)
  }
}
