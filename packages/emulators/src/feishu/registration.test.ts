import { expect, it } from 'vitest'
import { manualClock } from '../kit/testing-clock.ts'
import { type Bench, openBench } from './testing-app.ts'

const ask = (bench: Bench, fields: Readonly<Record<string, string>>) =>
  bench.post('/oauth/v1/app/registration', new URLSearchParams(fields))

async function begin(bench: Bench) {
  const { body } = await ask(bench, {
    action: 'begin',
    archetype: 'PersonalAgent',
    auth_method: 'client_secret',
    request_user_info: 'open_id',
  })
  const poll = () => ask(bench, { action: 'poll', device_code: String(body['device_code']) })
  return { begun: body, poll }
}

it('gives the credentials of the app to whoever polls, once a person confirmed', async () => {
  await using bench = await openBench()
  expect((await ask(bench, { action: 'init' })).body).toMatchObject({ supported_auth_methods: ['client_secret'] })
  expect(await bench.control.bot()).toMatchObject({ setup: null })
  const { begun, poll } = await begin(bench)
  expect(begun).toMatchObject({
    user_code: expect.stringMatching(/\S/),
    verification_uri_complete: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/page\/launcher\?user_code=/),
    interval: 5,
    expires_in: 3_600,
  })
  expect(await bench.control.bot()).toMatchObject({ setup: 'waiting' })
  expect(await poll()).toMatchObject({ status: 400, body: { error: 'authorization_pending' } })
  await bench.control.scan({ act: 'scan' })
  expect(await bench.control.bot()).toMatchObject({ setup: 'scanned' })
  expect(await poll()).toMatchObject({ status: 400, body: { error: 'authorization_pending' } })
  await bench.control.scan({ act: 'confirm', userId: 'milo' })
  expect(await poll()).toMatchObject({
    status: 200,
    body: {
      client_id: bench.appId,
      client_secret: bench.secret,
      user_info: { open_id: 'ou_milo', tenant_brand: 'feishu' },
    },
  })
  expect(await bench.control.bot()).toMatchObject({ setup: null })
})

it.each([
  ['refuse', 'access_denied'],
  ['expire', 'expired_token'],
] as const)('%s ends it with %s', async (act, error) => {
  await using bench = await openBench()
  const { poll } = await begin(bench)
  await bench.control.scan({ act })
  expect(await poll()).toMatchObject({ status: 400, body: { error } })
  await expect(bench.control.scan({ act: 'confirm' })).rejects.toThrow(RangeError)
})

it('expires by itself', async () => {
  const clock = manualClock()
  await using bench = await openBench({ clock, registration: { lifeSeconds: 60, intervalSeconds: 1 } })
  const { begun, poll } = await begin(bench)
  expect(begun).toMatchObject({ expires_in: 60, interval: 1 })
  await clock.advance(60_000)
  expect(await poll()).toMatchObject({ status: 400, body: { error: 'expired_token' } })
})

it('says to slow down when it is told to', async () => {
  await using bench = await openBench()
  const { poll } = await begin(bench)
  await bench.control.injectFault({ kind: 'oauth_error', error: 'slow_down' })
  expect(await poll()).toMatchObject({ status: 400, body: { error: 'slow_down' } })
  expect(await poll()).toMatchObject({ status: 400, body: { error: 'authorization_pending' } })
})

it('says once that the tenant is one of Lark, before there are credentials', async () => {
  await using bench = await openBench()
  const { poll } = await begin(bench)
  await bench.control.scan({ act: 'redirect' })
  expect(await poll()).toMatchObject({ status: 200, body: { user_info: { tenant_brand: 'lark' } } })
  expect(await poll()).toMatchObject({ status: 400, body: { error: 'authorization_pending' } })
  await bench.control.scan({ act: 'confirm' })
  expect((await poll()).body).toMatchObject({ client_id: bench.appId, user_info: { tenant_brand: 'lark' } })
})

it('gives a new secret after a revocation', async () => {
  await using bench = await openBench()
  await bench.control.revoke()
  const { poll } = await begin(bench)
  await bench.control.scan({ act: 'confirm' })
  const { body } = await poll()
  expect(body['client_secret']).not.toBe(bench.secret)
  const again = { app_id: bench.appId, app_secret: String(body['client_secret']) }
  expect((await bench.post('/open-apis/auth/v3/tenant_access_token/internal', again)).body).toMatchObject({ code: 0 })
})

it('refuses other forms, unknown codes, and acts that cannot be', async () => {
  await using bench = await openBench()
  expect(await ask(bench, { action: 'begin' })).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
  expect(await ask(bench, { action: 'poll', device_code: 'x' })).toMatchObject({
    status: 400,
    body: { error: 'invalid_grant' },
  })
  await expect(bench.control.scan({ act: 'scan' })).rejects.toThrow('no pending setup code')
  await begin(bench)
  await expect(bench.control.scan({ act: 'stale' })).rejects.toThrow('stale')
})
