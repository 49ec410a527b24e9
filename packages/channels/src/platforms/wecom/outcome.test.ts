import { expect, it } from 'vitest'
import { toOutcome, type WecomFailure } from './outcome.ts'

const answer = (errcode: number): WecomFailure => ({ kind: 'answer', errcode, errmsg: 'words' })
const refused = (code: string): object => ({ status: 'refused', code })

const cases: readonly [why: string, failure: WecomFailure, outcome: object][] = [
  ['parameter, or too long', answer(40058), refused('content_rejected')],
  ['too often', answer(45009), { ...refused('rate_limited'), retryAfterMs: 60_000 }],
  ['too late to reply', answer(846604), refused('reply_target_gone')],
  ['req_id of another connection', answer(846605), refused('reply_target_gone')],
  ['stream expired', answer(846608), refused('reply_target_gone')],
  ['not subscribed', answer(846609), refused('network')],
  ['never wrote', answer(93001), refused('recipient_unreachable')],
  ['no such chat', answer(93006), refused('recipient_unreachable')],
  ['not in the group', answer(93008), refused('recipient_unreachable')],
  ['picture empty', answer(93017), refused('content_rejected')],
  ['picture too large', answer(93018), refused('content_rejected')],
  ['no such bot', answer(93019), refused('credentials_rejected')],
  ['secret wrong', answer(853000), refused('credentials_rejected')],
  ['a code that nobody knows', answer(-1), { status: 'unknown', detail: 'words (-1)' }],
  ['data conflict before the end', answer(6000), { status: 'unknown' }],
  ['nothing left', { kind: 'unsent', detail: 'd' }, refused('network')],
  ['no answer', { kind: 'unanswered', detail: 'd' }, { status: 'unknown', detail: 'd' }],
]
it.each(cases)('%s', (_why, failure, outcome) => {
  expect(toOutcome(failure)).toMatchObject(outcome)
})
