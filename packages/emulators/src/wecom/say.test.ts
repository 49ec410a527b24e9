import { createDecipheriv } from 'node:crypto'
import { expect, it } from 'vitest'
import { manualClock } from '../kit/testing-clock.ts'
import { openBench, ZHANG } from './testing-bot.ts'

const TEAM = { id: 'wrTeam', title: 'Team' }
const content = 'x'.repeat(32)
const base64 = btoa(content)
const LINK = { url: expect.stringContaining('/media/'), aeskey: expect.stringMatching(/^[A-Za-z0-9+/]{43}=?$/) }

it.each([
  ['words', { text: 'hello' }, { msgtype: 'text', text: { content: 'hello' } }],
  ['a picture', { file: { kind: 'image', base64 } }, { msgtype: 'image', image: LINK }],
  [
    'a picture with words',
    { text: 'look', file: { kind: 'image', base64 } },
    {
      msgtype: 'mixed',
      mixed: {
        msg_item: [
          { msgtype: 'text', text: { content: 'look' } },
          { msgtype: 'image', image: LINK },
        ],
      },
    },
  ],
  [
    'a voice',
    { text: 'as heard', file: { kind: 'voice', base64 } },
    { msgtype: 'voice', voice: { content: 'as heard' } },
  ],
  ['a file', { file: { kind: 'file', base64 } }, { msgtype: 'file', file: LINK }],
  ['a video', { file: { kind: 'video', base64 } }, { msgtype: 'video', video: LINK }],
] as const)('hands over %s', async (_why, what, body) => {
  await using bench = await openBench()
  const bot = await bench.subscribe()
  const { messageId } = await bench.control.say({ from: ZHANG, ...what })
  expect((await bot.next()).body).toMatchObject({
    msgid: messageId,
    chattype: 'single',
    from: { userid: 'zhang' },
    ...body,
  })
})

it('hands over of a group only what mentions the bot, the mention left in, and of files only pictures', async () => {
  await using bench = await openBench()
  const bot = await bench.subscribe()
  await bench.control.say({ from: ZHANG, group: TEAM, text: 'among us' })
  await bench.control.say({ from: ZHANG, group: TEAM, file: { kind: 'file', base64 }, mention: true })
  await bench.control.say({ from: ZHANG, group: TEAM, text: 'for you', mention: true })
  await bench.control.say({ from: ZHANG, group: TEAM, text: 'look', file: { kind: 'image', base64 }, mention: true })
  expect((await bot.next()).body).toMatchObject({
    chattype: 'group',
    chatid: TEAM.id,
    text: { content: '@Gatepost for you' },
  })
  expect((await bot.next()).body).toMatchObject({
    mixed: { msg_item: [{ text: { content: '@Gatepost look' } }, { image: LINK }] },
  })
  expect(await bench.control.conversation({ chatId: TEAM.id })).toHaveLength(4)
})

it('quotes by content', async () => {
  await using bench = await openBench()
  const bot = await bench.subscribe()
  const words = await bench.control.say({ from: ZHANG, text: 'first' })
  const picture = await bench.control.say({ from: ZHANG, file: { kind: 'image', base64 } })
  await bench.control.say({ from: ZHANG, text: 'this', replyTo: words.messageId })
  await bench.control.say({ from: ZHANG, text: 'and this', replyTo: picture.messageId })
  const [, , one, other] = [await bot.next(), await bot.next(), await bot.next(), await bot.next()]
  expect(one.body).toMatchObject({ quote: { msgtype: 'text', text: { content: 'first' } } })
  expect(other.body).toMatchObject({ quote: { msgtype: 'image', image: LINK } })
  await expect(bench.control.say({ from: ZHANG, text: 'x', replyTo: 'none' })).rejects.toThrow(RangeError)
})

it('gives a file for 5 min, encrypted and padded to 32 bytes, or as it is when told to', async () => {
  const clock = manualClock()
  await using bench = await openBench({ clock })
  const bot = await bench.subscribe()
  await bench.control.say({ from: ZHANG, file: { kind: 'file', base64, name: 'a.txt' } })
  const { file } = (await bot.next()).body as { file: { url: string; aeskey: string } } // as the platform's document has it
  const response = await fetch(file.url)
  expect(response.headers.get('content-disposition')).toBe('attachment; filename="a.txt"')
  const key = Buffer.from(file.aeskey, 'base64')
  const decipher = createDecipheriv('aes-256-cbc', key, key.subarray(0, 16)).setAutoPadding(false)
  const plain = Buffer.concat([decipher.update(Buffer.from(await response.arrayBuffer())), decipher.final()])
  expect([plain.length, plain.toString('latin1')]).toEqual([64, content + String.fromCharCode(32).repeat(32)])
  await bench.control.injectFault({ kind: 'unencrypted_media' })
  expect(await (await fetch(file.url)).text()).toBe(content)
  await clock.advance(5 * 60_000)
  expect((await fetch(file.url)).status).toBe(403)
})
