import { expect, it } from 'vitest'
import { manualClock } from '../kit/testing-clock.ts'
import { type Bench, openBench } from './testing-app.ts'

const SOURCE = { source: 'DING_DWS_CLAW' }

async function begin(bench: Bench): Promise<Readonly<Record<string, unknown>>> {
  const { body } = await bench.call('POST', '/app/registration/init', SOURCE)
  return (await bench.call('POST', '/app/registration/begin', { nonce: body['nonce'] })).body
}

async function poll(
  bench: Bench,
  begun: Readonly<Record<string, unknown>>,
): Promise<Readonly<Record<string, unknown>>> {
  return (await bench.call('POST', '/app/registration/poll', { device_code: begun['device_code'] })).body
}

it('gives the credentials once the person has confirmed', async () => {
  await using bench = await openBench({ clock: manualClock() })
  const begun = await begin(bench)
  expect(begun).toMatchObject({ errcode: 0, expires_in: 7_200, interval: 3, user_code: expect.any(String) })
  expect((await fetch(String(begun['verification_uri_complete']))).status).toBe(200)
  expect(await bench.control.bot()).toMatchObject({ setup: 'waiting' })
  await bench.control.scan({ act: 'scan' })
  expect(await bench.control.bot()).toMatchObject({ setup: 'scanned' })
  expect(await poll(bench, begun)).toMatchObject({ errcode: 0, status: 'WAITING' })
  await bench.control.scan({ act: 'confirm' })
  const { credentials, setup } = await bench.control.bot()
  expect(setup).toBeNull()
  expect(await poll(bench, begun)).toMatchObject({ errcode: 0, status: 'SUCCESS', ...credentials })
})

it('fails once, and goes on as if nothing had been', async () => {
  await using bench = await openBench()
  const begun = await begin(bench)
  await bench.control.scan({ act: 'confirm' })
  await bench.control.injectFault({ kind: 'registration_fail' })
  expect(await poll(bench, begun)).toMatchObject({ status: 'FAIL', fail_reason: expect.any(String) })
  expect(await poll(bench, begun)).toMatchObject({ status: 'SUCCESS' })
})

it.each([
  ['refuse', 'FAIL'],
  ['expire', 'EXPIRED'],
] as const)('ends with %s as %s', async (act, status) => {
  await using bench = await openBench()
  const begun = await begin(bench)
  await bench.control.scan({ act })
  expect(await poll(bench, begun)).toMatchObject({ errcode: 0, status })
  await expect(bench.control.scan({ act: 'confirm' })).rejects.toThrow('used up or expired')
})

it('expires by itself', async () => {
  const clock = manualClock()
  await using bench = await openBench({ clock, registrationLifeMs: 1_000 })
  const begun = await begin(bench)
  await clock.advance(1_000)
  expect(await poll(bench, begun)).toMatchObject({ status: 'EXPIRED' })
})

it('refuses an empty source, a used nonce, an unknown code and an act of another platform', async () => {
  await using bench = await openBench()
  expect((await bench.call('POST', '/app/registration/init', {})).body).toMatchObject({ errcode: 40035 })
  await expect(bench.control.scan({ act: 'confirm' })).rejects.toThrow('no pending setup code')
  const { body } = await bench.call('POST', '/app/registration/init', SOURCE)
  const nonce = { nonce: body['nonce'] }
  expect((await bench.call('POST', '/app/registration/begin', nonce)).body).toMatchObject({ errcode: 0 })
  expect((await bench.call('POST', '/app/registration/begin', nonce)).body).toMatchObject({ errcode: 40035 })
  expect(await poll(bench, { device_code: 'other' })).toMatchObject({ errcode: 40035 })
  await expect(bench.control.scan({ act: 'already_bound' })).rejects.toThrow("doesn't support already_bound")
})

it('gives a new secret to whoever registers after the old one was revoked', async () => {
  await using bench = await openBench()
  const before = (await bench.control.bot()).credentials['client_secret']
  await bench.control.revoke()
  const begun = await begin(bench)
  await bench.control.scan({ act: 'confirm' })
  expect((await poll(bench, begun))['client_secret']).not.toBe(before)
  await bench.connect()
  expect((await bench.control.bot()).connected).toBe(true)
})
