import { eventStream, type EventStreamOptions } from './event-stream.ts'
import { type TestServer, TOKEN, testServer } from '../testing/test-server.ts'
import type { ChannelEvent, Clock, Log } from '@gatepost/channels'
import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'

const state = {
  platform: 'telegram',
  at: 5,
  type: 'state',
  state: 'running',
  reason: null,
  message: 'two\nlines',
} as const satisfies ChannelEvent
const silent: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

/** A clock whose sleeps end when the test says so. */
function stillClock(): Clock & { tick(): Promise<void> } {
  const sleepers = new Set<() => void>()
  return {
    now: () => 0,
    sleep: (_ms, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted === true) return resolve()
        sleepers.add(resolve)
        signal?.addEventListener('abort', () => resolve(), { once: true })
      }),
    tick: async () => {
      const due = [...sleepers]
      sleepers.clear()
      due.forEach((wake) => wake())
      await new Promise((resolve) => setImmediate(resolve))
    },
  }
}

async function subscribe(server: TestServer): Promise<{ next(): Promise<string>; leave(): void }> {
  const leaving = new AbortController()
  const answer = await fetch(`${server.url}/api/events`, {
    headers: { authorization: `Bearer ${TOKEN}` },
    signal: leaving.signal,
  })
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8'])
  const reader = (answer.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream()).getReader()
  let buffered = ''
  return {
    next: async () => {
      while (!buffered.includes('\n\n')) {
        const { done, value } = await reader.read()
        if (done) return 'end'
        buffered += value
      }
      const [first = '', ...rest] = buffered.split('\n\n')
      buffered = rest.join('\n\n')
      return first
    },
    leave: () => leaving.abort(),
  }
}

const until = async (done: () => boolean): Promise<void> => {
  while (!done()) await new Promise((resolve) => setImmediate(resolve))
}

describe('the stream of events', () => {
  it('tells each event on one line, with comments while nothing happens', async () => {
    const clock = stillClock()
    await using server = await testServer({ clock })
    const stream = await subscribe(server)
    expect(await stream.next()).toBe(': connected\nretry: 3000')
    await clock.tick()
    expect(await stream.next()).toBe(': still here')
    await until(() => server.channels.listeners === 1)
    server.channels.emit(state)
    expect(await stream.next()).toBe(`event: state\ndata: ${JSON.stringify(state)}`)
  })

  it('ends with the client', async () => {
    await using server = await testServer({ clock: stillClock() })
    const stream = await subscribe(server)
    await until(() => server.channels.listeners === 1)
    stream.leave()
    await until(() => server.channels.listeners === 0)
    expect(server.channels.listeners).toBe(0)
  })

  it('ends when the server stops, and none begins after that', async () => {
    await using server = await testServer({ clock: stillClock() })
    const stream = await subscribe(server)
    await stream.next()
    server.stopping.abort()
    expect(await stream.next()).toBe('end')
    const late = await server.call('GET', '/api/events')
    expect([late.status, await late.json()]).toMatchObject([503, { code: 'stopping' }])
  })

  it('ends when the client is not allowed any more, and outlives a database that cannot say', async () => {
    const clock = stillClock()
    const answers: (() => boolean)[] = [
      () => true,
      () => {
        throw new Error('away')
      },
      () => false,
    ]
    let left = false
    const stream = eventStream({
      events: async (signal) => {
        signal.addEventListener('abort', () => (left = true))
        return new ReadableStream<{ readonly type: string }>()
      },
      isStillAllowed: async () => answers.shift()?.() ?? false,
      stopping: new AbortController().signal,
      clock,
      log: silent,
      drop: () => undefined,
    })
    const chunks = Array.fromAsync(stream, (bytes) => Buffer.from(bytes).toString())
    while (answers.length > 0) await clock.tick()
    expect((await chunks).filter((text) => text.includes('still here')).length).toBe(2)
    expect(left).toBe(true)
  })

  it('gives the head alone without listening', async () => {
    await using server = await testServer({ clock: stillClock() })
    const answer = await server.call('HEAD', '/api/events')
    expect([answer.status, server.channels.listeners]).toEqual([200, 0])
  })

  it('drops a client that does not read, and stops listening for it', async () => {
    const told: string[] = []
    const clock = stillClock()
    let dropped = false
    let ended = false
    async function* flood(): AsyncGenerator<ChannelEvent> {
      try {
        for (;;) yield { ...state, message: 'x'.repeat(10_000) }
      } finally {
        ended = true
      }
    }
    const options: EventStreamOptions = {
      events: async () => flood(),
      isStillAllowed: async () => true,
      stopping: new AbortController().signal,
      clock,
      log: { ...silent, warn: (message) => void told.push(message) },
      drop: () => (dropped = true),
    }
    const stream = eventStream(options)
    while (!ended) await clock.tick()
    expect([dropped, told]).toEqual([true, ['Dropped a client that reads its event stream too slowly']])
    await stream.cancel()
  })

  it('gives a client that reads all of what is there at once, however much that is', async () => {
    const events = Array.from({ length: 40 }, (_, at) => ({ ...state, at, message: 'x'.repeat(100_000) }))
    let dropped = false
    const stream = eventStream({
      events: async () => ReadableStream.from(events),
      isStillAllowed: async () => true,
      stopping: new AbortController().signal,
      clock: stillClock(),
      log: silent,
      drop: () => (dropped = true),
    })
    const text = await new Response(stream).text()
    expect([dropped, text.match(/"at":\d+/g)]).toEqual([false, events.map(({ at }) => `"at":${at}`)])
  })

  it('cuts the connection of a client that does not read', async () => {
    const clock = stillClock()
    await using server = await testServer({ clock })
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
    socket.on('error', () => undefined) // the cut itself
    socket.pause()
    socket.write(`GET /api/events HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${TOKEN}\r\n\r\n`)
    await until(() => server.channels.listeners === 1)
    const message = 'x'.repeat(100_000)
    while (server.channels.listeners > 0) {
      server.channels.emit({ ...state, message })
      await clock.tick()
    }
    expect(server.lines.map((line) => line.message)).toContain(
      'Dropped a client that reads its event stream too slowly',
    )
    const closed = new Promise((resolve) => socket.once('close', resolve))
    socket.resume()
    await closed
  })

  it('ends when its source fails, and says so in the log', async () => {
    const failures: unknown[] = []
    const stream = eventStream({
      events: () => Promise.reject(new Error('gone')),
      isStillAllowed: async () => true,
      stopping: new AbortController().signal,
      clock: stillClock(),
      log: { ...silent, error: (_message, fields) => void failures.push(fields?.['error']) },
      drop: () => undefined,
    })
    const chunks = await Array.fromAsync(stream)
    expect([chunks.length, failures]).toEqual([1, [new Error('gone')]])
  })
})
