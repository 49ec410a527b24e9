import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { type ChannelRefusal, REFUSALS } from '../errors.ts'
import { expectDelivered, never, type Stage } from './stage.contract.ts'

const CODES = Object.keys(REFUSALS).filter((code): code is ChannelRefusal => code in REFUSALS)

/** Tests the outcome of sends. */
export function describeSending<C>(at: () => Stage<C>): void {
  it('sends the longest text that it says it can', async () => {
    const { platform, world, connection, part, hear } = at()
    const { chat } = await hear('hello')
    const longest = 'x'.repeat(platform.limits.text.max)
    expect(await connection.send(part(chat, longest), never)).toMatchObject({ status: 'delivered' })
    expect((await world.shown(chat)).at(-1)?.text).toBe(longest)
  })

  it.each(CODES.filter((code) => code !== 'network'))('answers a refusal with its class: %s', async (code) => {
    const { world, connection, part, hear } = at()
    await hear('hello')
    const chat = await world.refuse(code)
    if (chat === null) return expect(chat).toBeNull()
    const before = await world.shown(chat)
    const outcome = await connection.send(part(chat, 'refused'), never)
    expect(outcome).toMatchObject({ status: 'refused', code })
    if (code === 'rate_limited') expect(outcome).toHaveProperty('retryAfterMs')
    if (code === 'chat_moved') expect(outcome).toHaveProperty('toChatId')
    expect(await world.shown(chat)).toEqual(before)
  })

  it('knows that nothing was sent when nobody listens', async () => {
    const { platform, world, lonely, part, hear } = at()
    const { chat } = await hear('hello')
    const outcome = await platform.connect(world.credentials, lonely).send(part(chat, 'lost'), never)
    expect(outcome).toMatchObject({ status: 'refused', code: expect.stringMatching(/^(?:network|no_context)$/) })
  })

  it.each(['shown', 'lost', 'proxy_page'] as const)('does not guess when no answer comes: %s', async (how) => {
    const { world, connection, part, hear } = at()
    const { chat } = await hear('hello')
    if (!(await world.lose(how))) return
    expect(await connection.send(part(chat, 'perhaps'), never)).toMatchObject({ status: 'unknown' })
    expect((await world.shown(chat)).map(({ text }) => text)).toEqual(how === 'shown' ? ['perhaps'] : [])
  })
}

/** Tests the optional capabilities that the platform has. @param findsOnlyAbsence See `PlatformHarness`. */
export function describeCapabilities<C>(at: () => Stage<C>, findsOnlyAbsence: boolean): void {
  it('sends a file and a picture of its own', async () => {
    const { world, connection, part, folder, hear } = at()
    const { chat } = await hear('hello')
    for (const [name, mime] of [
      ['Bericht; "März".txt', 'text/plain'],
      ['picture.png', 'image/png'],
    ] as const) {
      const path = join(folder, 'upload')
      await writeFile(path, 'content')
      const { deliveryId } = part(chat, '')
      const outcome = await connection.send({ kind: 'file', deliveryId, chat, name, mime, path }, never)
      const last = (await world.shown(chat)).at(-1)
      expectDelivered(outcome, last)
      expect(last?.files.length).toBe(1)
    }
    expect((await world.shown(chat)).at(0)?.files).toEqual(['Bericht; "März".txt'])
  })

  it('refuses a file that is gone, without a throw', async () => {
    const { connection, part, folder, hear } = at()
    const { chat } = await hear('hello')
    const { deliveryId } = part(chat, '')
    const gone = { kind: 'file', deliveryId, chat, name: 'a', mime: 'text/plain', path: join(folder, 'none') } as const
    expect(await connection.send(gone, never)).toMatchObject({ status: 'refused', code: 'content_rejected' })
  })

  it('shows an answer while it grows, and its end, as one message', async () => {
    const { platform, world, connection, clock, part, hear } = at()
    const { edit } = connection.can
    if (edit === undefined) return expect(connection.can).not.toHaveProperty('edit')
    const { chat } = await hear('hello')
    const sent = await connection.send({ ...part(chat, 'draft'), live: true }, never)
    const messageId = sent.status === 'delivered' ? sent.messageId : ''
    await clock.advance(platform.limits.previewEveryMs.edit ?? 0)
    expect(await edit({ ...part(chat, 'draft and more'), live: true }, messageId, never)).toMatchObject({ messageId })
    expect(await world.shown(chat)).toMatchObject([{ text: 'draft and more' }])
    await clock.advance(platform.limits.previewEveryMs.edit ?? 0)
    const final = part(chat, 'the final text')
    expect(await edit(final, messageId, never)).toEqual({ status: 'delivered', messageId })
    const [only, another] = await world.shown(chat)
    expect(only).toMatchObject({ text: 'the final text' })
    expect(only?.unfinished ?? false).toBe(false)
    expect(another).toBeUndefined()
  })

  it('shows a draft and a typing sign that leave no message', async () => {
    const { world, connection, part, hear } = at()
    const { chat, message } = await hear('hello')
    await connection.can.typing?.(chat, never, message.messageId)
    if (connection.can.draft !== undefined && connection.can.draftFor?.(chat) !== false) {
      expect(await connection.can.draft(part(chat, 'half an ans'), never)).toMatchObject({ status: 'delivered' })
    }
    await connection.can.typingDone?.(chat, never, message.messageId)
    expect(await world.shown(chat)).toEqual([])
  })

  it('fetches a file that a person sent, and refuses one that is too large', async () => {
    const { platform, world, connection, receive: start } = at()
    const { fetchMedia } = connection.can
    if (fetchMedia === undefined) return expect(connection.can).not.toHaveProperty('fetchMedia')
    const bytes = new Uint8Array([0, 1, 2, 255, 7])
    const receiver = start()
    await receiver.alive
    await world.sayFile(bytes)
    await world.sayFile(bytes, platform.limits.fileBytes.inbound + 1)
    await world.say('after')
    await receiver.message('after')
    const [small, large] = receiver.events.flatMap((event) => (event.type === 'message' ? event.media : []))
    if (small === undefined || large === undefined) throw new Error('the files did not arrive')
    expect(new Uint8Array((await fetchMedia(small, never)).bytes)).toEqual(bytes)
    await expect(fetchMedia(large, never)).rejects.toMatchObject({ code: 'media_too_large' })
    await expect(fetchMedia({ kind: 'file', ref: 'unheard-of' }, never)).rejects.toMatchObject({
      code: 'media_unavailable',
    })
  })

  it.each([
    ['shown', 'delivered'],
    ['lost', 'absent'],
  ] as const)('finds out what became of a message without an answer: %s', async (how, found) => {
    const { world, connection, clock, part, hear } = at()
    const { findSent } = connection.can
    if (findSent === undefined) return expect(connection.can).not.toHaveProperty('findSent')
    const { chat } = await hear('hello')
    await connection.send(part(chat, 'an earlier one'), never)
    const lost = part(chat, 'perhaps')
    const mark = findSent.mark(lost)
    if (mark === null) throw new Error('a text can be marked')
    expect(await world.lose(how)).toBe(true)
    await connection.send(lost, never)
    await clock.advance(findSent.settleMs)
    const shownBefore = await world.shown(chat)
    const result = await findSent.find(lost, mark, [], never)
    if (findsOnlyAbsence) expect(result.found).toMatch(/^(?:later|undecided)$/)
    else expect(result).toMatchObject({ found })
    expect(await world.shown(chat)).toEqual(shownBefore)
  })

  it.each(['shown', 'lost'] as const)('sends again what had no answer, and shows it once: %s', async (how) => {
    const { world, connection, clock, part, hear } = at()
    const { resend } = connection.can
    if (resend === undefined) return expect(connection.can).not.toHaveProperty('resend')
    const { chat } = await hear('hello')
    const unanswered = part(chat, 'once')
    await world.lose(how)
    await connection.send(unanswered, never)
    if (!resend(unanswered, clock.now())) return
    expect(await connection.send(unanswered, never)).toMatchObject({ status: 'delivered' })
    expect((await world.shown(chat)).map(({ text }) => text)).toEqual(['once'])
  })

  it.each(['shown', 'lost'] as const)(
    'begins an answer again that may have been begun, and shows it once: %s',
    async (how) => {
      const { world, connection, clock, part, hear } = at()
      const { resend, edit } = connection.can
      const { chat } = await hear('hello')
      const begun = { ...part(chat, 'beginning'), live: true } as const
      if (!edit || resend?.(begun, clock.now()) !== true)
        return expect(edit && resend?.(begun, clock.now())).not.toBe(true)
      await world.lose(how)
      await connection.send(begun, never)
      const again = await connection.send(begun, never)
      const messageId = again.status === 'delivered' ? again.messageId : ''
      const { live: _, ...whole } = { ...begun, body: 'the whole' }
      expect(await edit(whole, messageId, never)).toMatchObject({ status: 'delivered' })
      expect((await world.shown(chat)).map(({ text }) => text)).toEqual(['the whole'])
    },
  )
}
