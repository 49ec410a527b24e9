import { expect, it } from 'vitest'
import type { Connection } from '../../connection.ts'
import { run, never, toUrlText } from '../wire/testing.ts'
import { weixin } from './platform.ts'
import { openWorld, partFor } from './testing.ts'

/** To someone who has written. @param answer What Weixin says of every send. */
async function connectionWhereSends(answer: () => Response): Promise<Connection> {
  const { world, io } = await openWorld()
  const { fetch } = io
  const connection = weixin.connect(world.credentials, {
    ...io,
    fetch: async (input, init) => (toUrlText(input).endsWith('/sendmessage') ? answer() : fetch(input, init)),
  })
  const { message } = run(connection)
  await world.say('hello')
  await message('hello')
  return connection
}

it.each([
  ['a status that is none', { ret: 'failed' }],
  ['a status beside it that is none', { ret: 0, errcode: { code: 1 } }],
  ['a fraction', { ret: -2.5 }],
])('does not take for a success what it does not understand: %s', async (_what, answer) => {
  const connection = await connectionWhereSends(() => Response.json(answer))
  expect(await connection.send(partFor('a'), never)).toMatchObject({ status: 'unknown' })
})

it('counts no send that was certainly not let through', async () => {
  const busy = (): Response => new Response('busy', { status: 429, headers: { 'retry-after': '7' } })
  const connection = await connectionWhereSends(busy)
  for (let tries = 0; tries < 12; tries++)
    expect(await connection.send(partFor('a'), never)).toMatchObject({ code: 'rate_limited', retryAfterMs: 7_000 })
  expect(connection.can.allowance?.(partFor('').chat).left).toBe(9)
})
