import { type Answer, apiError, toText } from './answer.ts'
import type { FeishuState } from './state.ts'

/** Tenant access tokens; two can be valid at a time. */
export class Tokens {
  readonly #state: FeishuState
  readonly #lifeMs: number
  readonly #untilMs = new Map<string, number>()

  constructor(state: FeishuState, lifeSeconds: number) {
    this.#state = state
    this.#lifeMs = lifeSeconds * 1_000
  }

  /** Handles the token call. Returns a new token once less than a quarter of the lifetime is left. */
  issue(body: Readonly<Record<string, unknown>>): Answer {
    const { bot, secret, clock } = this.#state
    if (toText(body['app_id']) !== bot.appId) return apiError(10003)
    if (secret === null || toText(body['app_secret']) !== secret) return apiError(10014)
    const now = clock.now()
    const [youngest] = [...this.#untilMs].toReversed()
    const isFresh = youngest !== undefined && youngest[1] - now >= this.#lifeMs / 4
    const token = isFresh ? youngest[0] : this.#state.newId('t-')
    const untilMs = isFresh ? youngest[1] : now + this.#lifeMs
    for (const [old, endMs] of this.#untilMs) if (endMs <= now) this.#untilMs.delete(old)
    this.#untilMs.set(token, untilMs)
    const expire = Math.floor((untilMs - now) / 1_000)
    return { status: 200, body: { code: 0, msg: 'ok', tenant_access_token: token, expire } }
  }

  /** Returns the error, or `null` when the token is valid. */
  check(authorization: string | undefined): Answer | null {
    const token = /^Bearer (\S+)$/.exec(authorization ?? '')?.[1]
    if (token === undefined) return apiError(99991661)
    return (this.#untilMs.get(token) ?? 0) > this.#state.clock.now() ? null : apiError(99991663)
  }

  /** Invalidates the token of a call. */
  expire(authorization: string | undefined): void {
    this.#untilMs.delete(authorization?.replace(/^Bearer /, '') ?? '')
  }

  /** Invalidates all tokens. */
  expireAll(): void {
    this.#untilMs.clear()
  }
}
