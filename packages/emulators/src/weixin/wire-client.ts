import { isRecord } from '../kit/http.ts'
import { startWeixinEmulator, type WeixinEmulator, type WeixinEmulatorOptions } from './emulator.ts'

type Fields = Readonly<Record<string, unknown>>

/** An emulator with plain HTTP calls, for tests. */
export interface Bench extends WeixinEmulator, AsyncDisposable {
  /** Resolves to the response, with integers above 2^53 as strings. Rejects unless the status is 200. */
  call(path: string, body?: Fields, how?: CallOptions): Promise<Fields>
  get(path: string, how?: CallOptions): Promise<Fields>
  /** Polls once. */
  poll(cursor?: string, how?: CallOptions): Promise<Batch>
  send(token: unknown, text: string, how?: SendOptions): Promise<Fields>
}
/** Options of a call. */
export interface CallOptions {
  readonly url?: string
  readonly token?: string
  readonly signal?: AbortSignal
}
/** Options of a send. */
export interface SendOptions extends CallOptions {
  readonly to?: string
  readonly item?: Fields
}
/** Result of a poll. */
export interface Batch {
  readonly messages: readonly Fields[]
  readonly cursor: string
  readonly raw: Fields
}

/** Starts an emulator; disposing of the bench stops it. */
export async function openBench(options: WeixinEmulatorOptions = {}): Promise<Bench> {
  const emulator = await startWeixinEmulator(options)
  const call: Bench['call'] = async (path, body = {}, { url = emulator.url, token, signal } = {}) => {
    const bearer = token ?? (await emulator.control.bot()).credentials['token'] ?? ''
    const response = await fetch(`${url}/ilink/bot/${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorizationtype: 'ilink_bot_token',
        authorization: `Bearer ${bearer}`,
      },
      body: JSON.stringify({ ...body, base_info: { channel_version: '1.0.0' } }),
      ...(signal && { signal }),
    })
    return read(response)
  }
  return {
    ...emulator,
    call,
    get: async (path, { url = emulator.url, signal } = {}) =>
      read(await fetch(`${url}/ilink/bot/${path}`, signal ? { signal } : {})),
    async poll(cursor = '', how = {}) {
      const raw = await call('getupdates', { get_updates_buf: cursor }, how)
      const messages = Array.isArray(raw['msgs']) ? raw['msgs'].filter(isRecord) : []
      return { messages, cursor: String(raw['get_updates_buf']), raw }
    },
    send: (token, text, { to = 'ann@im.wechat', item, ...how } = {}) =>
      call('sendmessage', { msg: messageTo(to, token, item ?? { type: 1, text_item: { text } }) }, how),
    [Symbol.asyncDispose]: () => emulator.close(),
  }
}

let sends = 0
const messageTo = (to: string, token: unknown, item: Fields): Fields => ({
  from_user_id: '',
  to_user_id: to,
  client_id: `client-${++sends}`,
  message_type: 2,
  message_state: 2,
  context_token: token,
  item_list: [item],
})

async function read(response: Response): Promise<Fields> {
  const text = await response.text()
  if (response.status !== 200) throw new Error(`HTTP ${response.status}: ${text}`)
  const value: unknown = JSON.parse(text, (_key, member: unknown, context?: { source?: string }) =>
    typeof member === 'number' && !Number.isSafeInteger(member) ? (context?.source ?? member) : member,
  )
  return isRecord(value) ? value : {}
}
