import { expect, it } from 'vitest'
import { describeDiscord, discordCredentials, discordIdentity } from './credentials.ts'
import { readExpiryMs, readRef } from './decode.ts'
import { createNonce } from './encode.ts'
import { readCursor, START, writeCursor } from './cursor.ts'
import { byAge, idAt, readSnowflakeMs } from './snowflake.ts'

const ID = '1300000000000000099'
const TOKEN = `${Buffer.from(ID).toString('base64url')}.MadeUp.made-up_${'A'.repeat(20)}`

it.each([[TOKEN], [`  ${TOKEN}\n`], [`Bot ${TOKEN}`], [` bot  ${TOKEN} `]])(
  'reads a token as it was pasted: %j',
  (pasted) => {
    const read = discordCredentials.schema.parse({ bot_token: pasted })
    expect(read).toEqual({ bot_token: TOKEN })
    expect(discordIdentity(read)).toBe(ID)
  },
)

it.each([[''], ['x'.repeat(32)], ['a.b'], ['a.b.c'], [`${TOKEN}.d`], [TOKEN.replace('.', ' ')], ['x'.repeat(10_000)]])(
  'says what a token looks like: %j',
  (pasted) => {
    const read = discordCredentials.schema.safeParse({ bot_token: pasted })
    expect(read.error?.issues[0]?.message).toMatch(/three parts separated by dots/)
  },
)

it('describes itself by the fields of the contract', () => {
  expect(describeDiscord(null)).toEqual({ has_token: false })
  expect(describeDiscord({ bot_token: TOKEN })).toEqual({ has_token: true })
})

it('reads the cursor that it wrote, and no other', () => {
  const session = { sessionId: 's', resumeUrl: 'wss://x', hasContent: true }
  for (const position of [START, { session, sequence: 5, sinceMs: null }, { session: null, sequence: 0, sinceMs: 7 }]) {
    expect(readCursor(writeCursor(position))).toEqual(position)
  }
  for (const other of ['', '{}', '5', 'null', '{"v":2}', '{"v":1,"session":{},"seq":1,"since":null}']) {
    expect(readCursor(other)).toBeNull()
  }
})

it('makes short nonces that differ', () => {
  const nonces = ['0193-turn.1', '0193-turn.2'].map(createNonce)
  expect(new Set(nonces).size).toBe(2)
  expect(nonces.every((nonce) => nonce.length <= 25)).toBe(true)
  expect(createNonce('0193-turn.1')).toBe(nonces[0])
})

it('tells the time of an id, and orders ids', () => {
  const ms = 1_732_176_000_123
  expect(readSnowflakeMs(idAt(ms))).toBe(ms)
  expect(idAt(0)).toBe('0')
  expect(['100', '9', '20'].toSorted(byAge)).toEqual(['9', '20', '100'])
})

it('reads where an attachment is and when its address ends', () => {
  expect(readRef('1 2 3 https://x/y')).toEqual({
    channelId: '1',
    messageId: '2',
    attachmentId: '3',
    url: 'https://x/y',
  })
  expect(readRef('../1 2 3 https://x/y')).toBeNull()
  expect(readExpiryMs('https://x/y?ex=673f0000&is=1')).toBe(0x673f0000 * 1_000)
  expect(readExpiryMs('https://x/y')).toBeNull()
  expect(readExpiryMs('no address')).toBeNull()
})
