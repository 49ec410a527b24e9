import type { PlatformIo } from '../../platform-io.ts'
import type { CallLimits } from '../wire/time-limit.ts'
import { openClient } from './client.ts'
import { codeBody } from './encode.ts'
import { filled, type Json } from '../wire/json.ts'
import { type Answer, sentenceOf } from './outcome.ts'

/** A code that can be scanned. */
export interface LoginCode {
  readonly id: string
  /** What the code says; opened in a browser it shows none. */
  readonly url: string
}

/** What is known of a code that is shown. */
export type LoginStatus =
  | { readonly status: (typeof PLAIN)[number] }
  | { readonly status: 'expired' }
  | { readonly status: 'scaned_but_redirect'; readonly host: string }
  | { readonly status: 'confirmed'; readonly grant: LoginGrant }

export interface LoginGrant {
  readonly token: string
  readonly baseUrl?: string
  readonly botId?: string
  readonly userId?: string
}

const PLAIN = ['wait', 'scaned', 'need_verifycode', 'verify_code_blocked', 'binded_redirect'] as const

/** @returns the code, or why there is none. @param knownTokens Log-ins that are stored here. */
export async function fetchCode(
  io: PlatformIo,
  base: string,
  knownTokens: readonly string[],
  limits: CallLimits,
): Promise<LoginCode | string> {
  const client = openClient(io, base, null)
  const answer = await client.post('ilink/bot/get_bot_qrcode?bot_type=3', codeBody(knownTokens), limits)
  if (!answer.ok) return sentenceOf(answer.failure)
  const id = filled(answer.body['qrcode'])
  if (id === undefined || id.length > 1_000) return 'the answer holds no code'
  const shown = filled(answer.body['qrcode_img_content'])
  return { id, url: isWebUrl(shown) ? shown : `https://liteapp.weixin.qq.com/q/${encodeURIComponent(id)}` }
}

const isWebUrl = (value: string | undefined): value is string =>
  value !== undefined && value.length <= 2_000 && URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)

/** Asks once what became of the code; the server holds the answer until there is news. */
export function askStatus(
  io: PlatformIo,
  base: string,
  codeId: string,
  verifyCode: string | null,
  limits: CallLimits,
): Promise<Answer> {
  const query = new URLSearchParams({ qrcode: codeId, ...(verifyCode === null ? {} : { verify_code: verifyCode }) })
  return openClient(io, base, null).get(`ilink/bot/get_qrcode_status?${query.toString()}`, limits)
}

/** Pure. `null`: nothing that is known, or a confirmation without a log-in. */
export function readStatus(body: Json): LoginStatus | null {
  const status = filled(body['status'])
  const plain = PLAIN.find((one) => one === status)
  if (plain !== undefined) return { status: plain }
  if (status === 'expired') return { status }
  if (status === 'scaned_but_redirect') return { status, host: filled(body['redirect_host']) ?? '' }
  const token = filled(body['bot_token'])
  if (status !== 'confirmed' || token === undefined) return null
  const baseUrl = filled(body['baseurl'])
  const botId = filled(body['ilink_bot_id'])
  const userId = filled(body['ilink_user_id'])
  return {
    status,
    grant: {
      token,
      ...(baseUrl === undefined ? {} : { baseUrl }),
      ...(botId === undefined ? {} : { botId }),
      ...(userId === undefined ? {} : { userId }),
    },
  }
}
