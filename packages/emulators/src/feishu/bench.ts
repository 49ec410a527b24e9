import { isRecord } from '../kit/body.ts'
import { type FeishuEmulator, type FeishuEmulatorOptions, startFeishuEmulator } from './emulator.ts'

type Json = Readonly<Record<string, unknown>>

/** An answer as it came over the wire. */
export interface WireAnswer {
  readonly status: number
  readonly headers: Headers
  readonly body: Json
}

/** An emulator and plain HTTP calls to it: what tests use. */
export interface Bench extends FeishuEmulator, AsyncDisposable {
  readonly appId: string
  readonly secret: string
  /** A call below `/open-apis` with a good token. */
  call(verb: string, path: string, body?: Json): Promise<WireAnswer>
  /** Without a token. */
  post(path: string, body: Json | URLSearchParams, headers?: Readonly<Record<string, string>>): Promise<WireAnswer>
  /** Sends a text into a chat or to a person. @returns the id of the message */
  send(to: string, text: string, more?: Json): Promise<string>
  token(): Promise<string>
}

/** Starts an emulator; disposing of the bench ends it. */
export async function openBench(options: FeishuEmulatorOptions = {}): Promise<Bench> {
  const emulator = await startFeishuEmulator(options)
  const { credentials } = await emulator.control.bot()
  const { app_id = '', app_secret = '' } = credentials
  const ask = async (url: string, init: RequestInit): Promise<WireAnswer> => {
    const response = await fetch(url, init)
    const body: unknown = await response.json()
    return { status: response.status, headers: response.headers, body: isRecord(body) ? body : {} }
  }
  const post: Bench['post'] = (path, body, headers = {}) =>
    ask(`${emulator.url}${path}`, {
      method: 'POST',
      body: body instanceof URLSearchParams ? body : JSON.stringify(body),
      headers: { ...(!(body instanceof URLSearchParams) && { 'content-type': 'application/json' }), ...headers },
    })
  const token = async (): Promise<string> => {
    const { body } = await post('/open-apis/auth/v3/tenant_access_token/internal', { app_id, app_secret })
    return String(body['tenant_access_token'])
  }
  const call: Bench['call'] = async (verb, path, body) =>
    ask(`${emulator.url}/open-apis${path}`, {
      method: verb,
      headers: { authorization: `Bearer ${await token()}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
  return {
    ...emulator,
    appId: app_id,
    secret: app_secret,
    post,
    token,
    call,
    async send(to, text, more = {}) {
      const idType = to.startsWith('ou_') ? 'open_id' : 'chat_id'
      const body = { receive_id: to, msg_type: 'text', content: JSON.stringify({ text }), ...more }
      const answer = await call('POST', `/im/v1/messages?receive_id_type=${idType}`, body)
      return messageIdOf(answer)
    },
    [Symbol.asyncDispose]: () => emulator.close(),
  }
}

/** The id that a send answers. @throws {Error} with the refusal */
export function messageIdOf({ body }: WireAnswer): string {
  const data = body['data']
  if (!isRecord(data) || typeof data['message_id'] !== 'string') throw new Error(JSON.stringify(body))
  return data['message_id']
}

/** `data` of an answer. @throws {Error} with the refusal */
export function dataOf({ body }: WireAnswer): Json {
  if (body['code'] !== 0 || !isRecord(body['data'])) throw new Error(JSON.stringify(body))
  return body['data']
}
