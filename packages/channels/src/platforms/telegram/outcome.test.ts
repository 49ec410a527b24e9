import { expect, it } from 'vitest'
import { toConnectionError, toOutcome, type TelegramFailure } from './outcome.ts'

const answer = (status: number, description: string, more: object = {}): TelegramFailure => ({
  kind: 'answer',
  status,
  description,
  ...more,
})

const containing = (words: string): unknown => expect.stringContaining(words)

const sends: readonly [failure: TelegramFailure, outcome: object][] = [
  [answer(400, 'Bad Request: chat not found'), { status: 'refused', code: 'recipient_unreachable' }],
  [answer(400, 'Bad Request: message thread not found'), { status: 'refused', code: 'recipient_unreachable' }],
  [answer(400, 'Bad Request: message to be replied not found'), { status: 'refused', code: 'reply_target_gone' }],
  [answer(400, 'Bad Request: message text is empty'), { status: 'refused', code: 'content_rejected' }],
  [answer(400, 'Bad Request: message is too long'), { status: 'refused', code: 'content_rejected' }],
  [answer(400, "Bad Request: can't parse entities: Unsupported start tag"), { code: 'markup_rejected' }],
  [answer(400, 'Bad Request: ENTITIES_TOO_LONG'), { code: 'markup_rejected' }],
  [answer(400, 'Bad Request: not enough rights to send photos'), { status: 'refused', code: 'configuration' }],
  [
    answer(400, 'Bad Request: group chat was upgraded to a supergroup chat', { migratedTo: '-1007' }),
    { status: 'refused', code: 'chat_moved', toChatId: '-1007' },
  ],
  [answer(401, 'Unauthorized'), { status: 'refused', code: 'credentials_rejected' }],
  [answer(403, 'Forbidden: bot was blocked by the user'), { status: 'refused', code: 'recipient_unreachable' }],
  [answer(403, 'Forbidden: user is deactivated'), { status: 'refused', code: 'recipient_unreachable' }],
  [answer(403, 'Forbidden: bot was kicked from the group chat'), { code: 'recipient_unreachable' }],
  [answer(403, 'Forbidden: not enough rights'), { status: 'refused', code: 'configuration' }],
  [answer(404, 'Not Found'), { status: 'refused', code: 'credentials_rejected' }],
  [answer(409, 'Conflict'), { status: 'refused', code: 'taken_over' }],
  [answer(413, 'Request Entity Too Large'), { status: 'refused', code: 'content_rejected' }],
  [answer(429, 'Too Many Requests', { retryAfterMs: 7_000 }), { code: 'rate_limited', retryAfterMs: 7_000 }],
  [answer(429, 'Too Many Requests'), { status: 'refused', code: 'rate_limited', retryAfterMs: 5_000 }],
  [answer(418, 'I am a teapot'), { status: 'refused', code: 'content_rejected' }],
  [answer(500, 'Internal Server Error'), { status: 'unknown' }],
  [answer(200, 'what'), { status: 'unknown' }],
  [
    { kind: 'foreign', status: 502, detail: 'a page' },
    { status: 'unknown', detail: 'a page' },
  ],
  [
    { kind: 'foreign', status: 413, detail: 'a page' },
    { status: 'refused', code: 'content_rejected' },
  ],
  [
    { kind: 'unsent', detail: 'ECONNREFUSED' },
    { status: 'refused', code: 'network' },
  ],
  [{ kind: 'unanswered', detail: 'ECONNRESET' }, { status: 'unknown' }],
]
it.each(sends)('a send that failed with %j', (failure, outcome) => {
  expect(toOutcome(failure)).toMatchObject(outcome)
})

const polls: readonly [failure: TelegramFailure, error: object][] = [
  [answer(401, 'Unauthorized'), { code: 'credentials_rejected' }],
  [answer(404, 'Not Found'), { code: 'credentials_rejected' }],
  [
    answer(409, "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook first"),
    { code: 'configuration', message: containing('deleteWebhook') },
  ],
  [
    answer(409, 'Conflict: terminated by other getUpdates request'),
    { code: 'taken_over', message: containing('Another process is receiving') },
  ],
  [answer(429, 'Too Many Requests', { retryAfterMs: 3_000 }), { code: 'rate_limited', retryAfterMs: 3_000 }],
  [answer(400, 'Logged out'), { code: 'configuration' }],
  [answer(502, 'Bad Gateway'), { code: 'network' }],
  [{ kind: 'foreign', status: 404, detail: 'a page' }, { code: 'network' }],
  [{ kind: 'unanswered', detail: 'gone' }, { code: 'network' }],
]
it.each(polls)('a poll that failed with %j', (failure, error) => {
  expect(toConnectionError(failure)).toMatchObject(error)
})
