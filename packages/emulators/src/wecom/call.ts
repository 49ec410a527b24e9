import { WecomFailure, type WecomFault } from './faults.ts'
import type { Connection, WecomState } from './state.ts'

/** A frame of the bot. */
export interface FrameCall {
  readonly state: WecomState
  readonly connection: Connection
  readonly reqId: string
  readonly body: Readonly<Record<string, unknown>>
}

const UPLOADS = 'uploads of the bot'

/** Counts a reply or a push. @throws {WecomFailure} 45009 when rate limits are on and exceeded */
export function countSend(state: WecomState, chatId: string): void {
  count(state, `chat ${chatId}`)
}

/** Counts an upload. @throws {WecomFailure} 45009 when rate limits are on and exceeded */
export function countUpload(state: WecomState): void {
  count(state, UPLOADS)
}

/** Returns the lifetime of a stream, in ms. */
export function streamLife(state: WecomState): number {
  return active(state, 'stream_life')?.ms ?? state.times.streamLifeMs
}

function count(state: WecomState, key: string): void {
  const limits = active(state, 'rate_limits')
  if (limits !== undefined) {
    const { perMinute = 30, perHour = 1_000 } = limits
    const isPassed = state.sends.count(key, 60_000) >= perMinute || state.sends.count(key, 60 * 60_000) >= perHour
    if (isPassed) throw new WecomFailure(45009)
  }
  state.sends.add(key)
}

function active<K extends WecomFault['kind']>(
  state: WecomState,
  kind: K,
): Extract<WecomFault, { readonly kind: K }> | undefined {
  const fault = state.faults.active.findLast(({ spec }) => spec.kind === kind)
  return fault?.spec as Extract<WecomFault, { readonly kind: K }> | undefined // found by its kind
}
