import { expect, it } from 'vitest'
import { isPasskey } from './credential.ts'

const credentialWithRk = (rk: unknown): object => ({ credential: { clientExtensionResults: { credProps: { rk } } } })

it.each<[why: string, data: object, passkey: boolean | null]>([
  ['kept by its authenticator, with its user verified', { ...credentialWithRk(true), user_verified: true }, true],
  ['kept by its authenticator, for whoever held it', { ...credentialWithRk(true), user_verified: false }, false],
  ['of an old site, which did not write down who was verified', credentialWithRk(true), true],
  ['stored in our format only', { ...credentialWithRk(false), user_verified: true }, false],
  ['that did not say', { credential: { clientExtensionResults: {} }, user_verified: true }, null],
  ['that says nonsense', credentialWithRk('yes'), null],
  ['without anything', {}, null],
])('a key %s', (_why, data, passkey) => {
  expect(isPasskey({ data: { ...data } })).toBe(passkey)
})
