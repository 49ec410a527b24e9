import { expect, it } from 'vitest'
import { findBotRole, decodeMessage, decodeUpdate, type Reader } from './decode.ts'
import { readSnowflakeMs } from './snowflake.ts'

const BOT = { id: '99', name: 'helper' }
const ROLE = '555'
const reader: Reader = { bot: BOT, role: ROLE, channelTitle: (id) => (id === '200' ? 'Team #general' : undefined) }
const ID = '1300000000000000001'

const ann = { id: '7', username: 'ann', global_name: 'Ann', bot: false }
const message = (more: object = {}): Record<string, unknown> => ({
  id: ID,
  channel_id: '200',
  guild_id: '300',
  author: ann,
  member: { nick: null, roles: [] },
  content: 'status?',
  timestamp: '2026-11-21T08:00:00.000000+00:00',
  edited_timestamp: null,
  mentions: [],
  mention_roles: [],
  attachments: [],
  embeds: [],
  type: 0,
  flags: 0,
  ...more,
})
const mentioned = { content: '<@99> status?', mentions: [{ id: '99', username: 'helper', bot: true }] }
const attachment = {
  id: '1',
  filename: 'a.png',
  content_type: 'image/png',
  size: 3,
  url: 'https://cdn.discordapp.com/a.png?ex=1',
}

it.each<[string, Record<string, unknown>, object]>([
  [
    'a mention in a server',
    message(mentioned),
    {
      type: 'message',
      key: `m:${ID}`,
      messageId: ID,
      chat: { id: '200', kind: 'group', title: 'Team #general' },
      from: { id: '7', name: 'Ann', username: 'ann' },
      text: 'status?',
      sentAtMs: readSnowflakeMs(ID),
      addressed: true,
      media: [],
    },
  ],
  [
    'a private message',
    message({ guild_id: undefined, channel_type: 1 }),
    { addressed: true, chat: { kind: 'direct' } },
  ],
  ['talk that is not for the bot', message(), { addressed: false }],
  ['a mention by nickname', message({ content: 'hi <@!99>' }), { addressed: true, text: 'hi' }],
  [
    'a mention by the role of the bot',
    message({ content: `<@&${ROLE}> hi`, mention_roles: [ROLE] }),
    { addressed: true, text: 'hi' },
  ],
  [
    'a mention of another role',
    message({ content: '<@&556> hi', mention_roles: ['556'] }),
    { addressed: false, text: '<@&556> hi' },
  ],
  ['a mention alone', message({ ...mentioned, content: '<@99>' }), { text: '@helper', addressed: true }],
  [
    'a mention of somebody else',
    message({ content: 'ask <@8> please', mentions: [{ id: '8', username: 'bob', global_name: 'Bob' }] }),
    { text: 'ask @Bob please', addressed: false },
  ],
  ['emoji and commands', message({ content: '<:wave:123456> use </ask:99>' }), { text: ':wave: use /ask' }],
  [
    'an answer to the bot',
    message({
      type: 19,
      message_reference: { message_id: '5', channel_id: '200' },
      referenced_message: message({ id: '5', author: { ...BOT, bot: true }, content: 'earlier' }),
    }),
    { addressed: true, quoted: { messageId: '5', text: 'earlier' } },
  ],
  [
    'an answer to a message that was deleted',
    message({ type: 19, message_reference: { message_id: '5' }, referenced_message: null }),
    { addressed: false, quoted: { messageId: '5', text: '' } },
  ],
  [
    'a picture without words',
    message({ content: '', attachments: [attachment] }),
    { text: '', media: [{ kind: 'image', name: 'a.png', sizeBytes: 3, ref: `200 ${ID} 1 ${attachment.url}` }] },
  ],
  [
    'a voice message',
    message({ content: '', flags: 1 << 13, attachments: [{ ...attachment, content_type: 'audio/ogg' }] }),
    { media: [{ kind: 'voice', mime: 'audio/ogg' }] },
  ],
  ['a sticker', message({ content: '', sticker_items: [{ id: '1', name: 'Wow' }] }), { text: '[Sticker: Wow]' }],
  [
    'a message that was passed on',
    message({
      content: '',
      message_reference: { type: 1, message_id: '5' },
      message_snapshots: [{ message: { content: 'look', attachments: [attachment] } }],
    }),
    { text: '[Forwarded] look', media: [{ kind: 'image' }] },
  ],
  ['a nickname', message({ member: { nick: 'Annie' } }), { from: { id: '7', name: 'Annie', username: 'ann' } }],
])('reads %s', (_what, data, expected) => {
  expect(decodeMessage(data, reader).event).toMatchObject(expected)
})

it.each<[string, Record<string, unknown>]>([
  ['itself', message({ author: { ...BOT, bot: true }, nonce: 'n' })],
  ['other bots', message({ author: { ...ann, bot: true } })],
  ['webhooks', message({ webhook_id: '1' })],
  ['who joined', message({ type: 7 })],
  ['what has been pinned', message({ type: 6 })],
  ['what it may not read', message({ content: '' })],
])('ignores %s, but knows that it is there', (_what, data) => {
  expect(decodeMessage(data, reader)).toMatchObject({ seen: { channelId: '200', messageId: ID } })
  expect(decodeMessage(data, reader).event).toBeUndefined()
})

it('knows its own message by the nonce', () => {
  const own = message({ author: { ...BOT, bot: true }, nonce: 'n' })
  expect(decodeMessage(own, reader).seen).toEqual({ channelId: '200', messageId: ID, nonce: 'n' })
  expect(decodeMessage(message({ nonce: 'n' }), reader).seen).toEqual({ channelId: '200', messageId: ID })
})

it('takes the kind of a chat from where the message was read', () => {
  const old = message({ guild_id: undefined, ...mentioned })
  expect(decodeMessage(old, { ...reader, kind: 'group' }).event).toMatchObject({
    chat: { kind: 'group' },
    addressed: true,
  })
})

it('takes an edit by a person, not the picture of a link', () => {
  const edited = { edited_timestamp: '2026-11-21T08:01:00+00:00', content: '<@99> new' }
  expect(decodeUpdate(message(edited), reader).event).toMatchObject({ type: 'edit', key: `m:${ID}`, text: 'new' })
  expect(decodeUpdate(message(), reader).event).toBeUndefined()
  expect(decodeUpdate(message({ ...edited, author: { ...BOT, bot: true } }), reader).event).toBeUndefined()
  expect(decodeUpdate(message({ ...edited, content: undefined }), reader).event).toBeUndefined()
})

it.each<[unknown]>([
  [null],
  [5],
  [{}],
  [{ id: ID }],
  [{ id: 'x', channel_id: '1' }],
  [{ id: ID, channel_id: '../1' }],
  [message({ author: null })],
  [message({ author: { id: 7 } })],
  [message({ content: 5 })],
  [message({ content: 'x'.repeat(20_000) })],
])('says what is wrong with what Discord cannot have sent: %j', (data) => {
  expect(decodeMessage(data, reader)).toEqual({ malformed: expect.any(String) as unknown })
})

it.each<[unknown]>([
  [message({ mentions: [null, 5, {}], mention_roles: 'x', attachments: [null, { id: 1 }, { id: '1', url: 'a b' }] })],
  [message({ member: 5, message_reference: 5, referenced_message: 5, poll: 5, sticker_items: [5] })],
  [message({ poll: { question: {}, answers: [{}] }, message_snapshots: 5 })],
])('reads what it can of odd messages: %#', (data) => {
  expect(decodeMessage(data, reader).event).toMatchObject({ text: expect.stringContaining('status?') as unknown })
})

it('finds the role that Discord made for the bot', () => {
  const roles = [{ id: '1' }, { id: '2', tags: { bot_id: '98' } }, { id: '3', tags: { bot_id: '99' } }]
  expect(findBotRole(roles, BOT)).toBe('3')
  expect(findBotRole(roles.slice(0, 2), BOT)).toBeNull()
})
