import { expect, it } from 'vitest'
import { manualClock, openBench } from './wire-client.ts'

const NOT_MODIFIED =
  'Bad Request: message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message'

/** Chat 42 has: 1 a message of the user, 2 one of the bot ("first"). */
const refusals: readonly [method: string, parameters: Readonly<Record<string, unknown>>, code: number, text: string][] =
  [
    ['sendMessage', { text: 'x' }, 400, 'Bad Request: chat_id is empty'],
    ['sendMessage', { chat_id: 77, text: 'x' }, 400, 'Bad Request: chat not found'],
    ['sendMessage', { chat_id: 43, text: 'x' }, 403, "Forbidden: bot can't initiate conversation with a user"],
    ['sendMessage', { chat_id: 44, text: 'x' }, 403, 'Forbidden: bot was blocked by the user'],
    ['sendMessage', { chat_id: 45, text: 'x' }, 403, 'Forbidden: user is deactivated'],
    ['sendMessage', { chat_id: -7, text: 'x' }, 403, 'Forbidden: bot was kicked from the group chat'],
    ['sendMessage', { chat_id: 42, text: ' \n' }, 400, 'Bad Request: message text is empty'],
    ['sendMessage', { chat_id: 42, text: '<b></b>', parse_mode: 'HTML' }, 400, 'Bad Request: message text is empty'],
    ['sendMessage', { chat_id: 42, text: 'x'.repeat(4097) }, 400, 'Bad Request: message is too long'],
    ['sendMessage', { chat_id: 42, text: '😀'.repeat(4097) }, 400, 'Bad Request: message is too long'],
    ['sendMessage', { chat_id: 42, text: 'x', parse_mode: 'BBCode' }, 400, 'Bad Request: unsupported parse_mode'],
    [
      'sendMessage',
      { chat_id: 42, text: 'x', reply_parameters: { message_id: 99 } },
      400,
      'Bad Request: message to be replied not found',
    ],
    ['sendMessage', { chat_id: 42, text: 'x', message_thread_id: 5 }, 400, 'Bad Request: message thread not found'],
    ['editMessageText', { chat_id: 42, message_id: 2, text: 'first' }, 400, NOT_MODIFIED],
    ['editMessageText', { chat_id: 42, message_id: 9, text: 'y' }, 400, 'Bad Request: message to edit not found'],
    ['editMessageText', { chat_id: 42, message_id: 1, text: 'y' }, 400, "Bad Request: message can't be edited"],
    [
      'sendMessageDraft',
      { chat_id: -8, draft_id: 1, text: 'y' },
      400,
      'Bad Request: method is available only in private chats',
    ],
    ['sendMessageDraft', { chat_id: 42, draft_id: 0, text: 'y' }, 400, 'Bad Request: draft_id must be non-zero'],
    ['sendChatAction', { chat_id: 42, action: 'dance' }, 400, 'Bad Request: wrong parameter action in request'],
    ['setMessageReaction', { chat_id: 42, message_id: 9 }, 400, 'Bad Request: message to react not found'],
    ['deleteMessage', { chat_id: 42, message_id: 9 }, 400, 'Bad Request: message to delete not found'],
    [
      'sendDocument',
      { chat_id: 42, document: 'nope' },
      400,
      'Bad Request: wrong remote file identifier specified: Wrong string length',
    ],
    ['getFile', { file_id: 'nope' }, 400, 'Bad Request: invalid file_id'],
    ['inventMethod', {}, 404, 'Not Found: method not found'],
  ]
it.each(refusals)('%s %j is refused with %i', async (method, parameters, code, description) => {
  await using bench = await openBench()
  await bench.control.say({ from: 42, text: 'hello' })
  await bench.result('sendMessage', { chat_id: 42, text: 'first' })
  await bench.control.addPerson({ person: 43 })
  for (const from of [44, 45]) await bench.control.say({ from, text: 'hello' })
  await bench.control.block({ chatId: 44 })
  await bench.control.deleteAccount({ chatId: 45 })
  for (const chat of [-7, -8]) await bench.control.say({ from: 42, chat, text: 'hello' })
  await bench.control.kick({ chatId: -7, by: 42 })
  expect(await bench.call(method, parameters)).toMatchObject({
    status: code,
    body: { ok: false, error_code: code, description },
  })
})

const accepted: readonly [why: string, parameters: Readonly<Record<string, unknown>>, message: unknown][] = [
  ['4096 emoji pass: scalars count', { text: '😀'.repeat(4096) }, { text: '😀'.repeat(4096) }],
  [
    'tags do not count',
    { text: `<b>${'x'.repeat(4096)}</b>`, parse_mode: 'HTML' },
    { entities: [{ type: 'bold', offset: 0, length: 4096 }] },
  ],
  ['text is trimmed', { text: ' hi \n' }, { text: 'hi' }],
  ['numbers may be text', { chat_id: '42', text: 'hi' }, { chat: { id: 42 } }],
  [
    'JSON may be text',
    { text: 'hi', reply_parameters: '{"message_id":1}' },
    { reply_to_message: { message_id: 1, text: 'hello' } },
  ],
  [
    'a lost message may be answered',
    { text: 'hi', reply_parameters: { message_id: 9, allow_sending_without_reply: true } },
    { text: 'hi' },
  ],
]
it.each(accepted)('%s', async (_why, parameters, message) => {
  await using bench = await openBench()
  await bench.control.say({ from: 42, text: 'hello' })
  expect(await bench.result('SENDMESSAGE', { chat_id: 42, ...parameters })).toMatchObject({
    message_id: 2,
    ...Object(message),
  })
})

it('counts message ids once for private chats and groups, and apart for each supergroup', async () => {
  await using bench = await openBench()
  const ids: number[] = []
  for (const chat of [undefined, -7, -1001, -1002, -7, -1001]) {
    const { messageId } = await bench.control.say({ from: 42, text: 'hello', ...(chat !== undefined && { chat }) })
    ids.push(messageId)
  }
  expect(ids).toEqual([1, 2, 1, 1, 3, 2])
})

it('applies edits to what is shown and keeps the earlier forms', async () => {
  await using bench = await openBench()
  await bench.control.say({ from: 42, text: 'hello' })
  await bench.result('sendMessage', { chat_id: 42, text: 'one' })
  await bench.result('editMessageText', { chat_id: 42, message_id: 2, text: '<i>two</i>', parse_mode: 'HTML' })
  await bench.result('setMessageReaction', { chat_id: 42, message_id: 2, reaction: [{ type: 'emoji', emoji: '👍' }] })
  expect(await bench.control.sent()).toMatchObject([
    {
      sequence: 1,
      text: 'two',
      message: { entities: [{ type: 'italic' }], edit_date: expect.any(Number) },
      versions: [{ text: 'one' }],
      reactions: [{ emoji: '👍' }],
      deleted: false,
    },
  ])
  await bench.result('deleteMessage', { chat_id: 42, message_id: 2 })
  expect((await bench.control.sent())[0]?.deleted).toBe(true)
  expect((await bench.control.conversation({ chatId: 42 })).messages.map(({ text }) => text)).toEqual(['hello'])
})

it('shows a draft for 30 s or until a message is sent', async () => {
  const clock = manualClock()
  await using bench = await openBench({ clock })
  await bench.control.say({ from: 42, text: 'hello' })
  const shown = async (): Promise<readonly string[]> =>
    (await bench.control.drafts({ chatId: 42 })).map(({ text, updates }) => `${text} ${updates}`)
  await bench.result('sendMessageDraft', { chat_id: 42, draft_id: 5, text: 'wor' })
  await bench.result('sendMessageDraft', { chat_id: 42, draft_id: 5, text: 'working' })
  expect(await shown()).toEqual(['working 2'])
  clock.advance(30_000)
  expect(await shown()).toEqual([])
  await bench.result('sendMessageDraft', { chat_id: 42, draft_id: 6, text: 'again' })
  await bench.result('sendMessage', { chat_id: 42, text: 'done' })
  expect(await shown()).toEqual([])
})

it('names the supergroup that a group became', async () => {
  await using bench = await openBench()
  await bench.control.say({ from: 42, chat: -7, text: '/start' })
  const { chatId } = await bench.control.migrateGroup({ chatId: -7, by: 42 })
  expect((await bench.call('sendMessage', { chat_id: -7, text: 'x' })).body).toEqual({
    ok: false,
    error_code: 400,
    description: 'Bad Request: group chat was upgraded to a supergroup chat',
    parameters: { migrate_to_chat_id: chatId },
  })
  expect(await bench.result('sendMessage', { chat_id: chatId, text: 'x' })).toMatchObject({
    chat: { type: 'supergroup' },
  })
})

it('knows neither drafts nor rich messages as an old server', async () => {
  await using bench = await openBench()
  await bench.control.say({ from: 42, text: 'hello' })
  const rich = { chat_id: 42, rich_message: { markdown: '# Hi' } }
  expect(await bench.result('sendRichMessage', rich)).toMatchObject({ rich_message: { markdown: '# Hi' } })
  await bench.control.configureBot({ old_server: true })
  for (const method of ['sendRichMessage', 'sendRichMessageDraft', 'sendMessageDraft']) {
    expect((await bench.call(method, rich)).status).toBe(404)
  }
})

it('enforces the rate limits when told to', async () => {
  const clock = manualClock()
  await using bench = await openBench({ clock })
  await bench.control.say({ from: 42, text: 'hello' })
  await bench.control.setRateLimits({ limits: true })
  const statuses: number[] = []
  for (let n = 0; n < 4; n++) statuses.push((await bench.call('sendMessage', { chat_id: 42, text: 'x' })).status)
  expect(statuses).toEqual([200, 200, 200, 429])
  clock.advance(1_000)
  expect((await bench.call('sendMessage', { chat_id: 42, text: 'x' })).status).toBe(200)
})

it('keeps as many messages and requests as its history allows', async () => {
  await using bench = await openBench({ history: 3 })
  await bench.control.say({ from: 42, text: 'hello' })
  for (const text of ['a', 'b', 'c', 'd', 'e']) await bench.result('sendMessage', { chat_id: 42, text })
  expect((await bench.control.sent()).map(({ sequence, text }) => `${sequence} ${text}`)).toEqual(['3 c', '4 d', '5 e'])
  expect((await bench.control.requests()).map(({ sequence }) => sequence)).toEqual([3, 4, 5])
  expect((await bench.call('editMessageText', { chat_id: 42, message_id: 2, text: 'z' })).status).toBe(400)
})
