import { expect, it } from 'vitest'
import { toConnectionError, type FeishuFailure, isRejection, toOutcome } from './outcome.ts'

const answer = (code: number, status = 400, more: object = {}): FeishuFailure => ({
  kind: 'answer',
  status,
  code,
  msg: 'words',
  ...more,
})

const sends: readonly [failure: FeishuFailure, outcome: object][] = [
  [answer(10014, 200), { status: 'refused', code: 'credentials_rejected', detail: 'words (code 10014)' }],
  [answer(99991663), { status: 'refused', code: 'network' }],
  [answer(99991400, 429, { retryAfterMs: 7_000 }), { status: 'refused', code: 'rate_limited', retryAfterMs: 7_000 }],
  [answer(230020), { status: 'refused', code: 'rate_limited', retryAfterMs: 1_000 }],
  [answer(11232), { status: 'refused', code: 'rate_limited', retryAfterMs: 1_000 }],
  [answer(5, 429), { status: 'refused', code: 'rate_limited' }],
  [answer(99991403), { status: 'refused', code: 'quota_used_up' }],
  [answer(99991672), { status: 'refused', code: 'configuration' }],
  [answer(230006), { status: 'refused', code: 'configuration' }],
  [answer(230013), { status: 'refused', code: 'configuration' }],
  [answer(230027), { status: 'refused', code: 'configuration' }],
  [answer(230002), { status: 'refused', code: 'recipient_unreachable' }],
  [answer(230011), { status: 'refused', code: 'reply_target_gone' }],
  [answer(231003), { status: 'refused', code: 'reply_target_gone' }],
  [answer(230099), { status: 'refused', code: 'markup_rejected' }],
  [answer(230001), { status: 'refused', code: 'content_rejected' }],
  [answer(230025), { status: 'refused', code: 'content_rejected' }],
  [answer(230028), { status: 'refused', code: 'content_rejected' }],
  [answer(230031), { status: 'refused', code: 'content_rejected' }],
  [answer(234006), { status: 'refused', code: 'content_rejected' }],
  [answer(234010), { status: 'refused', code: 'content_rejected' }],
  // codes that nobody has told us of: refused where only refusals come from, else it may have been shown
  [answer(230999, 200), { status: 'refused', code: 'content_rejected' }],
  [answer(77, 400), { status: 'refused', code: 'content_rejected' }],
  [answer(77, 200), { status: 'unknown' }],
  [answer(2200, 500), { status: 'unknown' }],
  [answer(1, 200), { status: 'unknown' }],
  [{ kind: 'foreign', status: 502, detail: 'a page' }, { status: 'unknown' }],
  [
    { kind: 'foreign', status: 413, detail: 'a page' },
    { status: 'refused', code: 'content_rejected' },
  ],
  [
    { kind: 'unsent', detail: 'no route' },
    { status: 'refused', code: 'network', detail: 'no route' },
  ],
  [
    { kind: 'unanswered', detail: 'gone' },
    { status: 'unknown', detail: 'gone' },
  ],
]
it.each(sends)('a send that failed with %j', (failure, outcome) => {
  expect(toOutcome(failure)).toMatchObject(outcome)
})

const connections: readonly [failure: FeishuFailure, code: string][] = [
  [answer(10003, 200), 'credentials_rejected'],
  [answer(10014, 200), 'credentials_rejected'],
  [answer(514, 200), 'credentials_rejected'],
  [answer(1000040346, 200), 'credentials_rejected'],
  [answer(403, 200), 'configuration'],
  [answer(1000040350, 200), 'taken_over'],
  [answer(1000040343, 200), 'network'],
  [answer(1, 200), 'network'],
  [answer(99991400, 429), 'rate_limited'],
  [answer(4_711, 200), 'network'],
  [{ kind: 'foreign', status: 200, detail: 'a page' }, 'network'],
  [{ kind: 'unanswered', detail: 'gone' }, 'network'],
]
it.each(connections)('connecting that failed with %j is %s', (failure, code) => {
  expect(toConnectionError(failure)).toMatchObject({ name: 'ConnectionError', code })
  expect(isRejection(failure)).toBe(code === 'credentials_rejected')
})
