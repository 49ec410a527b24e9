import { createPublicKey, randomBytes, verify } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { type Fault, identityProviderEmulator, type IdentityProviderEmulator } from './emulator.ts'
import { authorized, exchanged, registered } from './testing/generic-client.ts'
import { type ProviderRecord, providerRecords } from './testing/provider-records.ts'

const NOW_MS = 1_900_000_000_000
const mia = {
  id: '4815',
  email: 'mia@people.example',
  emailVerified: true,
  username: 'mia',
  firstName: 'Mia',
  lastName: 'M',
}

function findRecord(id: string): ProviderRecord {
  const record = providerRecords.find((each) => each.id === id)
  if (record === undefined) throw new Error(id)
  return record
}

/** An emulator whose clock can be moved. */
function emulatorWith(clock = { nowMs: NOW_MS }): IdentityProviderEmulator {
  const emulator = identityProviderEmulator({ now: () => clock.nowMs, random: randomBytes })
  emulator.signIn(mia)
  return emulator
}

const PROFILE = 'https://api.github.com/user'

describe('an id token', () => {
  const read = (part = ''): unknown => JSON.parse(Buffer.from(part, 'base64url').toString())
  async function isSigned(emulator: IdentityProviderEmulator, token: string): Promise<boolean> {
    const reply = await emulator.fetch(new Request('https://www.googleapis.com/oauth2/v1/certs'))
    const certificates = (await reply.json()) as Record<string, string> // checked by verify
    const [header = '', payload = '', signature = ''] = token.split('.')
    const { kid, alg } = read(header) as Record<string, string> // compared below
    const certificate = certificates[kid ?? '']
    if (certificate === undefined || alg !== 'RS256') return false
    return verify(
      'sha256',
      Buffer.from(`${header}.${payload}`),
      createPublicKey(certificate),
      Buffer.from(signature, 'base64url'),
    )
  }

  it('made by hand is that of the person, signed by the provider', async () => {
    const emulator = emulatorWith()
    const token = emulator.idToken('google', 'client-1', { nonce: 'n', claims: { hd: 'people.example' } })
    expect(await isSigned(emulator, token)).toBe(true)
    const seconds = NOW_MS / 1000
    expect(read(token.split('.')[1])).toMatchObject({
      iss: 'https://accounts.google.com',
      aud: 'client-1',
      sub: '4815',
      nonce: 'n',
      iat: seconds,
      exp: seconds + 300,
      email: mia.email,
      email_verified: true,
      hd: 'people.example',
    })
  })

  it.each(['bad_signature', 'unknown_key', 'unsigned'] as const)(
    'with %s is not that of the provider',
    async (fault) => {
      const emulator = emulatorWith()
      expect(await isSigned(emulator, emulator.idToken('google', 'client-1', { fault }))).toBe(false)
    },
  )

  const claims: readonly [fault: Fault, claim: string, value: unknown][] = [
    ['wrong_issuer', 'iss', 'https://another-issuer.example'],
    ['wrong_audience', 'aud', 'another-client'],
    ['wrong_nonce', 'nonce', 'another-nonce'],
    ['expired', 'exp', NOW_MS / 1000 - 86_100],
    ['no_uid', 'sub', undefined],
  ]
  it.each(claims)('of the token endpoint may have the fault %s', async (fault, claim, value) => {
    const emulator = emulatorWith()
    const client = registered(emulator, findRecord('openid_connect'), NOW_MS)
    emulator.fail('openid_connect', 'token', fault)
    const { id_token } = await exchanged(client, await authorized(client))
    expect(await isSigned(emulator, String(id_token))).toBe(true)
    const said = read(String(id_token).split('.')[1]) as Record<string, unknown> // compared here
    expect(said[claim]).toBe(value)
  })
})

describe('a fault', () => {
  const answer = async (how: Fault, request = new Request(PROFILE)): Promise<Response> => {
    const emulator = emulatorWith()
    emulator.fail('github', 'profile', how)
    return emulator.fetch(request)
  }
  it('breaks the reply, the connection, or the patience of the client', async () => {
    expect((await answer('status_500')).status).toBe(500)
    await expect((await answer('malformed')).json()).rejects.toThrow(SyntaxError)
    expect((await answer('error')).status).toBe(403)
    await expect(answer('reset')).rejects.toThrow('fetch failed')
    const gone = new AbortController()
    const hanging = answer('hang', new Request(PROFILE, { signal: gone.signal }))
    gone.abort()
    await expect(hanging).rejects.toThrow('aborted')
  })

  it('hides the id, shows another, or hides the token, until cleared', async () => {
    const emulator = emulatorWith()
    const client = registered(emulator, findRecord('github'), NOW_MS)
    emulator.fail('github', 'token', 'no_token')
    const without = await exchanged(client, await authorized(client))
    expect(without['access_token']).toBeUndefined()
    emulator.clearFaults()
    const authorization = `token ${emulator.accessToken('github', 'client-1')}`
    const idNow = async (): Promise<unknown> =>
      ((await (await emulator.fetch(new Request(PROFILE, { headers: { authorization } }))).json()) as { id?: unknown })
        .id // compared
    emulator.fail('github', 'profile', 'no_uid')
    expect(await idNow()).toBeUndefined()
    emulator.fail('github', 'profile', 'other_subject')
    expect(await idNow()).toBe(48_150)
    emulator.clearFaults()
    expect(await idNow()).toBe(4815)
  })
})
