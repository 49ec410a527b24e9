import { expect, it } from 'vitest'
import { manualClock } from '../kit/testing-clock.ts'
import { type Bench, openBench, ZHANG } from './testing-bot.ts'

const TEAM = { id: 'wrTeam', title: 'Team' }

it('makes a bubble with the first frame of a stream and replaces its whole text with each other one', async () => {
  await using bench = await openBench()
  const bot = await bench.subscribe()
  const reqId = await bench.hear(bot)
  for (const content of ['one', 'one two']) expect(await bot.stream(reqId, 's1', content)).toMatchObject({ errcode: 0 })
  expect(await bench.control.sent()).toMatchObject([{ text: 'one two', edits: 1, unfinished: true }])
  expect(await bot.stream(reqId, 's1', 'the end', true)).toMatchObject({ errcode: 0 })
  expect(await bench.control.sent()).toMatchObject([{ text: 'the end', edits: 2, unfinished: false }])
  expect(await bot.stream(reqId, 's2', 'another bubble')).toMatchObject({ errcode: 0 })
  expect(await bench.control.sent()).toHaveLength(2)
})

it('shows a bubble without visible text as writing, not as a message', async () => {
  await using bench = await openBench()
  const bot = await bench.subscribe()
  const reqId = await bench.hear(bot)
  for (const content of ['', '<think></think>', '<think>let me see']) await bot.stream(reqId, 's1', content)
  expect(await bench.control.sent()).toEqual([])
  expect(await bench.control.conversation({ chatId: 'zhang' })).toHaveLength(1)
  expect(await bench.control.typing()).toMatchObject([{ chatId: 'zhang' }])
  await bot.stream(reqId, 's1', '<think>let me see</think>So it is', true)
  expect(await bench.control.sent()).toMatchObject([{ text: '<think>let me see</think>So it is', edits: 0 }])
  expect(await bench.control.typing()).toEqual([])
})

it.each([
  ['no visible text at the end', { id: 's1', content: '<think>x</think>', finish: true }],
  ['20 481 bytes', { id: 's1', content: `${'中'.repeat(6_826)}xxx`, finish: false }],
  ['pictures', { id: 's1', content: 'x', finish: true, msg_item: [{ msgtype: 'image' }] }],
  ['no id', { content: 'x', finish: false }],
] as const)('refuses a stream with %s', async (_why, stream) => {
  await using bench = await openBench()
  const bot = await bench.subscribe()
  const reqId = await bench.hear(bot)
  const answer = await bot.call('aibot_respond_msg', { msgtype: 'stream', stream }, reqId)
  expect(answer).toMatchObject({ errcode: 40058 })
  expect(await bench.control.sent()).toEqual([])
})

it('takes 20 480 bytes, counted as UTF-8', async () => {
  await using bench = await openBench()
  const bot = await bench.subscribe()
  await bench.hear(bot)
  expect(await bot.push('zhang', `${'中'.repeat(6_826)}xx`)).toMatchObject({ errcode: 0 })
  expect(await bot.push('zhang', `${'中'.repeat(6_827)}`)).toMatchObject({ errcode: 40058 })
})

it('refuses frames of a stream that is finished or began 6 min ago', async () => {
  const clock = manualClock()
  await using bench = await openBench({ clock })
  const bot = await bench.subscribe()
  const reqId = await bench.hear(bot)
  await bot.stream(reqId, 's1', 'done', true)
  expect(await bot.stream(reqId, 's1', 'done', true)).toMatchObject({ errcode: 6000 })
  expect(await bot.stream(reqId, 's1', 'more')).toMatchObject({ errcode: 846608 })
  await bot.stream(reqId, 's2', 'one')
  await clock.advance(359_999)
  expect(await bot.stream(reqId, 's2', 'one two')).toMatchObject({ errcode: 0 })
  await clock.advance(1)
  expect(await bot.stream(reqId, 's2', 'one two three', true)).toMatchObject({ errcode: 846608 })
  expect(await bench.control.sent()).toMatchObject([{ text: 'done' }, { text: 'one two', unfinished: true }])
})

it('shortens the life of streams while it is told to', async () => {
  const clock = manualClock()
  await using bench = await openBench({ clock })
  const bot = await bench.subscribe()
  const reqId = await bench.hear(bot)
  await bench.control.injectFault({ kind: 'stream_life', ms: 1_000, times: null })
  await bot.stream(reqId, 's1', 'one')
  await clock.advance(1_000)
  expect(await bot.stream(reqId, 's1', 'one two')).toMatchObject({ errcode: 846608 })
  await bench.control.clearFaults()
  expect(await bot.stream(reqId, 's1', 'one two')).toMatchObject({ errcode: 0 })
})

it('lets a message be answered for 24 h', async () => {
  const clock = manualClock()
  await using bench = await openBench({ clock })
  const bot = await bench.subscribe()
  const reqId = await bench.hear(bot)
  await clock.advance(24 * 60 * 60_000 - 1)
  expect(await bot.stream(reqId, 's1', 'in time', true)).toMatchObject({ errcode: 0 })
  await clock.advance(1)
  expect(await bot.stream(reqId, 's2', 'late', true)).toMatchObject({ errcode: 846604 })
})

const markdown = { msgtype: 'markdown', markdown: { content: 'x' } }
it.each([
  ['a chat where nobody has written', { chatid: 'li', ...markdown }, 93001],
  ['a group where nobody has spoken to the bot', { chatid: 'wrQuiet', ...markdown }, 93001],
  ['an id in another case', { chatid: 'ZHANG', ...markdown }, 93006],
  ['no id', markdown, 93006],
  ['the wrong kind', { chatid: 'zhang', chat_type: 2, ...markdown }, 93006],
  ['an unknown kind', { chatid: 'zhang', chat_type: 3, ...markdown }, 40058],
  ['plain text', { chatid: 'zhang', msgtype: 'text', text: { content: 'x' } }, 40058],
  ['an empty text', { chatid: 'zhang', msgtype: 'markdown', markdown: { content: ' ' } }, 40058],
  ['an unknown file', { chatid: 'zhang', msgtype: 'file', file: { media_id: 'x' } }, 40058],
] as const)('refuses a push with %s', async (_why, body, errcode) => {
  await using bench = await openBench()
  const bot = await bench.subscribe()
  await bench.hear(bot)
  await bench.control.say({ from: ZHANG, group: { id: 'wrQuiet' }, text: 'among us' })
  expect(await bot.call('aibot_send_msg', body)).toMatchObject({ errcode })
  expect(await bench.control.sent()).toEqual([])
})

it('pushes markdown and cards, with or without the kind of chat', async () => {
  await using bench = await openBench()
  const bot = await bench.subscribe()
  await bench.control.say({ from: ZHANG, group: TEAM, text: 'hello', mention: true })
  const card = { card_type: 'text_notice', main_title: { title: 'Build', desc: 'green' } }
  expect(await bot.push(TEAM.id, 'to all', { chat_type: 2 })).toMatchObject({ errcode: 0 })
  expect(await bot.push(TEAM.id, '', { msgtype: 'template_card', template_card: card })).toMatchObject({ errcode: 0 })
  expect(await bench.control.sent({ chatId: TEAM.id })).toMatchObject([
    { text: 'to all', replyTo: null },
    { text: 'Build\ngreen' },
  ])
})

async function enter(bench: Bench, event: Readonly<Record<string, unknown>>): Promise<void> {
  await bench.control.injectFault({ kind: 'event', from: 'zhang', event })
}

it('takes a welcome within 5 s of enter_chat, as text, and no stream', async () => {
  const clock = manualClock()
  await using bench = await openBench({ clock })
  const bot = await bench.subscribe()
  await enter(bench, { eventtype: 'enter_chat' })
  const { reqId, body } = await bot.next()
  expect(body).toMatchObject({ msgtype: 'event', chattype: 'single', from: { userid: 'zhang' } })
  expect(await bot.stream(reqId, 's1', 'x', true)).toMatchObject({ errcode: 846605 })
  const welcome = { msgtype: 'text', text: { content: 'welcome' } }
  expect(await bot.call('aibot_respond_welcome_msg', welcome, reqId)).toMatchObject({ errcode: 0 })
  await clock.advance(5_000)
  expect(await bot.call('aibot_respond_welcome_msg', welcome, reqId)).toMatchObject({ errcode: 846604 })
  const message = await bench.hear(bot)
  expect(await bot.call('aibot_respond_welcome_msg', welcome, message)).toMatchObject({ errcode: 846605 })
  expect(await bench.control.sent()).toMatchObject([{ text: 'welcome' }])
})

it('changes the card that was pressed, within 5 s', async () => {
  await using bench = await openBench()
  const bot = await bench.subscribe()
  await bench.hear(bot)
  const card = (title: string) => ({ card_type: 'button_interaction', main_title: { title }, task_id: 't1' })
  await bot.push('zhang', '', { msgtype: 'template_card', template_card: card('Agree?') })
  const pressed = { card_type: 'button_interaction', event_key: 'yes', task_id: 't1' }
  await enter(bench, { eventtype: 'template_card_event', template_card_event: pressed })
  const { reqId } = await bot.next()
  const body = { response_type: 'update_template_card', template_card: card('Agreed') }
  expect(await bot.call('aibot_respond_update_msg', body, reqId)).toMatchObject({ errcode: 0 })
  expect(await bench.control.sent()).toMatchObject([{ text: 'Agreed', edits: 1 }])
})

it('refuses the 31st message of a minute and the 1 001st of an hour in a chat, while limits are on', async () => {
  const clock = manualClock()
  await using bench = await openBench({ clock })
  const bot = await bench.subscribe()
  const reqId = await bench.hear(bot)
  await bench.control.say({ from: { id: 'li' }, text: 'hello' })
  expect(await bot.push('zhang', 'counted, though limits are off')).toMatchObject({ errcode: 0 })
  await bench.control.injectFault({ kind: 'rate_limits', times: null })
  for (let count = 0; count < 28; count++) expect(await bot.push('zhang', 'x')).toMatchObject({ errcode: 0 })
  await bot.stream(reqId, 's1', 'the 30th')
  expect(await bot.push('zhang', 'the 31st')).toMatchObject({ errcode: 45009 })
  expect(await bot.stream(reqId, 's1', 'a refresh does not count')).toMatchObject({ errcode: 0 })
  expect(await bot.push('li', 'another chat')).toMatchObject({ errcode: 0 })
  await clock.advance(60_000)
  expect(await bot.push('zhang', 'a minute later')).toMatchObject({ errcode: 0 })
  await bench.control.clearFaults()
  await bench.control.injectFault({ kind: 'rate_limits', perMinute: 1_000, perHour: 31, times: null })
  expect(await bot.push('zhang', 'the 32nd')).toMatchObject({ errcode: 45009 })
})
