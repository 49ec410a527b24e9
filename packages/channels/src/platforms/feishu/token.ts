import type { PlatformIo } from '../../platform-io.ts'
import { hiding } from '../wire/hide.ts'
import { filled, integer } from '../wire/json.ts'
import { unlessStopped } from '../wire/time-limit.ts'
import type { FeishuCredentials } from './credentials.ts'
import type { FeishuFailure } from './outcome.ts'
import { askFeishu } from './transport.ts'

/** What a call is allowed by. */
export interface Token {
  readonly value: string
  readonly expiresAtMs: number
}
export type TokenAnswer = Token | { readonly failure: FeishuFailure }

/** The tokens of one app, asked for when needed. */
export interface Tokens {
  /** One request for all who wait; each of them may stop waiting. */
  current(signal: AbortSignal): Promise<TokenAnswer>
  /** Asks for a new one now. */
  ask(signal: AbortSignal): Promise<TokenAnswer>
  /** The platform does not accept this one any more. */
  drop(token: Token): void
  /** Takes the secret and every token out of words that will be shown. */
  hide(words: string): string
}

const ASK_MS = 10_000
/** A token is replaced this long before it ends. */
const MARGIN_MS = 3 * 60_000
/** Tokens that have been replaced are secrets still. */
const REMEMBERED = 3

/** @param base Where the API is, without a trailing slash. */
export function openTokens(credentials: FeishuCredentials, base: string, io: PlatformIo): Tokens {
  const { app_id, app_secret } = credentials
  const issued: string[] = []
  let token: Token | null = null
  let asking: Promise<TokenAnswer> | null = null
  const hide = (words: string): string => hiding(app_secret, ...issued)(words)

  async function ask(signal: AbortSignal): Promise<TokenAnswer> {
    const url = `${base}/open-apis/auth/v3/tenant_access_token/internal`
    const request = { method: 'POST', url, body: { app_id, app_secret } }
    const answer = await askFeishu(io, request, { signal, timeoutMs: ASK_MS }, hide)
    if (!answer.ok) return { failure: answer.failure }
    const value = filled(answer.body['tenant_access_token'])
    const seconds = integer(answer.body['expire']) ?? 0
    if (value === undefined) return { failure: { kind: 'foreign', status: 200, detail: 'the answer held no token' } }
    issued.unshift(value)
    issued.length = Math.min(issued.length, REMEMBERED)
    token = { value, expiresAtMs: io.clock.now() + Math.max(0, seconds) * 1_000 - MARGIN_MS }
    return token
  }

  return {
    async current(signal) {
      if (token !== null && token.expiresAtMs > io.clock.now()) return token
      asking ??= ask(never).finally(() => {
        asking = null
      })
      return (await unlessStopped(asking, signal)) ?? STOPPED
    },
    ask,
    drop(one) {
      if (token === one) token = null
    },
    hide,
  }
}

const never = new AbortController().signal

const STOPPED: TokenAnswer = { failure: { kind: 'unsent', detail: 'stopped before it was sent' } }
