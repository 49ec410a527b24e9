import { expect, it, onTestFinished, vi } from 'vitest'
import { object } from '../wire/json.ts'
import { run, never, until } from '../wire/testing.ts'
import { textPart, callback, startServer } from './testing.ts'

it('outlives frames of no form, and takes those beside them', async () => {
  const odd: readonly unknown[] = [
    null,
    7,
    [],
    'text',
    { headers: { req_id: 7 } },
    { headers: null, errcode: 0 },
    { cmd: '__proto__', headers: { req_id: '__proto__' } },
    { cmd: 'aibot_msg_callback' },
    { cmd: 'aibot_msg_callback', body: { msgtype: {} } },
    { cmd: 'aibot_event_callback', body: { msgtype: 'event', event: { eventtype: { a: 1 } } } },
    { headers: { req_id: 'ping_1' }, errcode: 'x' },
    callback('7301234567890123456', { text: null }),
    callback('M1', { from: { userid: '__proto__' }, msgtype: '__proto__' }),
    callback('M2', { chattype: 'group', chatid: ['a'] }),
  ]
  const { io, connection, subscriptions } = await startServer((line) => {
    for (const frame of odd) line.send(frame)
    line.raw('{')
    line.raw('')
    line.raw(`${'['.repeat(100_000)}`)
    line.raw(Buffer.from([0, 255, 254]))
    line.send(callback('M3', { text: { content: 'after \u0000 and \ud800' } }))
  })
  const { messages, until: told } = run(connection)
  await told(() => messages.length > 0)
  expect(messages).toMatchObject([{ messageId: 'M3' }])
  expect(subscriptions()).toBe(1)
  expect(JSON.stringify(io.lines)).not.toMatch(/hello|the-secret/)
})

it('takes an answer without a status for none, and what follows for unsent', async () => {
  const { connection } = await startServer(
    (line) => line.send(callback('M1')),
    (line, frame) => line.send({ headers: object(frame)?.['headers'], errmsg: 'the-secret-of-the-test' }),
  )
  const bot = run(connection)
  await bot.message('hello')
  expect(await connection.send(textPart('x', { proactive: true }), never)).toMatchObject({ status: 'unknown' })
  await bot.stop()
  expect(await connection.send(textPart('x', { proactive: true }), never)).toMatchObject({ code: 'network' })
})

it('says the rest of an answer also when a preview was refused while its bubble was closed', async () => {
  const shown: string[] = []
  let hold: (() => void) | null = null
  let beats = 0
  const { io, connection } = await startServer(
    (line) => line.send(callback('M1')),
    (line, frame) => {
      const { cmd, headers, body } = object(frame) ?? {}
      const content = object(object(body)?.['stream'])?.['content'] ?? object(object(body)?.['markdown'])?.['content']
      if (typeof content === 'string') shown.push(content)
      if (content === 'One.\n\nTwo') hold = () => line.send({ headers, errcode: 45009, errmsg: 'too often' })
      else line.send({ headers, errcode: 0 })
      if (cmd === 'ping' && ++beats === 9) hold?.() // the bubble is closed before the ninth heartbeat
    },
  )
  await run(connection).message('hello')
  const live = textPart('One.\n\n', { live: true })
  const begun = await connection.send(live, never)
  const id = begun.status === 'delivered' ? begun.messageId : ''
  await connection.can.edit?.({ ...live, body: 'One.\n\nT' }, id, never)
  const preview = connection.can.edit?.({ ...live, body: 'One.\n\nTwo' }, id, never)
  await until(() => hold !== null)
  for (let beat = 1; beat <= 9; beat++) {
    await io.clock.untilSleeping(1)
    await io.clock.advance(30_000)
    await until(() => beats === beat)
  }
  expect(await preview).toMatchObject({ code: 'rate_limited' })
  const { live: _, ...whole } = { ...live, body: 'One.\n\nTwo.' }
  expect(await connection.can.edit?.(whole, id, never)).toMatchObject({ code: 'reply_target_gone' })
  expect(await connection.send(whole, never)).toMatchObject({ status: 'delivered' })
  expect(shown.slice(-2)).toEqual(['One.\n\n… *continues below*', 'Two.'])
})

it('does not take late answers to two previews for the answer to the end', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }) // the library waits by the clock of the machine
  onTestFinished(() => void vi.useRealTimers())
  const came: unknown[] = []
  const { connection } = await startServer(
    (line) => line.send(callback('M1')),
    (line, frame) => {
      const { headers, body } = object(frame) ?? {}
      const stream = object(object(body)?.['stream'])
      if (stream !== undefined) came.push(stream['content'])
      if (came.length === 2 || came.length === 3) return // answered late, and then the bubble had expired
      line.send({ headers, errcode: came.length === 6 && stream !== undefined ? 846608 : 0 })
    },
  )
  await run(connection).message('hello')
  const live = textPart('One', { live: true })
  const begun = await connection.send(live, never)
  const id = begun.status === 'delivered' ? begun.messageId : ''
  for (const count of [2, 3]) {
    const preview = connection.can.edit?.({ ...live, body: `One ${count}` }, id, never)
    await until(() => came.length === count)
    vi.advanceTimersByTime(5_000)
    expect(await preview).toMatchObject({ status: 'unknown' })
  }
  const { live: _, ...whole } = { ...live, body: 'One and all' }
  expect(await connection.can.edit?.(whole, id, never)).toMatchObject({ code: 'reply_target_gone' })
  expect(came.slice(3)).toEqual(['One and all', 'One and all', 'One and all'])
})

it('lets go of everything when it is told twice at once that another has taken over', async () => {
  const event = {
    cmd: 'aibot_event_callback',
    headers: { req_id: 'E' },
    body: { event: { eventtype: 'disconnected_event' } },
  }
  const { io, connection } = await startServer((line) => {
    line.send(event)
    line.send({ headers: { req_id: 'aibot_subscribe_again' }, errcode: 0 })
    line.send(event)
    line.send(callback('M1'))
  })
  const { ended, events } = run(connection)
  expect(await ended).toMatchObject({ code: 'taken_over', final: true })
  expect([events, io.clock.sleeping]).toEqual([[], 0])
})
