import { expect, it } from 'vitest'
import { ChannelError } from '../../errors.ts'
import { type Person, personAt } from '../../setup/testing.ts'
import { never, until } from '../wire/testing.ts'
import { openBench, type Bench } from './discord-run.contract.ts'
import { discordCredentials } from './credentials.ts'
import { diagnoseDiscord } from './diagnose.ts'
import { inviteUrl, PORTAL_URL } from './bot.ts'
import { discordPortal } from './setup.ts'

const APPLICATION = '1300000000000000099'

/** Someone who pastes these one after the other, and a store that refuses what `refuse` says. */
const pasting = (bench: Bench, pasted: readonly string[], refuse?: ChannelError): Person =>
  personAt(bench.io, {
    answer: (_question, count) => ({ bot_token: pasted[count - 1] ?? '' }),
    save(fields) {
      const message = discordCredentials.schema.safeParse(fields).error?.issues[0]?.message
      if (message !== undefined) throw new ChannelError('credentials_invalid', { message })
      if (refuse !== undefined) throw refuse
    },
  })

/** Lets the time pass until it is done, but none while Discord is asked. */
async function passing(bench: Bench, done: Promise<unknown>): Promise<void> {
  let isOver = false
  void done.finally(() => {
    isOver = true
  })
  while (!isOver) {
    for (let turn = 0; turn < 20 || bench.asking() > 0; turn++) await new Promise((resolve) => setImmediate(resolve))
    await bench.clock.advance(3_000)
  }
  expect(await done).toBeUndefined()
}

it('leads from the portal over the token to the server', async () => {
  const bench = await openBench({ messageContent: false })
  const { credentials, control } = bench.world
  const person = pasting(bench, [`token=${credentials.bot_token} app_id=${APPLICATION}`])
  const done = person.follow(discordPortal)
  await until(() => bench.clock.sleeping > 0 && person.steps.length > 0)
  expect(person.questions[0]).toMatchObject({ url: PORTAL_URL, fields: [{ name: 'bot_token', secret: true }] })
  expect(person.saved).toMatchObject([{ fields: { bot_token: credentials.bot_token } }])
  expect(person.steps).toMatchObject([{ state: 'watching', url: inviteUrl(APPLICATION) }])
  await control.scan({ act: 'join', id: '1300000000000000300', title: 'Team' })
  await passing(bench, done)
  expect(person.steps.at(-1)).toMatchObject({
    message: expect.stringContaining('"Team"') as unknown,
    facts: { guild_id: '1300000000000000300', total: 1 },
  })
  // the intent was switched on on the way
  expect(await control.requests({ method: 'applications.patch' })).toHaveLength(1)
  expect(person.steps.at(-1)?.message).not.toContain('INTENT')
})

it('succeeds without a server after ten minutes, and says so', async () => {
  const bench = await openBench()
  const person = pasting(bench, [bench.world.credentials.bot_token])
  const beganAtMs = bench.clock.now()
  await passing(bench, person.follow(discordPortal))
  expect(bench.clock.now() - beganAtMs).toBeGreaterThanOrEqual(600_000)
  expect(person.steps.at(-1)?.message).toContain("isn't in a server yet")
})

it('asks again for what is no token, three times', async () => {
  const bench = await openBench()
  const person = pasting(bench, ['x', '', 'client-secret', 'Bot y'])
  expect(await person.follow(discordPortal)).toMatchObject({ code: 'refused' })
  expect(person.questions).toHaveLength(4)
  expect(person.questions[1]?.message).toContain('three parts separated by dots')
  expect(person.saved).toEqual([])
})

it('asks again for a token that Discord refuses, and passes other failures on', async () => {
  const bench = await openBench()
  const token = bench.world.credentials.bot_token
  const rejected = new ChannelError('credentials_rejected', { message: '401: Unauthorized.' })
  const refused = pasting(bench, [token, token, token, token], rejected)
  expect(await refused.follow(discordPortal)).toMatchObject({ code: 'refused' })
  expect(refused.questions[1]?.message).toContain('401: Unauthorized.')
  const full = pasting(bench, [token], new ChannelError('config_unwritable'))
  expect(await full.follow(discordPortal)).toMatchObject({ code: 'config_unwritable' })
})

it('asks for exactly the permissions that the bot uses', () => {
  expect(inviteUrl('1')).toBe(
    'https://discord.com/oauth2/authorize?client_id=1&permissions=274878024768&scope=bot%20applications.commands',
  )
  const bits = [6, 10, 11, 14, 15, 16, 38].reduce((sum, bit) => sum + 2 ** bit, 0)
  expect(bits).toBe(274_878_024_768)
})

const statuses = async (bench: Bench): Promise<Readonly<Record<string, string>>> => {
  const checks = await diagnoseDiscord(bench.world.credentials, bench.io, never)
  return Object.fromEntries(checks.map(({ id, status }) => [id, status]))
}

it('diagnoses intents, servers, the budget and the connection', async () => {
  const bench = await openBench({ messageContent: false, identifies: 20 })
  expect(await statuses(bench)).toEqual({
    server_reachable: 'pass',
    token_accepted: 'pass',
    message_content: 'warn',
    session_budget: 'warn',
    in_server: 'warn',
  })
  const healthy = await openBench()
  await healthy.world.control.scan({ act: 'join', id: '1300000000000000300', title: 'Team' })
  const run = healthy.run()
  await healthy.until(() => healthy.stored.heardAtMs !== null)
  expect(await statuses(healthy)).toEqual({
    server_reachable: 'pass',
    token_accepted: 'pass',
    message_content: 'pass',
    session_budget: 'pass',
    in_server: 'pass',
    gateway_alive: 'pass',
  })
  await run.stop()
  expect(await statuses(healthy)).toMatchObject({ gateway_alive: 'warn' })
})
