import { createHash } from 'node:crypto'
import type { PlatformIo } from '../../platform.ts'
import type { WecomCredentials } from './credentials.ts'
import { integer, object, parseJson, text } from '../wire/json.ts'
import { limited } from './time-limit.ts'

/** What the signed probe says. It disturbs no connection, but is not documented and errs with bots made just now. */
export type Probed =
  | { readonly said: 'accepted' }
  | { readonly said: 'refused'; readonly errcode: number; readonly errmsg: string }
  | { readonly said: 'nothing'; readonly why: string }

const PROBE_MS = 10_000
const ANSWER_BYTES = 64 * 1024

/** Asks whether these credentials are known. Never throws for a failing remote. */
export async function probe(credentials: WecomCredentials, io: PlatformIo, signal: AbortSignal): Promise<Probed> {
  const host = io.host('GATEPOST_WECOM_PROBE_URL', 'https://qyapi.weixin.qq.com')
  const { bot_id, secret } = credentials
  const time = Math.floor(io.clock.now() / 1000)
  const nonce = Array.from({ length: 16 }, () => Math.floor(io.random() * 16).toString(16)).join('')
  const signature = createHash('sha256').update(`${secret}${bot_id}${time}${nonce}`).digest('hex')
  const body = JSON.stringify({ bot_id, time, nonce, signature, bind_source: 1 })
  return limited(io.clock, PROBE_MS, signal, async (within, broken) => {
    try {
      const headers = { 'content-type': 'application/json' }
      const url = `${host}/cgi-bin/aibot/cli/get_cli_config`
      const response = await io.fetch(url, { method: 'POST', body, headers, signal: within, redirect: 'manual' })
      return read(response.status, await readText(response))
    } catch {
      // the reason could quote the request
      return { said: 'nothing', why: broken() === 'time' ? 'no answer within 10 s' : 'it could not be reached' }
    }
  })
}

function read(status: number, body: string): Probed {
  const answer = object(parseJson(body))
  const errcode = integer(answer?.['errcode'])
  if (errcode === undefined) return { said: 'nothing', why: `HTTP ${status} with something else than an answer` }
  if (errcode === 0) return { said: 'accepted' }
  return { said: 'refused', errcode, errmsg: (text(answer?.['errmsg']) ?? '').slice(0, 300) }
}

/** The body as text, as far as an answer can be long. @throws when the connection fails */
export async function readText(response: Response): Promise<string> {
  if (response.body === null) return ''
  const chunks: Uint8Array[] = []
  let size = 0
  const body = response.body as AsyncIterable<Uint8Array> // the body of a response is bytes
  for await (const chunk of body) {
    size += chunk.byteLength
    if (size > ANSWER_BYTES) break // leaving the loop cancels the body
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
