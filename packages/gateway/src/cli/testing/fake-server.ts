import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type {
  ChannelDetails,
  ChannelEntry,
  DeliveryRecord,
  Diagnosis,
  KnownUser,
  MessageRecord,
  SetupView,
} from '@gatepost/channels'

/** A request as it came over the wire. */
interface SeenRequest {
  readonly method: string
  readonly url: string
  readonly authorization: string | undefined
  readonly contentType: string | undefined
  /** Parsed JSON, or the text of a form. */
  readonly body: unknown
}

/** An answer for one `METHOD /path`; a function sees how often it was asked before. */
export type FakeAnswer =
  | { readonly status: number; readonly body: unknown }
  | ((asked: number) => { status: number; body: unknown })

/** A server on a free loopback port that answers as told, 404 elsewhere, and keeps what it was asked. */
export interface FakeServer extends AsyncDisposable {
  readonly url: string
  readonly seen: SeenRequest[]
  answer(call: string, answer: FakeAnswer): void
}

export async function startFakeServer(answers: Readonly<Record<string, FakeAnswer>> = {}): Promise<FakeServer> {
  const known = new Map(Object.entries(answers))
  const asked = new Map<string, number>()
  const seen: SeenRequest[] = []
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', url = '', headers } = request
    const text = await readBody(request)
    const isForm = headers['content-type']?.startsWith('application/x-www-form-urlencoded') === true
    const body: unknown = text === '' ? undefined : isForm ? text : JSON.parse(text)
    seen.push({ method, url, authorization: headers.authorization, contentType: headers['content-type'], body })
    const call = `${method} ${url}`
    const count = asked.get(call) ?? 0
    asked.set(call, count + 1)
    const found = known.get(call) ?? refusal(404, 'not_found', 'There is nothing here.')
    const answer = typeof found === 'function' ? found(count) : found
    response.writeHead(answer.status, { 'content-type': 'application/json', date: new Date(NOW).toUTCString() })
    response.end(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body))
  }
  const server = createServer((request, response) => {
    respond(request, response).catch((error: unknown) => response.destroy(new Error('fake server', { cause: error })))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    seen,
    answer: (call, answer) => void known.set(call, answer),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  let text = ''
  request.setEncoding('utf8')
  for await (const chunk of request) text += String(chunk)
  return text
}

export const refusal = (status: number, code: string, error: string): { status: number; body: unknown } => ({
  status,
  body: { ok: false, error, code },
})
export const success = (body: unknown = { ok: true }): { status: number; body: unknown } => ({ status: 200, body })

// --- records -------------------------------------------------------------------------------------------------------

/** The time that the tests' clock shows. */
export const NOW = Date.UTC(2026, 10, 21, 12, 0, 0)

export const telegramEntry: ChannelEntry = {
  platform: 'telegram',
  enabled: true,
  running: true,
  has_config: true,
  has_token: true,
  base_url: 'https://api.telegram.org',
  parse_mode: 'HTML',
  allowed_users: [],
}

export const telegramDetails: ChannelDetails = {
  ...telegramEntry,
  platform: 'telegram',
  enabled: true,
  running: true,
  has_config: true,
  state: 'running',
  reason: null,
  message: null,
  since: NOW - 3_600_000,
  bot: { id: '123456789', name: 'gatepost_demo_bot' },
  group_policy: 'allowed',
  secrets: { bot_token: '****wxyz' },
  retry_at: null,
  last_heard_at: NOW - 4_000,
  last_inbound_at: NOW - 120_000,
  last_delivered_at: NOW - 118_000,
  gaps: [],
  send_budget: { available: 30, per_second: 30, paused_until: null },
  queued: 0,
  dead: 0,
}

/** The five platforms of which nothing is known. */
export const unconfigured: readonly ChannelEntry[] = (
  ['feishu', 'wecom', 'weixin', 'discord', 'dingtalk'] as const
).map((platform) => ({ platform, enabled: false, running: false, has_config: false }))

export const ann: KnownUser = {
  user_id: '42',
  name: 'Ann',
  username: 'ann',
  last_seen_at: NOW - 120_000,
  reachable: true,
  reason: null,
  reason_code: null,
  sends_left: null,
  allowed: true,
}
export const wang: KnownUser = {
  user_id: '77',
  name: '王小明',
  username: null,
  last_seen_at: NOW - 86_400_000,
  reachable: false,
  reason: 'the person has blocked the bot',
  reason_code: null,
  sends_left: null,
  allowed: false,
}

export const message: MessageRecord = {
  id: '0197-a',
  conversation_id: '0197-c',
  chat: { id: '42', kind: 'direct', title: null },
  from: { user_id: '42', name: 'Ann' },
  text: 'Hello\nthere',
  files: [],
  sent_at: NOW - 120_000,
  received_at: NOW - 119_000,
  state: 'answered',
  reason: null,
}

export const deadDelivery: DeliveryRecord = {
  id: '0197-b.1',
  kind: 'send',
  conversation_id: null,
  chat_id: '77',
  user_id: '77',
  text: 'The backup is done.',
  file: null,
  state: 'refused',
  attempts: 1,
  created_at: NOW - 60_000,
  updated_at: NOW - 59_000,
  platform_message_id: null,
  code: 'recipient_unreachable',
  reason: 'Forbidden: bot was blocked by the user',
  dead: true,
  truncated: false,
}

export const checks: readonly Diagnosis[] = [
  { id: 'token_form', title: 'Token form', status: 'pass', detail: 'digits, colon, 35 characters' },
  {
    id: 'token_accepted',
    title: 'Token accepted',
    status: 'fail',
    detail: 'Telegram answers: Unauthorized',
    remedy: 'Send /mybots to BotFather, copy the token, and run the set-up again.',
  },
  { id: 'privacy_mode', title: 'Privacy mode', status: 'pass', detail: 'on: groups only when mentioned' },
]

/** A set-up that asks for a bot token, as the service tells of it. */
export const ASKING: SetupView = {
  id: 's1',
  platform: 'telegram',
  kind: 'paste',
  title: 'Paste a bot token',
  instructions: ['Open https://t.me/BotFather in Telegram and send /newbot.'],
  state: 'input_needed',
  version: 1,
  message: 'Paste the bot token.',
  url: 'https://t.me/BotFather',
  codes: 0,
  started_at: NOW,
  expires_at: null,
  fields: [{ name: 'bot_token', label: 'the bot token', secret: true }],
  facts: {},
  saved: false,
  first_user: null,
  error: null,
}

/** @param outcomes What the service says to each answer of the person, in turn. */
export function fakeSetup(outcomes: readonly Partial<SetupView>[]): Readonly<Record<string, FakeAnswer>> {
  const { kind, title, instructions } = ASKING
  return {
    'GET /api/channels/telegram/setup': success({ ways: [{ kind, title, instructions }] }),
    'POST /api/channels/telegram/setup': success(ASKING),
    'POST /api/channels/telegram/setup/s1': (asked) =>
      success({ ...ASKING, version: asked + 2, ...outcomes[Math.min(asked, outcomes.length - 1)] }),
  }
}

/** The token was accepted and saved. */
export const ACCEPTED: Partial<SetupView> = { state: 'done', saved: true, message: 'Connected.', fields: [] }
