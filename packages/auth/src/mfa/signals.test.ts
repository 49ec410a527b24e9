import { testDatabases } from '@gatepost/sql/testing'
import { afterEach, describe, expect, it } from 'vitest'
import type { SignalName } from '../compose.ts'
import { type ApiBench, apiBench, readPath, type Person, readPublicKeyOptions } from '../testing/api-bench.ts'
import type { ApiVisitor } from '../testing/api-visitor.ts'
import type { Authenticator } from './mfa.ts'

const NAMES = [
  'authentication_step_completed',
  'authenticator_added',
  'authenticator_created',
  'authenticator_removed',
  'authenticator_reset',
  'authenticator_used',
  'authentication_failed',
  'mfa_enabled',
  'mfa_disabled',
  'user_logged_in',
  'user_logged_out',
] as const satisfies readonly SignalName[]
const NO = 'reauthenticated=false passwordless=false'

describe.each(testDatabases)('signals of second factors, in their order, on %s', (_name, open) => {
  let bench: ApiBench
  let ada: Person
  let api: ApiVisitor
  afterEach(() => bench.world.close())

  async function begin(): Promise<void> {
    bench = await apiBench('app', open, { mfa: { passkeyLoginEnabled: true } })
    ada = await bench.person()
    api = await ada.login()
  }
  /** Records signals from now on, for Ada: name, sender, authenticator type, payload. */
  function hear(): string[] {
    const heard: string[] = []
    for (const name of NAMES) {
      bench.world.auth.signals.on(name, ({ signal, sender, request, user, ...event }) => {
        expect([request?.client, user.id]).toEqual(['app', ada.user.id])
        const shown = Object.entries(event)
          .filter(([key]) => !['response', 'id', 'email'].includes(key))
          .map(([key, value]) => (key === 'authenticator' ? (value as Authenticator).type : `${key}=${String(value)}`)) // its type says so
        heard.push([signal, sender, ...shown].join(' '))
      })
    }
    return heard
  }

  it('the first key, another one, and none', async () => {
    await begin()
    const heard = hear()
    const first = await bench.addKey(api)
    const second = await bench.addKey(api)
    await api.post('account/authenticators/recovery-codes')
    await api.delete('account/authenticators/webauthn', { authenticators: [first.id] })
    await api.delete('account/authenticators/webauthn', { authenticators: [second.id] })
    expect(heard).toEqual([
      'authenticator_added Authenticator webauthn',
      'authenticator_created User webauthn',
      'mfa_enabled User webauthn',
      'authenticator_added Authenticator recovery_codes',
      'authenticator_created User recovery_codes',
      'authenticator_added Authenticator webauthn',
      'authenticator_created User webauthn',
      'authenticator_reset Authenticator recovery_codes',
      'authenticator_removed Authenticator webauthn',
      'authenticator_removed Authenticator webauthn',
      'authenticator_removed Authenticator recovery_codes',
      'mfa_disabled User webauthn',
    ])
  })

  it('a login with a wrong code, and a right one', async () => {
    await begin()
    const app = await bench.addTotp(api)
    const heard = hear()
    const again = await ada.login()
    await again.post('auth/2fa/authenticate', { code: 'wrong' })
    await again.post('auth/2fa/authenticate', { code: app.nextCode() })
    await again.delete('auth/session')
    expect(heard).toEqual([
      'authentication_step_completed User method=password',
      'authentication_failed Authenticator totp reauthentication=false',
      'authentication_step_completed User type=totp method=mfa',
      `authenticator_used Authenticator totp ${NO}`,
      'user_logged_in User',
      'user_logged_out User',
    ])
  })

  it('a login by passkey alone, and proofs again', async () => {
    await begin()
    const { key } = await bench.addKey(api, { passwordless: true })
    const [code] = await bench.recoveryCodes(api)
    const heard = hear()
    const again = ada.visitor()
    const asked = await again.get('auth/webauthn/login')
    await again.post('auth/webauthn/login', { credential: key.get(readPublicKeyOptions(asked)) })
    await again.post('auth/2fa/reauthenticate', { code: 'wrong' })
    await again.post('auth/2fa/reauthenticate', { code })
    const more = await again.get('auth/webauthn/reauthenticate')
    await again.post('auth/webauthn/reauthenticate', { credential: key.get(readPublicKeyOptions(more)) })
    expect(readPath(await again.get('auth/session'), 'data.methods')).toHaveLength(3)
    expect(heard).toEqual([
      'authentication_step_completed User type=webauthn passwordless=true method=mfa',
      'authenticator_used Authenticator webauthn reauthenticated=false passwordless=true',
      'user_logged_in User',
      'authentication_failed Authenticator webauthn reauthentication=true',
      'authentication_step_completed User type=recovery_codes reauthenticated=true method=mfa',
      'authenticator_used Authenticator recovery_codes reauthenticated=true passwordless=false',
      'authentication_step_completed User type=webauthn reauthenticated=true method=mfa',
      'authenticator_used Authenticator webauthn reauthenticated=true passwordless=false',
    ])
  })
})
