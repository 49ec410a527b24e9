import { stat, readFile } from 'node:fs/promises'
import path from 'node:path'
import { testDatabases } from '@gatepost/sql/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { ChannelError } from '../errors.ts'
import {
  type Answering,
  echoing,
  openWorld,
  said,
  START_MS,
  type World,
  type WorldOptions,
} from '../testing/bot-world.ts'
import { FAKE_SETTLE_MS, type FakePlatformOptions, refused } from '../testing/fake-platform.ts'

const GROUP = { id: 'g', kind: 'group' } as const
const SHOWS: FakePlatformOptions = { edit: true, draft: true, typing: true, findSent: true }

describe.each(testDatabases)('what is shown while an answer is written, on %s', (_name, open) => {
  let world: World
  const make = async (options: WorldOptions = {}): Promise<World> => (world = await openWorld(open, options))
  afterEach(() => world.close())

  /** One word a second. */
  const slowly = (...words: readonly string[]): Answering =>
    async function* (_turn, signal) {
      for (const word of words) {
        yield { type: 'text', text: `${word} ` }
        await world.clock.sleep(1_000, signal)
      }
    }

  it('shows no typing sign for a quick answer, and one again and again for a slow one', async () => {
    await make({ typing: true })
    const { workers } = await world.start()
    await workers.accept([said('quick')], null)
    await world.pass(10_000)
    expect(world.platform.listCalls('typing')).toEqual([])
    world.answer = slowly(...'a b c d e f g h i j'.split(' '))
    const beganAtMs = world.clock.now()
    await workers.accept([said('slow')], null)
    await world.pass(20_000, 200)
    expect(world.platform.listCalls('typing').map(({ atMs }) => atMs - beganAtMs)).toEqual([300, 4_300, 8_300])
  })

  it('keeps no answer waiting for a typing sign that is not taken away, and stops all the same', async () => {
    await make({ typing: true, typingDone: new Promise(() => {}) })
    const { workers } = await world.start()
    world.answer = slowly('one', 'two')
    await workers.accept([said('hi')], null)
    await world.pass(3_000, 60)
    expect(world.platform.shown).toMatchObject([{ body: 'one two', atMs: START_MS + 2_000 }])
    await workers.stop(AbortSignal.abort())
  })

  it('drafts in a direct chat, without using up what the answer needs', async () => {
    const pace = { channel: { count: 1, perMs: 1_000, burst: 1 }, direct: { count: 1, perMs: 60_000, burst: 1 } }
    await make({ ...SHOWS, limits: { pace: { ...pace, group: pace.direct } } })
    const { workers } = await world.start()
    world.answer = slowly('one', 'two', 'three')
    await workers.accept([said('hi')], null)
    await world.pass(4_000, 80)
    expect(world.platform.listCalls('draft').map(({ body, atMs }) => [body, atMs - START_MS])).toEqual([
      ['one', 500],
      ['one two', 1_000],
      ['one two three', 2_000],
    ])
    expect(world.platform.shown).toMatchObject([{ body: 'one two three', edits: 0, atMs: START_MS + 3_000 }])
  })

  it('shows no more drafts while the platform asks to wait', async () => {
    await make(SHOWS)
    const { workers } = await world.start()
    world.platform.script(refused('rate_limited', { retryAfterMs: 2_000 }))
    world.answer = slowly('one', 'two', 'three', 'four')
    await workers.accept([said('hi')], null)
    await world.pass(6_000, 120)
    expect(world.platform.listCalls('draft').map(({ atMs }) => atMs - START_MS)).toEqual([500, 2_500, 3_000])
    expect(world.platform.bodies('7')).toEqual(['one two three four'])
  })

  it('edits one message in a group, no more often than the platform likes; the final text is in it', async () => {
    await make(SHOWS)
    const { workers } = await world.start()
    world.answer = slowly(...'a b c d e f g h'.split(' '))
    await workers.accept([said('hi', { chat: GROUP, messageId: '55' })], null)
    await world.pass(12_000, 240)
    const calls = world.platform.calls.filter(({ kind }) => kind === 'send' || kind === 'edit')
    expect(calls.map(({ kind, atMs }) => [kind, atMs - START_MS])).toEqual([
      ['send', 3_000],
      ['edit', 6_000],
      ['edit', 8_000],
    ])
    expect(world.platform.shown).toMatchObject([{ body: 'a b c d e f g h', edits: 2, replyTo: '55' }])
    expect(await world.deliveries()).toMatchObject([{ state: 'delivered' }])
  })

  it('shows nothing unfinished where it could not be found again', async () => {
    await make({ edit: true })
    const { workers } = await world.start()
    world.answer = slowly(...'a b c d e'.split(' '))
    await workers.accept([said('hi', { chat: GROUP })], null)
    await world.pass(8_000, 80)
    expect(world.platform.shown).toMatchObject([{ body: 'a b c d e', edits: 0 }])
  })

  it('says in the same message that there is no answer after all', async () => {
    await make(SHOWS)
    const { workers } = await world.start()
    world.answer = async function* (turn, signal) {
      yield* slowly('a', 'b', 'c', 'd')(turn, signal)
      throw new Error('broke')
    }
    await workers.accept([said('hi', { chat: GROUP })], null)
    await world.pass(90_000, 450)
    expect(world.platform.shown).toMatchObject([{ body: expect.stringMatching(/^Sorry/) as string }]) // a matcher
    expect(world.asked).toHaveLength(5)
  })

  const previews: readonly [can: string, options: FakePlatformOptions][] = [
    ['findSent', { edit: true, findSent: true }],
    ['resend', { edit: true, resend: true }],
  ]
  describe.each(previews)('a platform with %s', (_can, options) => {
    it.each(['shown, then hangs', 'hangs', 'ok'] as const)(
      'killed when the preview is: %s. The whole answer is shown once',
      async (what) => {
        await make(options)
        const first = await world.start()
        world.platform.script(what)
        world.answer = slowly('half', 'of', 'an', 'answer', 'that', 'is', 'never', 'finished')
        await first.workers.accept([said('hi', { chat: GROUP })], null)
        await world.pass(3_500, 35)
        const second = await world.start()
        await first.workers.stop(AbortSignal.abort())
        world.answer = echoing
        await second.workers.recover()
        await world.pass(4 * FAKE_SETTLE_MS, 40)
        expect(world.platform.bodies('g')).toEqual(['echo: hi'])
        expect(await world.deliveries()).toMatchObject([{ state: 'delivered' }])
      },
    )

    it('nobody knows whether the preview was shown: the whole answer is shown once', async () => {
      await make(options)
      const { workers } = await world.start()
      world.platform.script('lost')
      world.answer = slowly('one', 'two', 'three', 'four')
      await workers.accept([said('hi', { chat: GROUP })], null)
      await world.pass(20_000, 200)
      expect(world.platform.bodies('g')).toEqual(['one two three four'])
    })
  })

  it('the platform takes no live messages any more after one whose fate is unknown: the whole answer is sent', async () => {
    await make({ edit: true, resend: true })
    const { workers } = await world.start()
    world.platform.script('dropped', refused('configuration'))
    world.answer = slowly('one', 'two', 'three', 'four')
    await workers.accept([said('hi', { chat: GROUP })], null)
    await world.pass(20_000, 200)
    expect(world.platform.bodies('g')).toEqual(['one two three four'])
    expect(await world.deliveries()).toMatchObject([{ state: 'delivered' }])
  })

  it('sends a long answer in parts, in order; only the first one answers the message', async () => {
    await make()
    const { workers } = await world.start()
    const text = Array.from({ length: 40 }, (_, n) => `word${n}`).join(' ')
    world.answer = slowly(text)
    await workers.accept([said('hi', { chat: GROUP, messageId: '9' })], null)
    await world.pass(2_000)
    expect(world.platform.bodies('g').join(' ')).toBe(text)
    expect(world.platform.shown.map(({ replyTo }) => replyTo)).toEqual(['9', null, null])
  })

  it.each(['fails', 'is lost'] as const)('asks once and shows once when the commit of a preview %s', async (how) => {
    await make({ edit: true, findSent: true })
    const { workers } = await world.start()
    world.answer = slowly('a', 'b', 'c', 'd', 'e')
    await workers.accept([said('hi', { chat: GROUP })], null)
    await world.pass(1_000)
    world.watched.nextCommit = how
    await world.pass(20_000)
    expect(world.watched.nextCommit).toBeNull()
    expect(world.platform.bodies('g')).toEqual(['a b c d e'])
    expect(world.asked).toHaveLength(1)
  })

  it('stores and sends the files of an answer', async () => {
    await make()
    const { workers } = await world.start()
    const bytes = Buffer.from('%PDF')
    world.answer = async function* () {
      yield { type: 'file', name: '../报告\0.pdf', mime: 'application/pdf', bytes }
      yield { type: 'text', text: 'here' }
    }
    await workers.accept([said('hi')], null)
    await world.until(() => world.platform.shown.length === 2)
    expect(world.platform.bodies('7')).toEqual(['here', '<../报告.pdf>'])
    const [, row] = await world.deliveries()
    const { path: file } = JSON.parse(row?.content_json ?? '') as { path: string } // as the outbox stores it
    expect(path.relative(world.mediaDir, file).startsWith('..')).toBe(false)
    expect([await readFile(file, 'utf8'), (await stat(file)).mode & 0o777]).toEqual(['%PDF', 0o600])
  })

  it('fetches files once, stores them for us alone, and tells of those that cannot be had', async () => {
    let fetched = 0
    const name = `${'很长的名字'.repeat(30)}.txt`
    await make({
      async fetchMedia({ ref }) {
        fetched += 1
        if (ref === 'big') throw new ChannelError('media_too_large')
        if (ref === 'bug') throw new TypeError('secret path')
        return { bytes: Buffer.from(ref), mime: 'text/plain' }
      },
    })
    const { workers } = await world.start()
    const media = ['ok', 'big', 'bug'].map((ref) => ({ kind: 'file', ref, name }) as const)
    let failed = false
    world.answer = async function* (turn, signal) {
      if (!failed) {
        failed = true
        throw new Error('once')
      }
      yield* echoing(turn, signal)
    }
    await workers.accept([said('look', { media })], null)
    await world.until(() => failed)
    await world.pass(3_000)
    await world.until(() => world.platform.shown.length === 1)
    expect(fetched).toBe(3)
    const files = world.asked[1]?.messages.at(-1)?.files ?? []
    expect(files.map(({ problem }) => problem)).toEqual([
      undefined,
      'The file is too large.',
      "couldn't download the file",
    ])
    const file = files[0]?.path ?? ''
    expect([await readFile(file, 'utf8'), (await stat(file)).mode & 0o777]).toEqual(['ok', 0o600])
    expect(files[0]).toMatchObject({ name, mime: 'text/plain', sizeBytes: 2 })
  })
})
