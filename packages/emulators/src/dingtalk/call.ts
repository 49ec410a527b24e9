import type { IncomingHttpHeaders } from 'node:http'
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
