import { createHash } from 'node:crypto'
import type { PlatformIo } from '../../platform-io.ts'
import { readJson } from '../wire/body.ts'
import { foreign, within } from '../wire/call.ts'
import { hiding } from '../wire/hide.ts'
import { integer, object, text } from '../wire/json.ts'
import type { WecomCredentials } from './credentials.ts'

/** What the signed probe says. It disturbs no connection, but is not documented and errs with bots made just now. */
export type Probed =
  | { readonly said: 'accepted' }
  | { readonly said: 'refused'; readonly errcode: number; readonly errmsg: string }
  | { readonly said: 'nothing'; readonly why: string }

const PROBE_MS = 10_000
/** Largest answer over HTTP that is read, in bytes. */
export const ANSWER_BYTES = 64 * 1024

/** Asks whether these credentials are known. Never throws for a failing remote. */
export async function probe(credentials: WecomCredentials, io: PlatformIo, signal: AbortSignal): Promise<Probed> {
  const host = io.host('GATEPOST_WECOM_PROBE_URL', 'https://qyapi.weixin.qq.com')
  const { bot_id, secret } = credentials
  const time = Math.floor(io.clock.now() / 1000)
  const nonce = Array.from({ length: 16 }, () => Math.floor(io.random() * 16).toString(16)).join('')
  const signature = createHash('sha256').update(`${secret}${bot_id}${time}${nonce}`).digest('hex')
  const body = JSON.stringify({ bot_id, time, nonce, signature, bind_source: 1 })
  const limits = { signal, timeoutMs: PROBE_MS }
  const got = await within(io, limits, async (over) => {
    const headers = { 'content-type': 'application/json' }
    const url = `${host}/cgi-bin/aibot/cli/get_cli_config`
    const response = await io.fetch(url, { method: 'POST', body, headers, signal: over, redirect: 'manual' })
    return read(response, await readJson(response, ANSWER_BYTES))
  })
  return 'failure' in got ? { said: 'nothing', why: got.failure.detail } : got
}

function read(response: Response, body: unknown): Probed {
  const answer = object(body)
  const errcode = integer(answer?.['errcode'])
  if (errcode === undefined) return { said: 'nothing', why: foreign(response, 'WeCom').detail }
  if (errcode === 0) return { said: 'accepted' }
  return { said: 'refused', errcode, errmsg: hiding()(text(answer?.['errmsg']) ?? '') }
}
