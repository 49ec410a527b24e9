import { afterEach, expect, it, vi } from 'vitest'
import { createPasskey, getPasskey } from './passkeys.ts'

const bytes = (...values: readonly number[]): ArrayBuffer => Uint8Array.from(values).buffer

/** The members of a browser's credential that are used. */
function fakeCredentialApi(response: object): { readonly asked: unknown[] } {
  const asked: unknown[] = []
  const credential = {
    id: '-_8',
    rawId: bytes(0xfb, 0xff),
    type: 'public-key',
    authenticatorAttachment: 'platform',
    response,
    getClientExtensionResults: () => ({ credProps: { rk: true } }),
  }
  const answer = async (options: unknown): Promise<unknown> => {
    asked.push(options)
    return credential
  }
  vi.stubGlobal('navigator', { credentials: { create: answer, get: answer } })
  return { asked }
}

afterEach(() => {
  vi.unstubAllGlobals()
})

it('makes a passkey of the options of the API, and JSON of the passkey', async () => {
  const { asked } = fakeCredentialApi({
    clientDataJSON: bytes(1),
    attestationObject: bytes(0xfb, 0xff, 0xfe),
    getTransports: () => ['internal'],
  })
  const publicKey = {
    challenge: '-_8',
    rp: { id: 'example.org' },
    user: { id: 'AQI', name: 'ada' },
    excludeCredentials: [{ type: 'public-key', id: 'AwQ' }],
    extensions: { credProps: true },
  }
  expect(await createPasskey({ publicKey })).toEqual({
    id: '-_8',
    rawId: '-_8',
    type: 'public-key',
    authenticatorAttachment: 'platform',
    response: { clientDataJSON: 'AQ', attestationObject: '-__-', transports: ['internal'] },
    clientExtensionResults: { credProps: { rk: true } },
  })
  expect(asked).toEqual([
    {
      publicKey: {
        ...publicKey,
        challenge: Uint8Array.of(0xfb, 0xff),
        user: { id: Uint8Array.of(1, 2), name: 'ada' },
        excludeCredentials: [{ type: 'public-key', id: Uint8Array.of(3, 4) }],
      },
    },
  ])
})

it('requests a passkey, also in autofill', async () => {
  const { asked } = fakeCredentialApi({
    clientDataJSON: bytes(1),
    authenticatorData: bytes(2),
    signature: bytes(3),
    userHandle: null,
  })
  const { signal } = new AbortController()
  const publicKey = { challenge: 'AQ', allowCredentials: [{ type: 'public-key', id: 'AwQ' }] }
  expect(await getPasskey({ publicKey }, { mediation: 'conditional', signal })).toMatchObject({
    response: { clientDataJSON: 'AQ', authenticatorData: 'Ag', signature: 'Aw' },
  })
  expect(asked).toEqual([
    {
      mediation: 'conditional',
      signal,
      publicKey: { challenge: Uint8Array.of(1), allowCredentials: [{ type: 'public-key', id: Uint8Array.of(3, 4) }] },
    },
  ])
})

it('accepts the credential of a password manager, without extensions', async () => {
  const credential = { id: 'AQ', rawId: bytes(1), type: 'public-key', response: { clientDataJSON: bytes(1) } }
  vi.stubGlobal('navigator', { credentials: { get: async () => credential } })
  expect(await getPasskey({ publicKey: { challenge: 'AQ' } })).toEqual({
    id: 'AQ',
    rawId: 'AQ',
    type: 'public-key',
    response: { clientDataJSON: 'AQ' },
    clientExtensionResults: {},
  })
})

it.each([
  ['a page without passkeys', {}],
  ['a browser that gives none', { credentials: { get: async () => null } }],
])('%s is an error', async (_what, navigator) => {
  vi.stubGlobal('navigator', navigator)
  await expect(getPasskey({ publicKey: { challenge: 'AQ' } })).rejects.toThrow(TypeError)
})
