import { ClientError } from '@gatepost/auth/client'
import { expect, it } from 'vitest'
import { callAccountApi, ReauthenticationRequired, InputRejected } from './account-api.ts'
import { fieldError, problemMessages } from './account-action.tsx'
import { createFormat } from '../../language/format.ts'

const failureOf = (answer: { readonly status: number }): Promise<unknown> =>
  callAccountApi(() => Promise.resolve(answer)).catch((error: unknown) => error)
const chinese = { language: 'zh', format: createFormat('zh-Hans') } as const
const english = { language: 'en', format: createFormat('en') } as const

it('tells who is signed out from who is to confirm who they are', async () => {
  const flows = [{ id: 'reauthenticate' }]
  expect(await failureOf({ status: 401, data: { flows }, meta: { is_authenticated: true } } as never)).toEqual(
    new ReauthenticationRequired([{ id: 'reauthenticate' }]),
  )
  expect(
    await failureOf({ status: 401, data: { flows: [] }, meta: { is_authenticated: false } } as never),
  ).toMatchObject({
    code: 'unauthorized',
    status: 401,
  })
})

it('hands out the statuses that are hoped for, and nothing else', async () => {
  expect(await callAccountApi(() => Promise.resolve({ status: 404, meta: 'offer' }), [404])).toEqual({
    status: 404,
    meta: 'offer',
  })
  expect(await failureOf({ status: 404 })).toMatchObject({ code: 'not_found' })
  expect(await failureOf({ status: 409 })).toBeInstanceOf(InputRejected)
})

it('says how long to wait, in the language of the page', async () => {
  const limited = await failureOf({ status: 429, retryAfterSeconds: 40 } as never)
  expect(problemMessages(limited, [], english)).toEqual(['Too many attempts. Try again in 40 sec.'])
  expect(problemMessages(limited, [], chinese)).toEqual(['操作过于频繁，请在 40 秒后重试。'])
})

it('leaves to a field what is about the field, and says codes of its own in its own words', async () => {
  const errors = [
    { code: 'duplicate_email', message: 'As the service says it.', param: 'email' },
    { code: 'unverified_email', message: 'In other words.' },
  ]
  const refused = await failureOf({ status: 400, errors } as never)
  expect(fieldError(refused, 'email')).toBe('As the service says it.')
  expect(problemMessages(refused, ['email'], chinese)).toEqual(['请先验证所有邮箱，再进行设置。'])
})

it.each([
  [null, 'no_answer'],
  [403, 'csrf_failed'],
  [502, 'internal_error'],
  [413, 'unreadable'],
])('is no answer of accounts with status %s: %s', async (status, code) => {
  const broken = new ClientError(status === null ? 'unreachable' : 'unexpected_answer', status)
  expect(await callAccountApi(() => Promise.reject(broken)).catch((error: unknown) => error)).toMatchObject({ code })
})
