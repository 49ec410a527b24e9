import { ClientError } from '@gatepost/auth/client'
import { expect, it } from 'vitest'
import { callAccountApi, ReauthenticationRequired, InputRejected } from './account-api.ts'
import { fieldError, problemMessages } from './account-action.tsx'
import { createFormat } from '../../language/format.ts'

const callAndCatch = (answer: { readonly status: number }): Promise<unknown> =>
  callAccountApi(() => Promise.resolve(answer)).catch((error: unknown) => error)
const chinese = { language: 'zh', format: createFormat('zh-Hans') } as const
const english = { language: 'en', format: createFormat('en') } as const

it('distinguishes signed out from reauthentication required', async () => {
  const flows = [{ id: 'reauthenticate' }]
  expect(await callAndCatch({ status: 401, data: { flows }, meta: { is_authenticated: true } } as never)).toEqual(
    new ReauthenticationRequired([{ id: 'reauthenticate' }]),
  )
  expect(
    await callAndCatch({ status: 401, data: { flows: [] }, meta: { is_authenticated: false } } as never),
  ).toMatchObject({
    code: 'unauthorized',
    status: 401,
  })
})

it('returns the expected statuses only', async () => {
  expect(await callAccountApi(() => Promise.resolve({ status: 404, meta: 'offer' }), [404])).toEqual({
    status: 404,
    meta: 'offer',
  })
  expect(await callAndCatch({ status: 404 })).toMatchObject({ code: 'not_found' })
  expect(await callAndCatch({ status: 409 })).toBeInstanceOf(InputRejected)
})

it("reports how long to wait, in the page's language", async () => {
  const limited = await callAndCatch({ status: 429, retryAfterSeconds: 40 } as never)
  expect(problemMessages(limited, [], english)).toEqual(['Too many attempts. Try again in 40 sec.'])
  expect(problemMessages(limited, [], chinese)).toEqual(['操作过于频繁，请在 40 秒后重试。'])
})

it('leaves field errors to the field, and has its own messages for some codes', async () => {
  const errors = [
    { code: 'duplicate_email', message: 'As the service says it.', param: 'email' },
    { code: 'unverified_email', message: 'In other words.' },
  ]
  const refused = await callAndCatch({ status: 400, errors } as never)
  expect(fieldError(refused, 'email')).toBe('As the service says it.')
  expect(problemMessages(refused, ['email'], chinese)).toEqual(['请先验证所有邮箱，再进行设置。'])
})

it.each([
  [null, 'no_answer'],
  [403, 'csrf_failed'],
  [502, 'internal_error'],
  [413, 'unreadable'],
])('reports status %s as %s', async (status, code) => {
  const broken = new ClientError(status === null ? 'unreachable' : 'unexpected_answer', status)
  expect(await callAccountApi(() => Promise.reject(broken)).catch((error: unknown) => error)).toMatchObject({ code })
})
