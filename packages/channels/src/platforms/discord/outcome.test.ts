import { expect, it } from 'vitest'
import { toConnectionError, type DiscordFailure, toOutcome } from './outcome.ts'

const said = (status: number, code: number, description = 'no'): DiscordFailure => ({
  kind: 'answer',
  status,
  code,
  description,
})

it.each<[string, DiscordFailure, object]>([
  ['a wrong token', said(401, 0), { code: 'credentials_rejected' }],
  ['no access', said(403, 50_001), { code: 'recipient_unreachable' }],
  ['a missing permission', said(403, 50_013), { code: 'configuration' }],
  ['a person who takes no private messages', said(403, 50_007), { code: 'recipient_unreachable' }],
  ['a person without a common server', said(403, 50_278), { code: 'recipient_unreachable' }],
  ['an odd user agent', said(403, 40_333), { code: 'configuration' }],
  ['another prohibition', said(403, 1), { code: 'configuration' }],
  ['an unknown channel', said(404, 10_003), { code: 'recipient_unreachable' }],
  ['an unknown message', said(404, 10_008), { code: 'content_rejected' }],
  ['an unknown person', said(404, 10_013), { code: 'recipient_unreachable' }],
  ['an empty message', said(400, 50_006), { code: 'content_rejected' }],
  ['a message that is too long', said(400, 50_035, 'content[BASE_TYPE_MAX_LENGTH]: …'), { code: 'content_rejected' }],
  [
    'an answer to nothing',
    said(400, 50_035, 'message_reference[REPLIES_UNKNOWN_MESSAGE]: …'),
    { code: 'reply_target_gone' },
  ],
  ['a closed thread', said(400, 50_083), { code: 'configuration' }],
  ['an answer without the history', said(400, 160_002), { code: 'reply_target_gone' }],
  ['a file that is too large', said(413, 40_005), { code: 'content_rejected' }],
  ['slow mode', said(400, 20_016), { code: 'rate_limited', retryAfterMs: 5_000 }],
  ['a limit', { kind: 'limited', retryAfterMs: 70, description: 'x' }, { code: 'rate_limited', retryAfterMs: 70 }],
  ['a code nobody knows', said(400, 999), { code: 'content_rejected' }],
  ['an error of the server', said(500, 0), { status: 'unknown' }],
  ['overload', said(400, 130_000), { status: 'unknown' }],
  ['a page of a proxy', { kind: 'foreign', status: 502, detail: 'x' }, { status: 'unknown' }],
  ['a proxy that takes no such file', { kind: 'foreign', status: 413, detail: 'x' }, { code: 'content_rejected' }],
  ['nobody who listens', { kind: 'unsent', detail: 'x' }, { code: 'network' }],
  ['no answer', { kind: 'unanswered', detail: 'x' }, { status: 'unknown' }],
])('of a send: %s', (_what, failure, outcome) => {
  expect(toOutcome(failure)).toMatchObject('status' in outcome ? outcome : { status: 'refused', ...outcome })
})

it.each<[DiscordFailure, object]>([
  [said(401, 0), { code: 'credentials_rejected' }],
  [said(403, 40_333), { code: 'configuration' }],
  [said(500, 0), { code: 'network' }],
  [
    { kind: 'limited', retryAfterMs: 70, description: 'x' },
    { code: 'rate_limited', retryAfterMs: 70 },
  ],
  [{ kind: 'unsent', detail: 'x' }, { code: 'network' }],
  [{ kind: 'foreign', status: 401, detail: 'x' }, { code: 'network' }],
])('of a connection: %j', (failure, error) => {
  expect(toConnectionError(failure)).toMatchObject(error)
})
