import type { SocialApps } from './social-apps.ts'
import { testDatabases } from '@gatepost/sql/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { createSealer } from '../../kernel/crypto/crypto.ts'
import { type SocialBench, socialBench } from '../testing-bench.ts'

let bench: SocialBench
afterEach(() => bench.world.close())

const SERVER = { server_url: 'https://id.example.org' }
const LONG = 's'.repeat(191)

describe.each(testDatabases)('apps at providers on %s', (_name, open) => {
  it('are kept sealed, whatever their length, and shown without their secrets', async () => {
    bench = await socialBench({}, { open })
    const { auth } = bench
    const { db } = auth.kernel.database
    const { apps } = auth.module('social')
    const settings = {
      certificate_key: '-----BEGIN',
      advanced: { private_key: 'pk', x509cert: 'public' },
      scope: ['a'],
    }
    const created = await apps.create(db, {
      provider: 'apple',
      name: ' Apple ',
      clientId: 'org.example',
      secret: LONG,
      key: 'team',
      settings,
    })
    const masked = { certificate_key: '****', advanced: { private_key: '****', x509cert: 'public' }, scope: ['a'] }
    expect(created).toEqual({
      id: 1,
      provider: 'apple',
      providerId: '',
      name: 'Apple',
      clientId: 'org.example',
      hasSecret: true,
      hasKey: true,
      settings: masked,
      source: 'database',
      loginPath: '/accounts/apple/login/',
      callbackPath: '/accounts/apple/login/callback/',
    })
    const stored = JSON.stringify(await db.selectFrom('socialaccount_socialapp').selectAll().execute())
    expect(stored).not.toContain(LONG)
    expect(stored).not.toMatch(/-----BEGIN|pk\\?"|"team"/)
    expect(stored).toContain('public')
    expect(await apps.list(db, { provider: 'apple' })).toEqual([
      expect.objectContaining({ id: 1, secret: LONG, key: 'team', settings, providerSettings: {} }),
    ])

    const changed = await apps.update(db, 1, { secret: '****', settings: { ...masked, hidden: true } })
    expect(changed).toMatchObject({ hasSecret: true, settings: { ...masked, hidden: true } })
    const [app] = await apps.list(db, { provider: 'apple' })
    expect(app).toMatchObject({ secret: LONG, settings: { ...settings, hidden: true } })
    await apps.update(db, 1, { secret: 'short', key: '' })
    expect(await apps.list(db, { clientId: 'org.example' })).toMatchObject([{ secret: 'short', key: '' }])
    expect((await apps.shown(db)).map(({ source, clientId }) => `${source} ${clientId}`)).toEqual([
      'database org.example',
      'settings google-app',
      'settings github-app',
      'settings twitter-app',
    ])
    await apps.remove(db, 1)
    await expect(apps.remove(db, 1)).rejects.toMatchObject({ code: 'not_found' })
    await expect(apps.update(db, 2 ** 40, {})).rejects.toMatchObject({ code: 'not_found' })
  })

  it('of an old site are read as they are, on the sites that they are linked to, and left out when they cannot be opened', async () => {
    bench = await socialBench({ sitesEnabled: true, siteId: 2 }, { open })
    const { auth, world } = bench
    const { db } = auth.kernel.database
    await db
      .insertInto('django_site')
      .values([1, 2].map((id) => ({ id, domain: `${id}.test`, name: `${id}` })))
      .execute()
    const other = createSealer(['another made-up key, long enough to be one'])
    const row = { provider: 'github', name: '', key: '', provider_id: '', settings: '{}' }
    const clear = { ...row, secret: 'in the clear' }
    await db
      .insertInto('socialaccount_socialapp')
      .values([
        { ...clear, client_id: 'everywhere' },
        { ...clear, client_id: 'here' },
        { ...clear, client_id: 'elsewhere' },
        { ...row, client_id: 'unreadable', secret: `sealed:${other.seal('x', 'gatepost app secret')}` },
        { ...clear, client_id: 'unknown', provider: 'not_a_provider' },
      ])
      .execute()
    const ids = await db.selectFrom('socialaccount_socialapp').select(['id', 'client_id']).execute()
    const findAppId = (name: string): number => ids.find(({ client_id }) => client_id === name)?.id ?? 0
    await db
      .insertInto('socialaccount_socialapp_sites')
      .values([
        { socialapp_id: findAppId('here'), site_id: 2 },
        { socialapp_id: findAppId('elsewhere'), site_id: 1 },
      ])
      .execute()
    const listed = (await auth.module('social').apps.list(db)).filter(({ id }) => id !== null)
    expect(listed).toMatchObject([
      { clientId: 'everywhere', secret: 'in the clear' },
      { clientId: 'here', secret: 'in the clear' },
    ])
    expect(world.logged.map(({ level, fields }) => [level, fields['app']])).toEqual([
      ['error', findAppId('unreadable')],
    ])
    expect(await auth.module('social').apps.shown(db)).toContainEqual(
      expect.objectContaining({ clientId: 'unreadable', hasSecret: true, settings: {} }),
    )
    await auth.module('social').apps.update(db, findAppId('here'), { name: 'Sealed now' })
    const after = await db
      .selectFrom('socialaccount_socialapp')
      .select('secret')
      .where('client_id', '=', 'here')
      .execute()
    expect(after).toEqual([{ secret: expect.stringMatching(/^sealed:/) }])
    const created = await auth.module('social').apps.create(db, { provider: 'github', clientId: 'new' })
    const linked = await db.selectFrom('socialaccount_socialapp_sites').selectAll().execute()
    expect(linked).toContainEqual(expect.objectContaining({ socialapp_id: created.id, site_id: 2 }))
  })
})

it('are refused when their provider could not use them', async () => {
  bench = await socialBench()
  const { auth } = bench
  const { db } = auth.kernel.database
  const refused = async (input: Parameters<SocialApps['create']>[1]): Promise<unknown> =>
    auth
      .module('social')
      .apps.create(db, input)
      .catch((error: unknown) => error)
  const errors = (...given: readonly string[]): object => ({
    errors: given.map((text) => ({ code: text.split(' ')[0], param: text.split(' ')[1] })),
  })
  expect(await refused({ provider: 'gogle', clientId: 'x' })).toMatchObject(errors('unknown_provider provider'))
  expect(await refused({ provider: 'google', name: 'n'.repeat(41) })).toMatchObject(
    errors('max_length name', 'required client_id'),
  )
  expect(await refused({ provider: 'google', clientId: 'a\0b', settings: { hidden: 'x' } })).toMatchObject(
    errors('null_characters_not_allowed client_id', 'invalid settings'),
  )
  expect(await refused({ provider: 'openid_connect', clientId: 'x' })).toMatchObject(
    errors('required provider_id', 'invalid settings'),
  )
  const openid = { provider: 'openid_connect', clientId: 'x', settings: SERVER }
  expect(await refused({ ...openid, providerId: 'a/b' })).toMatchObject(errors('invalid provider_id'))
  expect(await refused({ ...openid, providerId: 'google' })).toMatchObject(errors('invalid provider_id'))
  expect(await refused({ provider: 'saml', clientId: '..' })).toMatchObject(errors('invalid client_id'))
  expect(await refused({ provider: 'saml', clientId: 'one' })).toMatchObject({ loginPath: '/accounts/saml/one/login/' })
  expect(await refused({ provider: 'saml', clientId: 'two' })).toMatchObject(errors('invalid provider_id'))
  expect(await refused({ ...openid, providerId: 'ours' })).toMatchObject({
    loginPath: '/accounts/oidc/ours/login/',
    callbackPath: '/accounts/oidc/ours/login/callback/',
  })
  expect(await refused({ ...openid, providerId: 'ours' })).toMatchObject(errors('invalid provider_id'))
})

it.each([
  { server_url: 'javascript:alert(1)' },
  { server_url: 'ftp://id.example.org' },
  { ...SERVER, endpoints: { authorize_url: 'java\nscript:alert(1)' } },
  { ...SERVER, icons: ['data:text/html,x'] },
])('are refused with a URL that runs code: %j', async (settings) => {
  bench = await socialBench()
  const { auth } = bench.world
  const { apps } = auth.module('social')
  const app = { provider: 'openid_connect', providerId: 'main', clientId: 'x', name: 'Main' }
  await expect(apps.create(auth.kernel.database.db, { ...app, settings })).rejects.toMatchObject({
    errors: [{ code: 'invalid', param: 'settings' }],
  })
})

it('of the provider that believes everything are of no use but in development', async () => {
  const at = async (development: boolean) => {
    const { world, auth } = await socialBench({ development, emailHost: 'mail.example.org' })
    const { db } = auth.kernel.database
    const dummy = { provider: 'dummy', provider_id: '', name: '', client_id: '', secret: '', key: '', settings: '{}' }
    await db.insertInto('socialaccount_socialapp').values(dummy).execute()
    const created = await auth
      .module('social')
      .apps.create(db, { provider: 'dummy' })
      .catch((error: unknown) => error)
    const listed = await auth.module('social').apps.list(db, { provider: 'dummy' })
    const offered = (await auth.module('social').entries()).filter(({ id }) => id === 'dummy')
    await world.close()
    return { created, listed: listed.length, offered: offered.length }
  }
  expect(await at(true)).toMatchObject({ created: { provider: 'dummy' }, listed: 2, offered: 1 })
  const unknown = { errors: [{ code: 'unknown_provider', param: 'provider' }] }
  expect(await at(false)).toMatchObject({ created: unknown, listed: 0, offered: 0 })
})

it('of one provider are distinguished by client, or by being hidden', async () => {
  const one = { client_id: 'one', secret: 's' }
  const providers = {
    google: { APPS: [one, { ...one, client_id: 'two', settings: { hidden: true } }] },
    github: { APPS: [one, { ...one, client_id: 'two' }] },
    openid_connect: { APP: { ...one, provider_id: 'ours', name: 'Ours', settings: SERVER } },
    dummy: { APPS: [{ colour: 'red' }] },
  }
  bench = await socialBench(
    { socialaccount: { providers, openidConnectUrlPrefix: '' } },
    { adapters: { social: { authenticationError: () => {} } } },
  )
  expect(bench.world.logged.map(({ message }) => message)).toEqual([
    'SOCIALACCOUNT_PROVIDERS.dummy.APPS.0.colour is not known, and is left alone.',
    'The adapter has authenticationError, an old form of onAuthenticationError',
  ])
  await bench.browser().run(async (request, social) => {
    const { adapter } = social
    expect(await adapter.getApp(request, 'google')).toMatchObject({ clientId: 'one' })
    expect(await adapter.getApp(request, 'google', 'two')).toMatchObject({ clientId: 'two' })
    await expect(adapter.getApp(request, 'github')).rejects.toMatchObject({ code: 'settings_invalid' })
    expect(await adapter.getApp(request, 'github', 'two')).toMatchObject({ clientId: 'two' })
    await expect(adapter.getApp(request, 'twitter')).rejects.toMatchObject({ code: 'not_found' })
    expect((await adapter.listProviders(request)).map(({ id, name }) => `${id} ${name}`)).toEqual([
      'google Google',
      'github GitHub',
      'github GitHub',
      'ours Ours',
      'dummy Dummy',
    ])
    expect(await adapter.getProvider(request, 'ours')).toMatchObject({
      id: 'ours',
      supportsToken: true,
      openidConfigurationUrl: 'https://id.example.org/.well-known/openid-configuration',
      loginPath: '/accounts/ours/login/',
    })
    expect(await social.loadProviderName(request.db, 'ours')).toBe('Ours')
  })
})
