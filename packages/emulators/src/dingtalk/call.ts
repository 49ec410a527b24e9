import type { IncomingHttpHeaders } from 'node:http'
import { forgetOldest } from '../kit/bounded-log.ts'
import { DingtalkFailure } from './faults.ts'
import type { DingtalkState } from './state.ts'

/** One call over HTTP. */
export interface Call {
  readonly state: DingtalkState
  readonly target: URL
  readonly headers: IncomingHttpHeaders
  readonly bytes: Buffer
  /** The JSON body; {} when it is none. */
  readonly fields: Readonly<Record<string, unknown>>
}

/** What is answered. */
export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
}

/** An answer of either API. */
export const json = (value: unknown, status = 200): Reply => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(value),
})

/** A success of the old API. */
export const ok = (members: Readonly<Record<string, unknown>> = {}): Reply =>
  json({ errcode: 0, errmsg: 'ok', ...members })

/** `POST /v1.0/oauth2/accessToken` */
export function accessToken({ state, fields }: Call): Reply {
  if (!isRight(state, fields['appKey'], fields['appSecret'])) throw new DingtalkFailure('invalidClientIdOrSecret')
  return json({ accessToken: issue(state, 'api'), expireIn: state.times.tokenLifeMs / 1000 })
}

/** `GET /gettoken`, of the old API */
export function getToken({ state, target }: Call): Reply {
  const { searchParams } = target
  if (!isRight(state, searchParams.get('appkey'), searchParams.get('appsecret'))) throw new DingtalkFailure(40089)
  return ok({ access_token: issue(state, 'old'), expires_in: state.times.tokenLifeMs / 1000 })
}

/** @throws {DingtalkFailure} 401 in the new API, errcode 40014 in the old one */
export function requireToken({ state, headers, target }: Call, api: 'api' | 'old'): void {
  const header = headers['x-acs-dingtalk-access-token']
  const token = api === 'api' ? String(header) : (target.searchParams.get('access_token') ?? '')
  if ((state.tokens[api].get(token) ?? 0) <= state.clock.now()) {
    throw new DingtalkFailure(api === 'api' ? 'InvalidAuthentication' : 40014)
  }
}

/** Every token is gone. */
export function expireTokens(state: DingtalkState): void {
  state.tokens.api.clear()
  state.tokens.old.clear()
}

function issue(state: DingtalkState, api: 'api' | 'old'): string {
  const token = state.nextId(`token-${api}-`)
  state.tokens[api].set(token, state.clock.now() + state.times.tokenLifeMs)
  forgetOldest(state.tokens[api], 1_000)
  return token
}

const isRight = (state: DingtalkState, key: unknown, secret: unknown): boolean =>
  key === state.bot.id && secret === state.bot.secret && !state.bot.revoked
