import { describe, expect, it } from 'vitest'
import { manualClock } from '../../testing/clock.ts'
import { ProviderError } from '../exchange.ts'
import { boundedFetch } from './public-fetch.ts'

const URL_THERE = 'https://provider.test/token?code=a-secret'
const ask = (send: (request: Request) => Promise<Response>, clock = manualClock()): Promise<Response | ProviderError> =>
  boundedFetch(send, { clock, timeoutMs: 5_000 })(new Request(URL_THERE, { method: 'POST', body: 'x=1' })).catch(
    (error: unknown) => {
      if (error instanceof ProviderError) return error
      throw error
    },
  )

describe('a request to a provider', () => {
  it('is sent as it is, follows no redirect, and is answered whole', async () => {
    const seen: string[] = []
    const answer = await ask(async (request) => {
      seen.push(request.method, request.url, request.redirect, await request.text())
      return new Response('{"a":1}', { status: 201, headers: { 'content-type': 'application/json', 'x-a': 'b' } })
    })
    expect(seen).toEqual(['POST', URL_THERE, 'manual', 'x=1'])
    if (answer instanceof ProviderError) throw answer
    expect([answer.status, await answer.json(), answer.headers.get('x-a')]).toEqual([201, { a: 1 }, 'b'])
    const empty = await ask(async () => new Response(null, { status: 204 }))
    expect(empty).toMatchObject({ status: 204, body: null })
  })

  it.each([
    ['no answer', () => new Promise<Response>(() => {}), 'provider.test did not answer in time'],
    [
      'an answer without an end',
      async () => new Response(new ReadableStream({ start: (stream) => stream.enqueue(new Uint8Array(1)) })),
      'provider.test did not answer in time',
    ],
  ])('is given up after its time: %s', async (_why, send, message) => {
    const clock = manualClock()
    let signal: AbortSignal | null = null
    const answer = ask((request) => {
      signal = request.signal
      return send()
    }, clock)
    clock.advance(5_000)
    expect(await answer).toMatchObject({ name: 'ProviderError', code: 'unknown', message })
    expect(signal).toMatchObject({ aborted: true })
  })

  it.each([
    ['is too large', async () => new Response(new Uint8Array(1_048_577)), 'the answer of provider.test is too large'],
    [
      'never comes',
      async () => {
        throw new TypeError('ECONNRESET')
      },
      'provider.test cannot be reached',
    ],
  ])('fails when its answer %s, without a word of what was sent', async (_why, send, message) => {
    expect(await ask(send)).toMatchObject({ name: 'ProviderError', code: 'unknown', message })
  })
})
