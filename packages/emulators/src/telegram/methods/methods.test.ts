import { expect, it } from 'vitest'
import { type Bench, openBench, readAnswer } from '../wire-client.ts'

const times = (count: number, value: unknown): readonly unknown[] => Array.from({ length: count }, () => value)

/** A bench with a private chat 42, in which message 1 is a person's. */
async function withChat(): Promise<Bench> {
  const bench = await openBench()
  await bench.control.say({ from: 42, text: 'hello' })
  return bench
}

async function upload(bench: Bench, method: string, fields: Readonly<Record<string, string | Blob>>): Promise<unknown> {
  const form = new FormData()
  for (const [name, value] of Object.entries({ chat_id: '42', ...fields })) {
    if (typeof value === 'string') form.set(name, value)
    else form.set(name, value, `${name}.bin`)
  }
  const answer = await readAnswer(await fetch(`${bench.root}/${method}`, { method: 'POST', body: form }))
  return answer.body['result'] ?? answer.body['description']
}

it.each([
  ['sendAudio', 'audio', { file_name: 'audio.bin', mime_type: 'audio/mpeg', duration: 1, file_size: 2 }],
  ['sendVideo', 'video', { file_name: 'video.bin', mime_type: 'video/mp4', width: 640, height: 360, file_size: 2 }],
] as const)('%s takes a file and its caption', async (method, name, shown) => {
  await using bench = await withChat()
  const file = new Blob(['hi'], { type: shown.mime_type })
  expect(await upload(bench, method, { [name]: file, caption: '*c*', parse_mode: 'MarkdownV2' })).toMatchObject({
    [name]: shown,
    caption: 'c',
    caption_entities: [{ type: 'bold' }],
  })
})

it('sendMediaGroup sends an album, the caption with the item that has it', async () => {
  await using bench = await withChat()
  const media = JSON.stringify([
    { type: 'photo', media: 'attach://a' },
    { type: 'video', media: 'attach://b', caption: '<b>second</b>', parse_mode: 'HTML' },
  ])
  const result = await upload(bench, 'sendMediaGroup', { media, a: new Blob(['1']), b: new Blob(['22']) })
  expect(result).toMatchObject([
    { message_id: 2, photo: [{}, { file_size: 1 }] },
    { message_id: 3, video: { file_size: 2 }, caption: 'second' },
  ])
  const sent = await bench.control.sent()
  const groups = new Set(sent.map(({ message }) => message.media_group_id))
  expect([...groups]).toEqual([expect.stringMatching(/^\d+$/)])
})

const albums: readonly [why: string, media: unknown, description: string][] = [
  ['one file', [{ type: 'photo', media: 'x' }], 'Bad Request: wrong number of messages in the media group'],
  ['eleven files', times(11, { type: 'photo' }), 'Bad Request: wrong number of messages in the media group'],
  ['another kind', [{ type: 'dice' }, { type: 'dice' }], 'Bad Request: wrong type of the media group item'],
  [
    'a file that is not there',
    [
      { type: 'photo', media: 'attach://a' },
      { type: 'photo', media: 'attach://b' },
    ],
    'Bad Request: there is no photo in the request',
  ],
]
it.each(albums)('sendMediaGroup sends nothing of an album with %s', async (_why, media, description) => {
  await using bench = await withChat()
  expect(await upload(bench, 'sendMediaGroup', { media: JSON.stringify(media), a: new Blob(['1']) })).toBe(description)
  expect(await bench.control.sent()).toEqual([])
})

it('editMessageCaption changes, adds and removes the caption of a file, and of nothing else', async () => {
  await using bench = await withChat()
  await upload(bench, 'sendDocument', { document: new Blob(['hi']), caption: 'one' })
  const edit = (parameters: Readonly<Record<string, unknown>>): ReturnType<Bench['call']> =>
    bench.call('editMessageCaption', { chat_id: 42, message_id: 2, ...parameters })
  expect((await edit({ caption: '<i>two</i>', parse_mode: 'HTML' })).body['result']).toMatchObject({
    caption: 'two',
    caption_entities: [{ type: 'italic' }],
    edit_date: expect.any(Number),
    document: { file_size: 2 },
  })
  expect((await edit({ caption: '<i>two</i>', parse_mode: 'HTML' })).body['description']).toMatch(/is not modified/)
  expect((await edit({ caption: 'x'.repeat(1025) })).body['description']).toBe(
    'Bad Request: message caption is too long',
  )
  expect((await edit({})).body['result']).not.toHaveProperty('caption')
  await bench.result('sendMessage', { chat_id: 42, text: 'words' })
  expect((await edit({ message_id: 3, caption: 'x' })).body['description']).toBe(
    'Bad Request: there is no caption in the message to edit',
  )
})

it('sendRichMessageDraft shows a rich message until the real one comes', async () => {
  await using bench = await withChat()
  const rich = { markdown: '# Heading' }
  await bench.result('sendRichMessageDraft', { chat_id: 42, draft_id: 3, rich_message: rich })
  expect(await bench.control.drafts({ chatId: 42 })).toMatchObject([{ draftId: 3, text: '', rich }])
  await bench.result('sendRichMessage', { chat_id: 42, rich_message: rich })
  expect(await bench.control.drafts({ chatId: 42 })).toEqual([])
  expect((await bench.control.sent()).map(({ text }) => text)).toEqual(['# Heading'])
})

const block = { type: 'paragraph', text: 'x' }
const sizes: readonly [why: string, rich: Readonly<Record<string, unknown>>, status: number][] = [
  ['32 768 scalars of Markdown', { markdown: '😀'.repeat(32_768) }, 200],
  ['one more', { markdown: 'x'.repeat(32_769) }, 400],
  ['one more of HTML', { html: 'x'.repeat(32_769) }, 400],
  ['500 blocks', { blocks: times(500, block) }, 200],
  ['501 blocks', { blocks: times(501, block) }, 400],
  ['501 blocks, in a block', { blocks: [{ type: 'quote', blocks: times(500, block) }] }, 400],
  ['too long a text in blocks', { blocks: [{ type: 'paragraph', text: ['x'.repeat(32_768), { text: 'y' }] }] }, 400],
  ['no blocks', { blocks: [] }, 400],
  ['blocks that are none', { blocks: ['x'] }, 400],
  ['nothing', {}, 400],
]
it.each(sizes)('a rich message with %s: %3$i', async (_why, rich_message, status) => {
  await using bench = await withChat()
  expect((await bench.call('sendRichMessage', { chat_id: 42, rich_message })).status).toBe(status)
})

it('keeps the commands of a bot, and forgets them', async () => {
  await using bench = await openBench()
  const commands = [{ command: 'start', description: 'Begins' }]
  const stored = async (): Promise<unknown> => (await bench.result('getMyCommands'))['result']
  expect(await stored()).toEqual([])
  await bench.result('setMyCommands', { commands: JSON.stringify(commands) })
  expect(await stored()).toEqual(commands)
  expect((await bench.control.bots())[0]?.commands).toEqual(commands)
  await bench.result('deleteMyCommands')
  expect(await stored()).toEqual([])
})

it('describes a chat', async () => {
  await using bench = await withChat()
  expect(await bench.result('getChat', { chat_id: 42 })).toMatchObject({ id: 42, type: 'private' })
  expect((await bench.call('getChat', { chat_id: 43 })).body['description']).toBe('Bad Request: chat not found')
})

it('lets the bot write in a group, and read all of it, as far as its rights go', async () => {
  await using bench = await openBench()
  const send = (): ReturnType<Bench['call']> => bench.call('sendMessage', { chat_id: -7, text: 'x' })
  const hears = async (): Promise<boolean> =>
    (await bench.control.say({ from: 42, chat: -7, text: 'plain words' })).updateId !== null
  expect(await hears()).toBe(false)
  await bench.control.setRights({ chatId: -7, admin: true })
  expect(await hears()).toBe(true)
  await bench.control.setRights({ chatId: -7, canWrite: false })
  expect(await send()).toMatchObject({
    status: 400,
    body: { description: 'Bad Request: not enough rights to send text messages to the chat' },
  })
  await bench.control.setRights({ chatId: -7, canWrite: true, admin: false })
  expect((await send()).status).toBe(200)
  expect(await hears()).toBe(false)
})
