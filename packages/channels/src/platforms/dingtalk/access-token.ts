import type { Clock } from '../../platform-io.ts'
import type { Answer } from './outcome.ts'

export interface IssuedToken {
  readonly token: string
  readonly lifeMs: number
}

/** The access token of one app, asked for when needed and by one call at a time. */
export interface TokenSource {
  get(): Promise<Answer<string>>
  /** The platform refused this token: the next `get` asks for another one. */
  drop(token: string): void
}

const EARLY_MS = 5 * 60_000

export function tokenSource(clock: Clock, issue: () => Promise<Answer<IssuedToken>>): TokenSource {
  let held: { readonly token: string; readonly freshUntilMs: number } | null = null
  let underWay: Promise<Answer<string>> | null = null
  const renew = async (): Promise<Answer<string>> => {
    const answer = await issue()
    if (!answer.ok) return answer
    const { token, lifeMs } = answer.result
    // a life shorter than the margin must not mean a new token for every call
    held = { token, freshUntilMs: clock.now() + Math.max(lifeMs - EARLY_MS, lifeMs / 2) }
    return { ok: true, result: token }
  }
  return {
    get() {
      if (held !== null && clock.now() < held.freshUntilMs) return Promise.resolve({ ok: true, result: held.token })
      underWay ??= renew().finally(() => {
        underWay = null
      })
      return underWay
    },
    drop(token) {
      if (held?.token === token) held = null
    },
  }
}
