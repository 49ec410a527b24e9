import { expect, it } from 'vitest'
import { manualClock } from '../../testing/clock.ts'
import {
  toForeignFailure,
  ForeignAnswer,
  createRedactor,
  asNotShown,
  toWireOutcome,
  raceAbort,
  checkReachable,
  type WireFailure,
  runCall,
} from './call.ts'
import { never } from './testing.ts'

const stopped = AbortSignal.abort()

/** As Node throws it. */
const coded = (code: string, more: object = {}): Error =>
  Object.assign(new Error('to https://host/secret'), { code, ...more })
const fetchFailed = (cause: unknown): Error => new TypeError('fetch failed', { cause })

const thrown: readonly [why: string, error: unknown, failure: WireFailure][] = [
  ['refused', fetchFailed(coded('ECONNREFUSED')), unsent('ECONNREFUSED')],
  ['no such host', fetchFailed(coded('ENOTFOUND')), unsent('ENOTFOUND')],
  ['a certificate that ended', fetchFailed(coded('CERT_HAS_EXPIRED')), unsent('CERT_HAS_EXPIRED')],
  [
    'a certificate of another name',
    fetchFailed(coded('ERR_TLS_CERT_ALTNAME_INVALID')),
    unsent('ERR_TLS_CERT_ALTNAME_INVALID'),
  ],
  ['a time-out of connecting', coded('ETIMEDOUT', { syscall: 'connect' }), unsent('ETIMEDOUT')],
  ['a time-out of reading', coded('ETIMEDOUT', { syscall: 'read' }), unanswered('ETIMEDOUT')],
  ['a route that was lost under way', coded('EHOSTUNREACH', { syscall: 'read' }), unanswered('EHOSTUNREACH')],
  ['a reset', fetchFailed(coded('ECONNRESET')), unanswered('ECONNRESET')],
  ['several addresses in vain', new AggregateError([], 'all'), unsent(null)],
  ['a port that is not asked', fetchFailed(new Error('bad port')), unsent(null)],
  ['something without a code', new Error('https://host/secret'), unanswered(null)],
  ['no error at all', 'x', unanswered(null)],
]

function lost(error: string | null): Pick<WireFailure, 'detail' | 'cause'> {
  const detail = error === null ? 'the connection failed' : `the connection failed (${error})`
  return { detail, cause: { code: 'connection_failed', error } }
}
function unsent(error: string | null): WireFailure {
  return { kind: 'unsent', ...lost(error) }
}
function unanswered(error: string | null): WireFailure {
  return { kind: 'unanswered', ...lost(error) }
}

it.each(thrown)('takes %s for what it is, without its words', async (_why, error, failure) => {
  const clock = manualClock(0)
  const got = await runCall({ clock }, { signal: never, timeoutMs: 1_000 }, async () => {
    throw error
  })
  expect(got).toEqual({ ok: false, failure })
})

it('hands on what came, and what a library says in its own errors', async () => {
  const clock = manualClock(0)
  const limits = { signal: never, timeoutMs: 1_000 }
  expect(await runCall({ clock }, limits, () => Promise.resolve(7))).toBe(7)
  const read = (error: unknown): string | undefined => (error instanceof RangeError ? error.message : undefined)
  const said = await runCall({ clock }, limits, () => Promise.reject(new RangeError('no')), read)
  expect(said).toEqual({ ok: false, failure: 'no' })
  const lost = await runCall({ clock }, limits, () => Promise.reject(new Error('no')), read)
  expect(lost).toMatchObject({ failure: { kind: 'unanswered' } })
})

const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))))

it('breaks off what takes too long, and what nobody waits for any more', async () => {
  const clock = manualClock(0)
  const slow = runCall({ clock }, { signal: never, timeoutMs: 2_000 }, untilAborted, () => 'not asked')
  await clock.advance(2_000)
  expect(await slow).toEqual({
    ok: false,
    failure: {
      kind: 'unanswered',
      detail: 'no response within 2 s',
      timedOut: true,
      cause: { code: 'timed_out', seconds: 2 },
    },
  })
  const caller = new AbortController()
  const left = runCall({ clock }, { signal: caller.signal, timeoutMs: 2_000 }, untilAborted)
  caller.abort()
  const detail = 'cancelled before a response arrived'
  expect(await left).toEqual({ ok: false, failure: { kind: 'unanswered', detail, cause: { code: 'cancelled' } } })
})

it('sends nothing for a caller who has left', async () => {
  const work = (): Promise<never> => Promise.reject(new Error('was asked'))
  const got = await runCall({ clock: manualClock(0) }, { signal: stopped, timeoutMs: 1 }, work)
  const detail = 'cancelled before it was sent'
  expect(got).toEqual({ ok: false, failure: { kind: 'unsent', detail, cause: { code: 'cancelled' } } })
})

it('knows the page of a proxy, with the wait that it asks for', async () => {
  const page = new Response('<html>', { status: 503, headers: { 'retry-after': '7' } })
  const failure = toForeignFailure(page, 'Vendor')
  const detail = 'HTTP 503 instead of a response from Vendor (a proxy, or a wrong URL)'
  expect(failure).toEqual({
    kind: 'foreign',
    status: 503,
    detail,
    retryAfterMs: 7_000,
    cause: { code: 'foreign_response', status: 503 },
  })
  const limits = { signal: never, timeoutMs: 1 }
  const got = await runCall({ clock: manualClock(0) }, limits, () => Promise.reject(new ForeignAnswer(failure)))
  expect(got).toEqual({ ok: false, failure })
})

it('takes any answer for a sign that a server is there', async () => {
  const limits = { signal: never, timeoutMs: 1_000 }
  const ask = (fetch: () => Promise<Response>): Promise<WireFailure | null> =>
    checkReachable({ clock: manualClock(0), fetch }, 'https://host.example', limits)
  expect(await ask(async () => new Response('<html>', { status: 503 }))).toBeNull()
  expect(await ask(() => Promise.reject(coded('ECONNREFUSED')))).toEqual(unsent('ECONNREFUSED'))
})

const outcomes: readonly [failure: WireFailure, outcome: object][] = [
  [
    { kind: 'unsent', detail: 'x' },
    { status: 'refused', code: 'network', detail: 'x' },
  ],
  [
    { kind: 'unanswered', detail: 'x', timedOut: true },
    { status: 'unknown', detail: 'x' },
  ],
  [
    { kind: 'foreign', status: 502, detail: 'x' },
    { status: 'unknown', detail: 'x' },
  ],
  [
    { kind: 'foreign', status: 413, detail: 'x' },
    { status: 'refused', code: 'content_rejected', detail: 'x' },
  ],
]

it.each(outcomes)('%j leaves a delivery as %j', (failure, outcome) => {
  expect(toWireOutcome(failure)).toEqual(outcome)
})

it('takes nothing for shown by a call that shows nothing', () => {
  expect(asNotShown({ status: 'unknown', detail: 'x' })).toEqual({ status: 'refused', code: 'network', detail: 'x' })
  expect(asNotShown({ status: 'delivered', messageId: '7' })).toEqual({ status: 'delivered', messageId: '7' })
})

it('stops waiting for work that goes on for others', async () => {
  const work = Promise.withResolvers<number>()
  const caller = new AbortController()
  const [patient, gone] = [raceAbort(work.promise, never), raceAbort(work.promise, caller.signal)]
  caller.abort()
  expect(await gone).toBeNull()
  work.resolve(7)
  expect(await patient).toBe(7)
  await expect(raceAbort(Promise.reject(new Error('no')), never)).rejects.toThrow('no')
})

it.each([
  ['bad token 1:abc', 'bad token ****'],
  ['/bot1%3Aabc/getMe, abc', '/bot1%3A****/getMe, ****'],
  ['two\r\nlines\u0000 and\ttabs', 'two lines and tabs'],
  ['x'.repeat(400), 'x'.repeat(300)],
  [`${'x'.repeat(299)}1:abc`, `${'x'.repeat(299)}*`],
])('shows %j as %j', (words, shown) => {
  expect(createRedactor('1:abc', 'abc', '')(words)).toBe(shown)
})
