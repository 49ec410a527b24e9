import { type Answer, refusal, textOf } from './answer.ts'
import type { FeishuState } from './state.ts'

/** Tenant access tokens: two valid ones at a time are nothing unusual. */
export class Tokens {
  readonly #state: FeishuState
  readonly #lifeMs: number
  readonly #untilMs = new Map<string, number>()

  constructor(state: FeishuState, lifeSeconds: number) {
    this.#state = state
    this.#lifeMs = lifeSeconds * 1_000
  }

  /** Answers the token call: the same token while a quarter of its life is left, then a new one. */
  issue(body: Readonly<Record<string, unknown>>): Answer {
    const { bot, secret, clock } = this.#state
    if (textOf(body['app_id']) !== bot.appId) return refusal(10003)
    if (secret === null || textOf(body['app_secret']) !== secret) return refusal(10014)
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

  /** @returns the refusal, or null when the token is good */
  check(authorization: string | undefined): Answer | null {
    const token = /^Bearer (\S+)$/.exec(authorization ?? '')?.[1]
    if (token === undefined) return refusal(99991661)
    return (this.#untilMs.get(token) ?? 0) > this.#state.clock.now() ? null : refusal(99991663)
  }

  expire(authorization: string | undefined): void {
    this.#untilMs.delete(authorization?.replace(/^Bearer /, '') ?? '')
  }

  expireAll(): void {
    this.#untilMs.clear()
  }
}
