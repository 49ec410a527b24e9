import { expect, it } from 'vitest'
import type { ChannelRefusal } from '../../errors.ts'
import { toConnectionError, type DingtalkFailure, isRejection, toOutcome, describeFailure } from './outcome.ts'

const http = (status: number, code: string, message = ''): DingtalkFailure => ({
  kind: 'answer',
  status,
  code,
  message,
})
const errcode = (code: number, message = ''): DingtalkFailure => http(200, String(code), message)
const PERMISSION = 'Forbidden.AccessDenied.AccessTokenPermissionDenied'

it.each<[why: string, failure: DingtalkFailure, code: ChannelRefusal, retryAfterMs?: number]>([
  ['too many calls', http(403, 'Forbidden.AccessDenied.QpsLimitForApi'), 'rate_limited', 2_000],
  ['too many calls, by the status', http(429, 'x'), 'rate_limited', 2_000],
  ['a webhook that is blocked', errcode(130101), 'rate_limited', 600_000],
  ['a webhook that is gone', errcode(300001), 'no_context'],
  ['security settings', errcode(310000), 'configuration'],
  ['a body that is too large', errcode(460101), 'content_rejected'],
  ['a parameter of the old API', errcode(40035), 'content_rejected'],
  ['a parameter of the new API', http(400, 'invalidParameter', 'msgParam'), 'content_rejected'],
  ['no permission', http(403, PERMISSION), 'configuration'],
  ['a robot of another app', http(400, 'resource.not.found', 'robot not found'), 'configuration'],
  ['a robot that does not exist', http(400, 'invalidParameter.robotCode.notExsit'), 'configuration'],
  ['a person that does not exist', http(400, 'staffId.notExisted'), 'recipient_unreachable'],
  ['a token that is refused twice', http(401, 'InvalidAuthentication'), 'credentials_rejected'],
  ['a token that is refused, in words', http(400, 'param.error', 'access_token is invalid'), 'credentials_rejected'],
  ['a wrong pair', http(400, 'invalidClientIdOrSecret'), 'credentials_rejected'],
  ['nobody there', { kind: 'unsent', detail: 'x' }, 'network'],
  ['a proxy that found it too large', { kind: 'foreign', status: 413, detail: 'x' }, 'content_rejected'],
])('is refused: %s', (_why, failure, code, retryAfterMs) => {
  const outcome = toOutcome(failure)
  expect(outcome).toMatchObject({ status: 'refused', code })
  expect(outcome).toEqual(
    retryAfterMs === undefined
      ? expect.not.objectContaining({ retryAfterMs: expect.anything() })
      : expect.objectContaining({ retryAfterMs }),
  )
})

it.each<[why: string, failure: DingtalkFailure]>([
  ['no answer', { kind: 'unanswered', detail: 'x' }],
  ['a page of a proxy', { kind: 'foreign', status: 502, detail: 'x' }],
  ['a server that failed', http(500, 'ServiceUnavailable')],
  ['a system that is busy', errcode(-1)],
])('is unknown: %s', (_why, failure) => {
  expect(toOutcome(failure)).toMatchObject({ status: 'unknown' })
})

it.each<[why: string, failure: DingtalkFailure, code: ChannelRefusal]>([
  ['a wrong pair', http(401, 'authFailed'), 'credentials_rejected'],
  ['an app that is not published', http(400, 'invalidParameter', 'app is not published'), 'configuration'],
  ['too many calls', http(403, 'Forbidden.QpsLimit'), 'rate_limited'],
  ['a gateway that is down', http(503, 'ServiceUnavailable'), 'network'],
  ['a proxy', { kind: 'foreign', status: 502, detail: 'x' }, 'network'],
  ['no answer', { kind: 'unanswered', detail: 'x' }, 'network'],
])('ends a connection: %s', (_why, failure, code) => {
  expect(toConnectionError(failure)).toMatchObject({ code })
})

it('says what to do about an app that may not connect', () => {
  const { message } = toConnectionError(http(400, 'invalidParameter'))
  for (const word of ['published', 'Stream', 'IP allowlist']) expect(message).toContain(word)
})

it('names the permissions that are missing', () => {
  const failure = { ...http(403, PERMISSION, 'no'), scopes: ['Card.Instance.Write'] } as DingtalkFailure // as read from an answer
  expect(describeFailure(failure)).toContain('Card.Instance.Write')
})

it('takes only what speaks of the pair for a rejection of it', () => {
  expect(isRejection(http(400, 'invalidClientIdOrSecret'))).toBe(true)
  expect(isRejection(http(400, 'invalidParameter'))).toBe(false)
  expect(isRejection(http(403, PERMISSION))).toBe(false)
})
