import { expect, it } from 'vitest'
import { never, testIo, until } from '../wire/testing.ts'
import { waitForGuild } from './bot.ts'

const bot_token = `${Buffer.from('1300000000000000099').toString('base64url')}.AAAAAA.secret-part`

it('watches for ten minutes, also when Discord asks to wait for longer', async () => {
  let isAsked = false
  const io = testIo({
    async fetch() {
      isAsked = true
      return Response.json({ retry_after: 3_600 }, { status: 429, headers: { 'retry-after': '3600' } })
    },
  })
  const watching = waitForGuild({ bot_token }, io, never)
  let isOver = false
  void watching.then(() => {
    isOver = true
  })
  await until(() => isAsked)
  await io.clock.advance(600_000)
  expect(isOver).toBe(true)
  expect(await watching).toBeNull()
})
