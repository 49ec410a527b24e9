import type { IncomingHttpHeaders } from 'node:http'
import { evictOldest } from '../kit/bounded-log.ts'
import { DingtalkFailure } from './faults.ts'
import type { DingtalkState } from './state.ts'

/** An HTTP call. */
export interface ApiCall {
  readonly state: DingtalkState
  readonly target: URL
  readonly headers: IncomingHttpHeaders
  readonly bytes: Buffer
  /** The JSON body, or {}. */
  readonly fields: Readonly<Record<string, unknown>>
}

/** An HTTP reply. */
export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
}

/** Returns a JSON reply. */
export const jsonReply = (value: unknown, status = 200): Reply => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(value),
})

/** Returns a success of the old API. */
export const oldApiReply = (members: Readonly<Record<string, unknown>> = {}): Reply =>
  jsonReply({ errcode: 0, errmsg: 'ok', ...members })

/** Handles `POST /v1.0/oauth2/issueAccessToken`. */
export function issueAccessToken({ state, fields }: ApiCall): Reply {
  if (!areCredentialsValid(state, fields['appKey'], fields['appSecret']))
    throw new DingtalkFailure('invalidClientIdOrSecret')
  return jsonReply({ accessToken: issueToken(state, 'api'), expireIn: state.times.tokenLifeMs / 1000 })
}

/** Handles `GET /gettoken` of the old API. */
export function issueOldToken({ state, target }: ApiCall): Reply {
  const { searchParams } = target
  if (!areCredentialsValid(state, searchParams.get('appkey'), searchParams.get('appsecret')))
    throw new DingtalkFailure(40089)
  return oldApiReply({ access_token: issueToken(state, 'old'), expires_in: state.times.tokenLifeMs / 1000 })
}

/** Checks the token of a call. @throws {DingtalkFailure} 401 in the new API, errcode 40014 in the old one */
export function requireToken({ state, headers, target }: ApiCall, api: 'api' | 'old'): void {
  const header = headers['x-acs-dingtalk-access-token']
  const token = api === 'api' ? String(header) : (target.searchParams.get('access_token') ?? '')
  if ((state.tokens[api].get(token) ?? 0) <= state.clock.now()) {
    throw new DingtalkFailure(api === 'api' ? 'InvalidAuthentication' : 40014)
  }
}

/** Invalidates all tokens. */
export function expireTokens(state: DingtalkState): void {
  state.tokens.api.clear()
  state.tokens.old.clear()
}

function issueToken(state: DingtalkState, api: 'api' | 'old'): string {
  const token = state.nextId(`token-${api}-`)
  state.tokens[api].set(token, state.clock.now() + state.times.tokenLifeMs)
  evictOldest(state.tokens[api], 1_000)
  return token
}

const areCredentialsValid = (state: DingtalkState, key: unknown, secret: unknown): boolean =>
  key === state.bot.id && secret === state.bot.secret && !state.bot.revoked
