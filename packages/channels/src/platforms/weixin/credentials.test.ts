import { expect, it } from 'vitest'
import { describeWeixin, weixinCredentials, weixinIdentity } from './credentials.ts'

const io = { host: (_setting: string, url: string) => url }

it('trims what was pasted, and drops the slash at the end of a URL', () => {
  expect(weixinCredentials.schema.parse({ token: ' a-token-1 \n', base_url: ' https://b.weixin.qq.com/ ' })).toEqual({
    token: 'a-token-1',
    base_url: 'https://b.weixin.qq.com',
  })
})

it.each([
  [{ token: '' }, 'token must be the value from the QR code sign-in: 8 or more characters without spaces.'],
  [{ token: 'two words' }, 'token must be the value from the QR code sign-in: 8 or more characters without spaces.'],
  [
    { token: 'a-token-1', base_url: 'ftp://b' },
    'base_url must be an http or https URL without a username, query, or fragment.',
  ],
  [{ token: 'a-token-1', ilink_bot_id: 'a/b' }, 'ilink_bot_id must be printable characters without a slash.'],
])('says what is wrong with %j', (fields, message) => {
  const parsed = weixinCredentials.schema.safeParse(fields)
  expect(parsed.error?.issues.map((issue) => issue.message)).toEqual([message])
})

it('is the same bot after another log-in, and shows no token', () => {
  expect(weixinIdentity({ token: 'a-token-1', ilink_bot_id: 'b1@im.bot' })).toBe('b1@im.bot')
  const alone = weixinIdentity({ token: 'a-token-1' })
  expect(alone).toMatch(/^token-[\da-f]{16}$/)
  expect(weixinIdentity({ token: 'a-token-2' })).not.toBe(alone)
})

it('shows the fields of the contract and no others', () => {
  expect(describeWeixin(null, io)).toEqual({ has_token: false, base_url: 'https://ilinkai.weixin.qq.com' })
  expect(
    describeWeixin(
      { token: 'a-token-1', base_url: 'https://b.weixin.qq.com', ilink_bot_id: 'b', ilink_user_id: 'u' },
      io,
    ),
  ).toEqual({ has_token: true, base_url: 'https://b.weixin.qq.com' })
})
