import { expect, it } from 'vitest'
import { describeWecom, wecomCredentials } from './credentials.ts'

const { schema } = wecomCredentials

it('trims what was copied with blanks around it', () => {
  expect(schema.parse({ bot_id: ' aibX\n', secret: '\ts3cret ' })).toEqual({ bot_id: 'aibX', secret: 's3cret' })
})

it.each([
  ['swapped', { bot_id: 's3cret', secret: 'aibX' }, 'bot_id', /swapped/],
  ['no prefix', { bot_id: 'X', secret: 's3cret' }, 'bot_id', /must start with aib/],
  ['the Bot ID twice', { bot_id: 'aibX', secret: 'aibX' }, 'secret', /looks like a Bot ID/],
  ['empty', { bot_id: ' ', secret: 's3cret' }, 'bot_id', /must not be empty/],
  ['no secret', { bot_id: 'aibX', secret: '' }, 'secret', /must not be empty/],
  ['blanks inside', { bot_id: 'aib X', secret: 's3cret' }, 'bot_id', /blanks/],
  ['two secrets', { bot_id: 'aibX', secret: 's3 cret' }, 'secret', /blanks/],
])('says in one sentence what is wrong: %s', (_why, given, field, sentence) => {
  const [issue] = schema.safeParse(given).error?.issues ?? []
  expect(issue).toMatchObject({ path: [field], message: sentence })
  // only then the whole sentence reaches the person
  expect(issue?.message.startsWith(field) && issue.message.endsWith('.')).toBe(true)
  expect(issue?.message).not.toContain('s3')
})

it('describes a channel by its Bot ID alone', () => {
  expect(describeWecom(null)).toEqual({ bot_id: '' })
  expect(describeWecom({ bot_id: 'aibX', secret: 's3cret' })).toEqual({ bot_id: 'aibX' })
})
