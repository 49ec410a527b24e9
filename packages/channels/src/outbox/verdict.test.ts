import { expect, it } from 'vitest'
import type { Outcome } from '../message.ts'
import { refused } from '../testing/fake-platform.ts'
import { type Attempt, AWAIT_MS, GIVE_UP_AFTER_MS, decideVerdict, type Verdict } from './verdict.ts'

const NOW = 1_000_000_000
const TEXT = { kind: 'text', body: '<b>x</b>', plain: 'x' } as const
const FIRST: Attempt = {
  content: TEXT,
  hasReplyTo: false,
  isEdit: false,
  attempts: 1,
  createdAtMs: NOW,
  isReply: true,
  canResend: false,
  findAfterMs: null,
}
const UNKNOWN: Outcome = { status: 'unknown', detail: 'no answer' }
const DELIVERED: Outcome = { status: 'delivered', messageId: '5' }
const REFUSED: Verdict = { next: 'dead', state: 'refused' }
const OLD = { createdAtMs: NOW - GIVE_UP_AFTER_MS - 1 }
/** The longest wait: chance gives all of it. */
const max = (): number => 1
const least = (): number => 0

const cases: readonly [
  why: string,
  outcome: Outcome,
  attempt: Partial<Attempt>,
  verdict: Verdict,
  random?: () => number,
][] = [
  ['delivered', DELIVERED, {}, { next: 'delivered', messageId: '5' }],
  ['an answer waits for the person to write', refused('no_context'), {}, { next: 'retry', atMs: NOW + AWAIT_MS }],
  ['a notification does not', refused('no_context'), { isReply: false }, REFUSED],
  ['nor does an answer wait for ever', refused('quota_used_up'), OLD, REFUSED],
  ['delivered, however old', DELIVERED, OLD, { next: 'delivered', messageId: '5' }],
  [
    'delivered, but perhaps in an unfinished form',
    DELIVERED,
    { content: { ...TEXT, begun: true } },
    { next: 'finish', messageId: '5' },
  ],
  ['unknown, nothing to be done', UNKNOWN, {}, { next: 'dead', state: 'unknown' }],
  ['unknown, can be repeated', UNKNOWN, { canResend: true }, { next: 'retry', atMs: NOW + 1_000 }],
  ['unknown for a day', UNKNOWN, { canResend: true, ...OLD }, { next: 'dead', state: 'unknown' }],
  ['unknown, can be found out', UNKNOWN, { findAfterMs: 3_000 }, { next: 'find', atMs: NOW + 3_000 }],
  [
    'unknown, can be found out even when old',
    UNKNOWN,
    { findAfterMs: 3_000, ...OLD },
    { next: 'find', atMs: NOW + 3_000 },
  ],
  [
    'an unfinished form that nobody can find: it may stay there, but it is not the answer',
    UNKNOWN,
    { content: { ...TEXT, begun: true } },
    { next: 'resend_as_new' },
  ],
  [
    'an unfinished form that nobody can find, old',
    UNKNOWN,
    { content: { ...TEXT, begun: true }, ...OLD },
    { next: 'dead', state: 'unknown' },
  ],
  ['credentials rejected', refused('credentials_rejected'), {}, { next: 'hold' }],
  ['credentials rejected, old', refused('credentials_rejected'), OLD, REFUSED],
  ['configuration', refused('configuration'), {}, REFUSED],
  ['taken over', refused('taken_over'), {}, { next: 'retry', atMs: NOW + 1_000 }],
  ['rate limited', refused('rate_limited', { retryAfterMs: 7_000 }), {}, { next: 'retry', atMs: NOW + 7_000 }],
  ['rate limited, no time named', refused('rate_limited'), {}, { next: 'retry', atMs: NOW + 1_000 }],
  ['rate limited again and again', refused('rate_limited'), { attempts: 20 }, { next: 'retry', atMs: NOW + 1_000 }],
  ['unreachable', refused('recipient_unreachable'), {}, REFUSED],
  ['unreachable when edited', refused('recipient_unreachable'), { isEdit: true }, REFUSED],
  ['markup', refused('markup_rejected'), {}, { next: 'plain' }],
  ['markup, plain already', refused('markup_rejected'), { content: { ...TEXT, usePlain: true } }, REFUSED],
  [
    'markup of a file',
    refused('markup_rejected'),
    { content: { kind: 'file', name: 'a', mime: 'b', path: '/c' } },
    REFUSED,
  ],
  ['reply target gone', refused('reply_target_gone'), { hasReplyTo: true }, { next: 'unreply' }],
  ['reply target gone, no reply', refused('reply_target_gone'), {}, REFUSED],
  ['content', refused('content_rejected'), {}, REFUSED],
  ['the message to edit is gone', refused('content_rejected'), { isEdit: true }, { next: 'resend_as_new' }],
  [
    'an unfinished form is not taken',
    refused('configuration'),
    { content: { ...TEXT, begun: true } },
    { next: 'resend_as_new' },
  ],
  [
    'an unfinished form for somebody who cannot be reached',
    refused('recipient_unreachable'),
    { content: { ...TEXT, begun: true } },
    REFUSED,
  ],
  ['moved', refused('chat_moved', { toChatId: 'n' }), {}, { next: 'move', toChatId: 'n', atMs: NOW }],
  [
    'moved again',
    refused('chat_moved', { toChatId: 'n' }),
    { attempts: 2 },
    { next: 'move', toChatId: 'n', atMs: NOW + 2_000 },
  ],
  ['moved to nowhere', refused('chat_moved'), {}, REFUSED],
  ['network', refused('network'), {}, { next: 'retry', atMs: NOW + 1_000 }],
  ['network, by chance sooner', refused('network'), {}, { next: 'retry', atMs: NOW + 500 }, least],
  ['network, third time', refused('network'), { attempts: 3 }, { next: 'retry', atMs: NOW + 4_000 }],
  ['network, capped', refused('network'), { attempts: 1_000 }, { next: 'retry', atMs: NOW + 60_000 }],
  ['network for a day', refused('network'), OLD, REFUSED],
  [
    'network, last instant',
    refused('network'),
    { createdAtMs: NOW - GIVE_UP_AFTER_MS },
    { next: 'retry', atMs: NOW + 1_000 },
  ],
]
it.each(cases)('%s', (_why, outcome, attempt, verdict, random = max) => {
  expect(decideVerdict(outcome, { ...FIRST, ...attempt }, NOW, random)).toEqual(verdict)
})
