import type { PlatformIo } from '../../platform-io.ts'
import { namedUrl, oapiUrl } from './hosts.ts'
import { callJson } from './http.ts'
import { hiding } from '../wire/hide.ts'
import { filled, type Json } from '../wire/json.ts'
import type { CallLimits } from '../wire/time-limit.ts'
import { number } from './numbers.ts'
import { type Answer, strange } from './outcome.ts'

/**
 * Names the kind of program that asks for a robot. DingTalk assigns these names and may refuse others; no way is known
 * to get one of our own, so this is the one that the vendor's published tools use. It is sent nowhere else.
 */
const SOURCE = 'DING_DWS_CLAW'

const DEFAULT_LIFE_S = 7_200
const DEFAULT_POLL_S = 3

/** What the person scans, and how it is asked after. */
export interface DeviceCode {
  readonly url: string
  readonly deviceCode: string
  readonly lifeMs: number
  readonly pollMs: number
}

export type Registration =
  | { readonly status: 'waiting' }
  | { readonly status: 'success'; readonly clientId: string; readonly clientSecret: string }
  /** `words`: the platform's own. */
  | { readonly status: 'failed' | 'expired'; readonly words: string }

/** Begins a registration by device code. */
export async function beginRegistration(io: PlatformIo, limits: CallLimits): Promise<Answer<DeviceCode>> {
  const begun = await call(io, 'init', { source: SOURCE }, limits)
  if (!begun.ok) return begun
  const answer = await call(io, 'begin', { nonce: filled(begun.result['nonce']) ?? '' }, limits)
  if (!answer.ok) return answer
  const url = namedUrl(answer.result['verification_uri_complete'], 'page', oapiUrl(io))
  const deviceCode = filled(answer.result['device_code'])
  if (url === null || deviceCode === undefined) return strange('DingTalk gave no code to scan')
  return {
    ok: true,
    result: {
      url: url.href,
      deviceCode,
      lifeMs: seconds(answer.result['expires_in'], DEFAULT_LIFE_S, DEFAULT_LIFE_S),
      pollMs: seconds(answer.result['interval'], DEFAULT_POLL_S, 60),
    },
  }
}

/** How the registration stands. */
export async function pollRegistration(
  io: PlatformIo,
  deviceCode: string,
  limits: CallLimits,
): Promise<Answer<Registration>> {
  const answer = await call(io, 'poll', { device_code: deviceCode }, limits)
  if (!answer.ok) return answer
  const words = filled(answer.result['fail_reason'])?.slice(0, 200) ?? ''
  switch (answer.result['status']) {
    case 'WAITING':
      return { ok: true, result: { status: 'waiting' } }
    case 'SUCCESS': {
      const [clientId, clientSecret] = [filled(answer.result['client_id']), filled(answer.result['client_secret'])]
      if (clientId === undefined || clientSecret === undefined) return strange('DingTalk confirmed without credentials')
      return { ok: true, result: { status: 'success', clientId, clientSecret } }
    }
    case 'EXPIRED':
      return { ok: true, result: { status: 'expired', words } }
    case 'FAIL':
      return { ok: true, result: { status: 'failed', words } }
    default:
      return strange('DingTalk did not say how the registration stands')
  }
}

const call = (io: PlatformIo, step: string, json: Json, limits: CallLimits): Promise<Answer<Json>> =>
  callJson(
    io,
    { method: 'POST', url: `${oapiUrl(io)}/app/registration/${step}`, json, kind: 'errcode' },
    limits,
    hiding(),
  )

const seconds = (value: unknown, fallback: number, most: number): number =>
  Math.min(Math.max(number(value) ?? fallback, 1), most) * 1_000
