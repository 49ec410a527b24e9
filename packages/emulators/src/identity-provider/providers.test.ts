import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { identityProviderEmulator, type Served } from './emulator.ts'
import { extractProfile } from './testing/extracted.ts'
import { authorized, exchanged, profiled, registered } from './testing/generic-client.ts'
import { providerRecords } from './testing/provider-records.ts'

const NOW_MS = 1_900_000_000_000
const io = { now: () => NOW_MS, random: randomBytes }
const mia = {
  id: '48151623',
  email: 'mia@people.example',
  emailVerified: true,
  username: 'mia.m',
  firstName: 'Mia',
  lastName: 'Möller',
}

it('stands in for every provider there is', () => {
  const emulator = identityProviderEmulator(io)
  expect(emulator.providers.toSorted()).toEqual(providerRecords.map(({ id }) => id).toSorted())
})

describe('addresses', () => {
  const emulator = identityProviderEmulator(io)
  const kinds = ['authorize_url', 'request_token_url', 'token_url', 'profile_url', 'email_url', 'jwks_url'] as const
  it.each(providerRecords.map((record) => [record.id, record] as const))(
    'of %s are those of the documents',
    (id, record) => {
      const known = emulator.endpoints(id)
      const wanted = kinds.filter((kind) => record[kind] !== null && !record[kind].includes('{'))
      expect(wanted.map((kind) => known[kind])).toEqual(wanted.map((kind) => record[kind]))
      for (const kind of kinds) expect(known[kind] === undefined).toBe(record[kind] === null)
      if (record.id_token_issuer?.startsWith('https:')) expect(known['issuer']).toBe(record.id_token_issuer)
    },
  )
})

describe.each([
  ['real', false],
  ['served', true],
] as const)('a client written from the documents, at the %s addresses', (_which, isServed) => {
  const emulator = identityProviderEmulator(io)
  let served: Served | null = null
  beforeAll(async () => {
    served = isServed ? await emulator.listen() : null
  })
  afterAll(() => served?.close())
  const oauth2 = providerRecords.filter(({ protocol }) => protocol === 'oauth2' || protocol === 'oidc')
  it.each(oauth2.map((record) => [record.id, record] as const))('signs a person in at %s', async (id, record) => {
    emulator.signIn(mia)
    const client = registered(emulator, record, NOW_MS)
    const callback = await authorized(client)
    expect(callback.get('state')).toBe('state-1')
    const reply = await exchanged(client, callback)
    const profile = await profiled(client, reply, callback)
    expect(extractProfile(record, profile)).toEqual(emulator.expected(id, mia))
  })
})
