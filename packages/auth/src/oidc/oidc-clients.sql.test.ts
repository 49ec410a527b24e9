import { testDatabases } from '@gatepost/sql/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { InvalidInput } from '../errors.ts'
import { type AuthWorld, authWorld } from '../testing/auth-world.ts'
import type { OidcClientInput, OidcClients } from './clients.ts'

const SCOPED = { oidc: { scopeDisplay: { 'notes:read': 'Read notes' } } }
/** Of the password `password`, as an older site keeps it. */
const OLD_HASH =
  'scrypt$16384$seasalt$8$5$3vqv8bhuV70T8qE/sm/1JgaaAVCPji0UBOiBZ08T4YJshNUkRkzId6sCqfxxDbPrlelp7VLgYKxUQHS0Cqv4lw=='

/** Converts an unknown word to the type of a known one. */
const foreign = (text: string): never => text as never // the rules check it

/** Returns the error codes by parameter. */
async function readParamErrors(work: Promise<unknown>): Promise<readonly string[]> {
  try {
    await work
    return []
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    return error.errors.map(({ code, param }) => `${param}: ${code}`)
  }
}

describe.each(testDatabases)('clients on %s', (_name, open) => {
  let world: AuthWorld
  let clients: OidcClients
  afterEach(() => world.close())
  const start = async (): Promise<AuthWorld['auth']['kernel']['database']['db']> => {
    world = await authWorld({ settings: { idpOidc: { enabled: true } }, adapters: SCOPED }, open)
    clients = world.auth.module('oidc').clients
    return world.auth.kernel.database.db
  }

  it('are kept with everything, get a secret once, and go with their tokens', async () => {
    const db = await start()
    const owner = await world.addUser({ username: 'ada' })
    const input = {
      name: '  Notes ',
      type: 'confidential',
      scopes: ['openid', 'notes:read', 'openid'],
      defaultScopes: ['openid'],
      grantTypes: ['authorization_code', 'client_credentials'],
      responseTypes: ['code', 'id_token'],
      redirectUris: ['https://notes.example.com/callback', ' http://127.0.0.1/back '],
      postLogoutRedirectUris: ['https://notes.example.com/bye'],
      corsOrigins: ['https://notes.example.com'],
      allowUriWildcards: false,
      skipConsent: true,
      ownerId: owner.id,
      data: { tier: 'gold' },
    } as const satisfies OidcClientInput & { name: string }
    const { client, secret } = await clients.create(db, input)
    expect(client).toEqual({
      ...input,
      name: 'Notes',
      scopes: ['openid', 'notes:read'],
      redirectUris: ['https://notes.example.com/callback', 'http://127.0.0.1/back'],
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      createdAtMs: world.clock.now(),
    })
    expect(secret).toMatch(/^[a-z0-9!@#$%^&*(\-_=+)]{50}$/)
    expect(await clients.byId(db, client.id)).toEqual(client)
    expect(await clients.list(db)).toEqual([client])
    const { client: plain } = await clients.create(db, { name: 'Plain', responseTypes: ['code', 'id_token token'] })
    expect(await clients.withOrigins(db)).toEqual([client])
    expect(await clients.responseTypes(db)).toEqual(['code', 'id_token', 'id_token token'])
    await clients.remove(db, plain.id)
    const row = await db.selectFrom('allauth_idp_oidc_client').selectAll().executeTakeFirstOrThrow()
    expect(row.scopes).toBe('openid\nnotes:read')
    expect(JSON.stringify(row)).not.toContain(secret)
    expect(await clients.isSecret(db, client.id, secret ?? '')).toBe(true)
    for (const wrong of ['', `${secret}x`, row.secret]) {
      expect(await clients.isSecret(db, client.id, wrong)).toBe(false)
    }
    expect(await clients.isSecret(db, 'nobody', secret ?? '')).toBe(false)
    expect(await clients.isSecret(db, 'a\0b', secret ?? '')).toBe(false)

    const renewed = await clients.renewSecret(db, client.id)
    expect(await clients.isSecret(db, client.id, renewed)).toBe(true)
    expect(await clients.isSecret(db, client.id, secret ?? '')).toBe(false)

    const token = { type: 'at', hash: 'h', scopes: '', client_id: client.id, user_id: owner.id, data: null }
    const time = { created_at: '2026-11-21 12:00:00.000000', expires_at: null }
    await db
      .insertInto('allauth_idp_oidc_token')
      .values({ ...token, ...time })
      .execute()
    await clients.remove(db, client.id)
    expect(await clients.byId(db, client.id)).toBeNull()
    expect(await db.selectFrom('allauth_idp_oidc_token').select('id').execute()).toEqual([])
    await expect(clients.remove(db, client.id)).rejects.toMatchObject({ code: 'not_found' })
    await expect(clients.update(db, client.id, {})).rejects.toMatchObject({ code: 'not_found' })
    await expect(clients.renewSecret(db, client.id)).rejects.toMatchObject({ code: 'not_found' })
  })

  it('default to confidential clients with the openid scope; public ones have no secret', async () => {
    const db = await start()
    const { client } = await clients.create(db, { name: 'Plain' })
    expect(client).toMatchObject({
      type: 'confidential',
      scopes: ['openid'],
      grantTypes: ['authorization_code'],
      responseTypes: ['code'],
      redirectUris: [],
      skipConsent: false,
      ownerId: null,
      data: {},
    })
    const app = await clients.create(db, { name: 'App', type: 'public' })
    expect(app.secret).toBeNull()
    expect(await clients.isSecret(db, app.client.id, '')).toBe(false)
    await expect(clients.renewSecret(db, app.client.id)).rejects.toMatchObject({ code: 'permission_denied' })
    const before = await clients.renewSecret(db, client.id)
    await clients.update(db, client.id, { type: 'public' })
    await clients.update(db, client.id, { type: 'confidential' })
    expect(await clients.isSecret(db, client.id, before)).toBe(false)
  })

  it('change only the given members, atomically', async () => {
    const db = await start()
    const { client } = await clients.create(db, { name: 'Notes', postLogoutRedirectUris: ['https://a.example/'] })
    const changed = await clients.update(db, client.id, { name: 'Papers', data: { tier: 'gold' } })
    expect(changed).toEqual({ ...client, name: 'Papers', data: { tier: 'gold' } })
    expect(await clients.byId(db, client.id)).toEqual(changed)
    const outcomes = await Promise.all([
      readParamErrors(clients.update(db, client.id, { type: 'public' })),
      readParamErrors(clients.update(db, client.id, { grantTypes: ['client_credentials'] })),
    ])
    expect(outcomes.filter((refusal) => refusal.length === 0)).toHaveLength(1)
  })

  it('of an old site work, and their secrets become hashes of today', async () => {
    const db = await start()
    const old = {
      id: 'old',
      name: 'Old',
      secret: OLD_HASH,
      scopes: 'openid\r\nlegacy\n',
      type: 'confidential',
      grant_types: 'authorization_code\npassword',
      redirect_uris: 'http://intranet/callback',
      cors_origins: '',
      response_types: 'code\ntoken',
      skip_consent: false,
      created_at: '2024-01-02 03:04:05.000000',
      data: null,
      owner_id: null,
      default_scopes: '',
      allow_uri_wildcards: true,
    }
    await db.insertInto('allauth_idp_oidc_client').values(old).execute()
    const read = { scopes: ['openid', 'legacy'], grantTypes: ['authorization_code'], responseTypes: ['code'] }
    expect(await clients.byId(db, 'old')).toMatchObject({
      ...read,
      redirectUris: ['http://intranet/callback'],
      data: {},
    })
    expect(await clients.isSecret(db, 'old', 'passwort')).toBe(false)
    expect(await clients.isSecret(db, 'old', 'password')).toBe(true)
    const { secret } = await db.selectFrom('allauth_idp_oidc_client').select('secret').executeTakeFirstOrThrow()
    expect(secret).not.toBe(OLD_HASH)
    expect(await clients.isSecret(db, 'old', 'password')).toBe(true)
    expect(await clients.update(db, 'old', { name: 'Renamed' })).toMatchObject({ ...read, name: 'Renamed' })
    const grants = ['client_credentials', 'urn:ietf:params:oauth:grant-type:device_code']
    for (const [type, kept] of [
      ['public', grants.slice(1)],
      ['confidential', grants.slice(0, 1)],
    ] as const) {
      await db
        .insertInto('allauth_idp_oidc_client')
        .values({ ...old, id: type, type, grant_types: grants.join('\n') })
        .execute()
      expect((await clients.byId(db, type))?.grantTypes).toEqual(kept)
    }
  })

  it('are rejected with all errors', async () => {
    const db = await start()
    const make = (input: OidcClientInput): Promise<readonly string[]> =>
      readParamErrors(clients.create(db, { name: 'Notes', ...input }))
    expect(await make({ name: ' ' })).toEqual(['name: required'])
    expect(await make({ name: 'x'.repeat(101) })).toEqual(['name: max_length'])
    expect(await make({ name: 'a\nb' })).toEqual(['name: invalid'])
    expect(await make({ scopes: ['openid', 'everything'] })).toEqual(['scopes: invalid_choice'])
    expect(await make({ defaultScopes: ['email'] })).toEqual(['defaultScopes: invalid_choice'])
    expect(await make({ grantTypes: [foreign('password')] })).toEqual(['grantTypes: invalid_choice'])
    expect(await make({ responseTypes: [foreign('token')] })).toEqual(['responseTypes: invalid_choice'])
    expect(await make({ type: foreign('secret') })).toEqual(['type: invalid_choice'])
    expect(await make({ type: 'public', grantTypes: ['client_credentials'] })).toEqual(['grantTypes: invalid_choice'])
    const device = { grantTypes: ['urn:ietf:params:oauth:grant-type:device_code'] } as const
    expect(await make({ type: 'confidential', ...device })).toEqual(['grantTypes: invalid_choice'])
    expect(await make({ ownerId: 4711 })).toEqual(['ownerId: invalid_pk_value'])
    expect(await make({ redirectUris: ['nonsense'], corsOrigins: ['https://a.example/path'] })).toEqual([
      'redirectUris: invalid',
      'corsOrigins: invalid',
    ])
    expect(await clients.list(db)).toEqual([])
    const { client } = await clients.create(db, {
      name: 'Previews',
      scopes: ['openid', 'email'],
      defaultScopes: ['email'],
      allowUriWildcards: true,
      redirectUris: ['https://*.preview.example.org/'],
    })
    expect(await readParamErrors(clients.update(db, client.id, { allowUriWildcards: false }))).toEqual([
      'redirectUris: invalid',
    ])
    const wider = clients.update(db, client.id, { defaultScopes: ['openid', 'profile'] })
    expect(await readParamErrors(wider)).toEqual(['defaultScopes: invalid_choice'])
    expect(await clients.update(db, client.id, { scopes: ['openid'] })).toMatchObject({ defaultScopes: [] })
  })
})
