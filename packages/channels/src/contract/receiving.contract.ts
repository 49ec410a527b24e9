import { expect, it } from 'vitest'
import { CHECK_IDS } from '../doctor/check-ids.ts'
import { ConnectionError } from '../errors.ts'
import { expectDelivered, expectNoSecret, never, type Stage } from './stage.contract.ts'
import type { GroupSpeech } from './world.contract.ts'

/** Tests that credentials are validated and described without secrets. */
export function describeCredentials<C>(at: () => Stage<C>): void {
  it('accepts what the platform knows and tells which bot it is', async () => {
    const { platform, world, io } = at()
    const validation = await platform.validate(world.credentials, io, never)
    expect(validation).toMatchObject({ ok: true, identity: platform.identity(world.credentials) })
  })

  it('tells credentials that were rejected from a platform that cannot be asked', async () => {
    const { platform, world, io, lonely } = at()
    expect(await platform.validate(world.strangers, io, never)).toMatchObject({ ok: false, reason: 'rejected' })
    expect(await platform.validate(world.credentials, lonely, never)).toMatchObject({
      ok: false,
      reason: 'unreachable',
    })
  })

  it('reads its own credentials, and says nothing secret about them', () => {
    const { platform, world, io } = at()
    expect(platform.credentials.schema.parse(world.credentials)).toEqual(world.credentials)
    expect(platform.credentials.schema.safeParse({ ...world.credentials, unheard_of: 1 }).success).toBe(false)
    expectNoSecret(world.secrets, platform.describe(world.credentials, io))
    expect(platform.identity(world.credentials)).not.toBe('')
  })

  it('diagnoses a working bot without a failure and a rejected one with a remedy', async () => {
    const { platform, world, io } = at()
    const working = await platform.diagnose(world.credentials, io, never)
    expect(working.filter(({ status }) => status === 'fail')).toEqual([])
    const rejected = await platform.diagnose(world.strangers, io, never)
    for (const checks of [working, rejected]) {
      const ids = checks.map(({ id }) => id)
      expect(CHECK_IDS).toEqual(expect.arrayContaining(ids))
      expect(new Set(ids).size).toBe(ids.length)
    }
    const failures = rejected.filter(({ status }) => status === 'fail')
    expect(failures.length).toBeGreaterThan(0)
    expect(failures.every(({ remedy }) => remedy !== undefined)).toBe(true)
    expect(failures).toContainEqual(expect.objectContaining({ fix: { kind: 'set_up' } }))
  })
}

/** Tests that messages are received, decoded and ignored as the core expects. */
export function describeReceiving<C>(at: () => Stage<C>): void {
  it('receives a direct message with ids that come back in a reply', async () => {
    const { world, connection, receive: start, part } = at()
    const receiver = start()
    await receiver.alive
    const spoken = await world.say('hello')
    const message = await receiver.message('hello')
    expect(message).toMatchObject({ messageId: spoken.messageId, chat: spoken.chat, addressed: true, media: [] })
    const reply = { ...part(message.chat, 'welcome'), replyTo: message.messageId }
    const outcome = await connection.send(reply, never)
    const [shown] = await world.shown(spoken.chat)
    expectDelivered(outcome, shown)
    expect(shown?.text).toBe('welcome')
  })

  it('shows life at once, without a message', async () => {
    await expect(at().receive().alive).resolves.toBeUndefined()
  })

  it('ignores its own messages and those of other bots', async () => {
    const { world, connection, receive: start, part } = at()
    const receiver = start()
    await receiver.alive
    await world.say('first')
    const { chat } = await receiver.message('first')
    await connection.send(part(chat, 'from the bot'), never)
    await world.sayAsOtherBot('from another bot')
    await world.say('last')
    await receiver.message('last')
    expect(receiver.events.map((event) => (event.type === 'message' ? event.text : event.type))).toEqual([
      'first',
      'last',
    ])
  })

  it.each<[GroupSpeech, boolean]>([
    ['mention', true],
    ['reply', true],
    ['nothing', false],
  ])('tells whether a group message is for the bot: %s', async (how, addressed) => {
    const { world, connection, receive: start, part } = at()
    const receiver = start()
    await receiver.alive
    const opening = await world.sayInGroup('opening', 'mention')
    if (opening === null) return expect(opening).toBeNull()
    const { chat } = await receiver.message('opening')
    await connection.send(part(chat, 'the bot was here'), never)
    const spoken = await world.sayInGroup('the question', how)
    if (spoken === null) return expect(addressed).toBe(false)
    expect(await receiver.message('the question')).toMatchObject({
      addressed,
      messageId: spoken.messageId,
      chat: { id: chat.id, kind: 'group' },
    })
  })

  it('ends a run promptly when it is aborted', async () => {
    const receiver = at().receive()
    await receiver.alive
    await receiver.stop()
    expect(await receiver.ended).toBeUndefined()
    expect(at().clock.sleeping).toBe(0)
  })

  it.each(['before', 'while'] as const)(
    'ends with credentials_rejected when they are revoked %s it runs',
    async (when) => {
      const { world, receive: start } = at()
      if (when === 'before') await world.revoke()
      const receiver = start()
      if (when === 'while') {
        await receiver.alive
        await world.revoke()
      }
      const error = await receiver.ended
      expect(error).toBeInstanceOf(ConnectionError)
      expect(error).toMatchObject({ code: 'credentials_rejected' })
    },
  )
}

/** Tests that messages are acknowledged only after they have been stored. */
export function describeConfirming<C>(at: () => Stage<C>, redelivers: boolean): void {
  it.runIf(redelivers)('does not acknowledge what could not be stored', async () => {
    const { world, receive: start } = at()
    await world.say('hello')
    const full = new Error('disk full')
    const failing = start({ failWith: full })
    expect(await failing.ended).toBe(full)
    expect(failing.events).toEqual([])
    const again = await start().message('hello')
    expect(again.text).toBe('hello')
  })

  it.runIf(redelivers)(
    'gets an event again, under the same key, when the process died before it was confirmed',
    async () => {
      const { platform, world, io, receive: start } = at()
      await world.say('hello')
      const died = new Error('killed')
      const first = start({ dieWith: died })
      const before = await first.message('hello')
      expect(await first.ended).toBe(died)
      const successor = platform.connect(world.credentials, io)
      const after = await start({ connection: successor, cursor: null }).message('hello')
      expect(after.key).toBe(before.key)
    },
  )

  it('does not get an event again that is stored with its cursor, in a new connection neither', async () => {
    const { platform, world, io, receive: start } = at()
    const first = start()
    await first.alive
    await world.say('one')
    await first.message('one')
    await first.stop()
    if (redelivers) await world.say('two')
    const second = start({ connection: platform.connect(world.credentials, io), cursor: first.cursor() })
    await second.alive
    if (!redelivers) await world.say('two')
    await second.message('two')
    expect(second.events.map((event) => (event.type === 'message' ? event.text : event.type))).toEqual(['two'])
  })
}
