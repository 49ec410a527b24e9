import { expect, it } from 'vitest'
import { toLocalhostUrl, findPasskeyObstacle, requestPasskey } from './account-api.ts'

it('has a code for each failure of a passkey request', async () => {
  const requestAndCatch = async (error: Error): Promise<unknown> =>
    requestPasskey(() => Promise.reject(error)).catch((refused: unknown) => refused)
  expect(await requestAndCatch(new DOMException('gave up', 'NotAllowedError'))).toMatchObject({
    refusals: [{ code: 'passkey_given_up' }],
  })
  expect(await requestAndCatch(new DOMException('there', 'InvalidStateError'))).toMatchObject({
    refusals: [{ code: 'passkey_known' }],
  })
  expect(await requestAndCatch(new TypeError('none'))).toMatchObject({ refusals: [{ code: 'passkey_unsupported' }] })
  expect(await requestAndCatch(new DOMException('new', 'SomethingNewError'))).toMatchObject({
    refusals: [{ code: 'passkey_failed' }],
  })
  expect(await requestPasskey(() => Promise.resolve('key'))).toBe('key')
})

it.each([
  ['127.0.0.1', true, 'ip_address'],
  ['[::1]', true, 'ip_address'],
  ['192.168.1.20', false, 'ip_address'],
  ['gate.lan', false, 'insecure'],
  ['localhost', true, null],
  ['gate.example.org', true, null],
] as const)('finds the obstacle to passkeys at %s (secure: %s): %s', (hostname, isSecure, why) => {
  expect(findPasskeyObstacle(hostname, isSecure)).toBe(why)
})

it('converts loopback addresses only', () => {
  expect(toLocalhostUrl('http://127.0.0.1:7070/x/console/account?section=security')).toBe(
    'http://localhost:7070/x/console/account?section=security',
  )
  expect(toLocalhostUrl('http://[::1]:7070/console/')).toBe('http://localhost:7070/console/')
  expect(toLocalhostUrl('http://192.168.1.20:7070/console/')).toBeNull()
})
