import type { Flow } from '@gatepost/auth/client'
import { expect, it } from 'vitest'
import { type ReauthenticationMethod, listMethods } from './reauthentication.tsx'

const password: Flow = { id: 'reauthenticate' }
const factors = (...types: readonly ('totp' | 'recovery_codes' | 'webauthn')[]): Flow => ({
  id: 'mfa_reauthenticate',
  types: [...types],
})

const cases: readonly [why: string, flows: readonly Flow[], ways: readonly ReauthenticationMethod[]][] = [
  ['a password alone', [password], ['password']],
  ['an app and its recovery codes are one field', [password, factors('totp', 'recovery_codes')], ['password', 'code']],
  ['a key comes before codes', [factors('recovery_codes', 'webauthn')], ['passkey', 'code']],
  ['no method: sign in again', [], []],
  ['other flows are left out', [{ id: 'password_reset_by_code', is_pending: false }, password], ['password']],
]
it.each(cases)('%s', (_why, flows, ways) => expect(listMethods(flows)).toEqual(ways))
