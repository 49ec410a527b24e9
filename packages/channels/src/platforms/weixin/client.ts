import type { PlatformIo } from '../../platform-io.ts'
import { readJson, failed, toForeignFailure, runCall, createRedactor, type CallLimits } from '../wire/call.ts'
import { filled, isObject, type Json } from '../wire/json.ts'
import { integer } from './decode.ts'
import type { Answer } from './outcome.ts'

/** Requests to one API host. No method throws, and no text it returns contains the token. */
export interface WeixinClient {
  /** @param path Below the base, e.g. `ilink/bot/getupdates`. */
  post(path: string, body: Json, limits: CallLimits): Promise<Answer>
  get(path: string, limits: CallLimits): Promise<Answer>
}

/** The version of the vendor's client whose protocol this is. */
export const CLIENT_VERSION = '2.4.9'
/** `major << 16 | minor << 8 | patch` of it. */
const CLIENT_VERSION_NUMBER = '132105'

/** Largest answer that is read, in bytes. */
const ANSWER_BYTES = 32 * 1024 * 1024
const UINT32 = 2 ** 32

/** Creates a client. @param base Base URL without a trailing slash. @param token `null`: not signed in yet. */
export function openClient(io: PlatformIo, base: string, token: string | null): WeixinClient {
  const hide = createRedactor(token ?? '')
  const call = (path: string, init: RequestInit, limits: CallLimits): Promise<Answer> =>
    runCall(io, limits, async (signal) => {
      // A redirect would carry the token and the message to another host.
      const response = await io.fetch(`${base}/${path}`, { ...init, signal, redirect: 'manual' })
      return readAnswer(response, await readJson(response, ANSWER_BYTES), hide)
    })
  return {
    post: (path, body, limits) =>
      call(path, { method: 'POST', headers: postHeaders(io, token), body: JSON.stringify(body) }, limits),
    get: (path, limits) => call(path, { headers: COMMON_HEADERS }, limits),
  }
}

const COMMON_HEADERS = { 'iLink-App-Id': 'bot', 'iLink-App-ClientVersion': CLIENT_VERSION_NUMBER } as const

const postHeaders = (io: PlatformIo, token: string | null): Record<string, string> => ({
  ...COMMON_HEADERS,
  'Content-Type': 'application/json',
  AuthorizationType: 'ilink_bot_token',
  'X-WECHAT-UIN': Buffer.from(String(Math.floor(io.random() * UINT32))).toString('base64'),
  ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
})

function readAnswer(response: Response, body: unknown, hide: (words: string) => string): Answer {
  const { status } = response
  if (isObject(body)) {
    const codes = [body['ret'], body['errcode']].filter((one) => (one ?? '') !== '').map(integer)
    const code = codes.find((one) => one !== undefined && one !== 0)
    if (code !== undefined) return failed({ kind: 'answer', code, words: hide(filled(body['errmsg']) ?? '') })
    if (status === 200 && !codes.includes(undefined)) return { ok: true, body }
  }
  return failed(toForeignFailure(response, 'Weixin'))
}
