import { expect, it } from 'vitest'
import { urlOf } from '../wire/testing.ts'
import { openBench } from './discord-run.contract.ts'
import { discord } from './platform.ts'
import { trustedGateway, trustedUrl } from './urls.ts'

const DISCORD = 'https://discord.com/api'
it.each<[string, 'web' | 'socket', string, boolean]>([
  ['wss://gateway.discord.gg', 'socket', DISCORD, true],
  ['wss://gateway-us-east1-b.discord.gg/', 'socket', DISCORD, true],
  ['ws://gateway.discord.gg', 'socket', DISCORD, false],
  ['wss://gateway.discord.gg.evil.example', 'socket', DISCORD, false],
  ['https://cdn.discordapp.com/attachments/1', 'web', DISCORD, true],
  ['https://evil.example/attachments/1', 'web', DISCORD, false],
  ['https://relay.example.org/x', 'web', 'https://relay.example.org/api', true],
  ['https://10.0.0.1/x', 'web', 'https://relay.example.org/api', false],
])('opens %s as %s of %s: %s', (url, kind, api, isFine) => {
  expect(trustedUrl(url, kind, api) !== null).toBe(isFine)
})

it.each([
  ['wss://gateway.discord.gg', 'wss://gateway.discord.gg/'],
  [' wss://gateway.discord.gg \n', 'wss://gateway.discord.gg/'],
  ['wss://gateway.discord.gg/resume?v=9#', 'wss://gateway.discord.gg/resume'],
  ['wss://evil.example', null],
])('hands the library of %j what it can append its query to', (url, expected) => {
  expect(trustedGateway(url, DISCORD)).toBe(expected)
})

it('lives on when the address of the gateway has a blank behind it', async () => {
  const bench = await openBench()
  const { world, stored, io } = bench
  const spoiling: typeof fetch = async (...request) => {
    const answer = await io.fetch(...request)
    if (!urlOf(request[0]).endsWith('/gateway/bot')) return answer
    return new Response((await answer.text()).replace(/"(wss?:[^"]+)"/, '"$1 "'), answer)
  }
  bench.run(discord.connect(world.credentials, { ...io, fetch: spoiling }))
  await bench.until(() => stored.heardAtMs !== null)
  await world.say('heard all the same')
  await bench.until(() => bench.texts().length === 1)
  expect(bench.texts()).toEqual(['heard all the same'])
})

it('lives on when the place to resume at is stored with a fragment', async () => {
  const bench = await openBench()
  const { world, stored } = bench
  const first = bench.run()
  await bench.until(() => stored.heardAtMs !== null)
  await first.stop()
  const cursor = stored.cursor?.replace('/resume"', '/resume#"')
  expect(cursor).toContain('#')
  stored.cursor = cursor ?? null
  await world.say('meanwhile')
  bench.run()
  await bench.until(() => bench.texts().length === 1)
  expect(await world.control.requests({ method: 'resume' })).toHaveLength(1)
})
