import { expect, it } from 'vitest'
import { toConnectionError, toPreSendOutcome, toOutcome, type WeixinFailure } from './outcome.ts'

const answer = (code: number, words = 'x'): WeixinFailure => ({ kind: 'answer', code, words })
const http = (status: number, retryAfterMs?: number): WeixinFailure => ({
  kind: 'foreign',
  status,
  detail: `HTTP ${status}`,
  ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
})
const unsent: WeixinFailure = { kind: 'unsent', detail: 'refused' }
const unanswered: WeixinFailure = { kind: 'unanswered', detail: 'no answer', timedOut: true }

it.each<[why: string, failure: WeixinFailure, outcome: object]>([
  ['an ended log-in', answer(-14), { status: 'refused', code: 'credentials_rejected' }],
  [
    'a quota without words',
    answer(-2, ''),
    { status: 'refused', code: 'quota_used_up', detail: 'no reason given (-2)' },
  ],
  ['a burst, which is the same code', answer(-2, 'rate limited'), { status: 'refused', code: 'quota_used_up' }],
  ['a code that nobody has explained', answer(-1), { status: 'unknown' }],
  ['too many requests', http(429), { status: 'refused', code: 'rate_limited', retryAfterMs: 5_000 }],
  ['too many requests, with a time', http(429, 9_000), { code: 'rate_limited', retryAfterMs: 9_000 }],
  ['a proxy that finds it too large', http(413), { status: 'refused', code: 'content_rejected' }],
  ['another page of a proxy', http(502), { status: 'unknown' }],
  ['a page with status 200', http(200), { status: 'unknown' }],
  ['nobody there', unsent, { status: 'refused', code: 'network' }],
  ['no answer', unanswered, { status: 'unknown' }],
])('takes a send for what it was: %s', (_why, failure, outcome) => {
  expect(toOutcome(failure)).toMatchObject(outcome)
})

it.each<[why: string, failure: WeixinFailure, outcome: object]>([
  ['an ended log-in', answer(-14), { code: 'credentials_rejected' }],
  ['a quota', answer(-2), { code: 'quota_used_up' }],
  ['any other code is final', answer(-1), { code: 'content_rejected' }],
  ['a refusal of the file server is final', http(403), { code: 'content_rejected' }],
  ['a file server that stumbles', http(503), { code: 'network' }],
  ['too many requests', http(429), { code: 'rate_limited', retryAfterMs: 5_000 }],
  ['no answer: nothing was shown', unanswered, { code: 'network' }],
  ['nobody there', unsent, { code: 'network' }],
])('knows that an upload shows nothing: %s', (_why, failure, outcome) => {
  expect(toPreSendOutcome(failure)).toMatchObject({ status: 'refused', ...outcome })
})

it.each<[why: string, failure: WeixinFailure, failures: number, error: object]>([
  ['an ended log-in', answer(-14), 1, { code: 'credentials_rejected', retryAfterMs: null }],
  ['the first failure', http(502), 1, { code: 'network', retryAfterMs: 2_000 }],
  ['the second', unanswered, 2, { code: 'network', retryAfterMs: 2_000 }],
  ['the third in a row', unsent, 3, { code: 'network', retryAfterMs: 30_000 }],
  ['a burst', answer(-2), 1, { code: 'rate_limited', retryAfterMs: 5_000 }],
  ['too many requests', http(429, 60_000), 1, { code: 'rate_limited', retryAfterMs: 60_000 }],
  ['another code', answer(-3), 1, { code: 'network', message: 'Weixin refused the poll: x (-3)' }],
])('ends a run as it should: %s', (_why, failure, failures, error) => {
  expect(toConnectionError(failure, failures)).toMatchObject(error)
})
