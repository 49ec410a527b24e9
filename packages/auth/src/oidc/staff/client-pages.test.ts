import { testDatabases } from '@gatepost/sql/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { type AuthWorld, authWorld } from '../../testing/auth-world.ts'
import type { Visited, Visitor } from '../../testing/visitor.ts'

const PASSWORD = 'a made-up pass phrase'
const LIST = '/accounts/admin/clients/'
const NOTES = {
  name: 'Notes',
  redirect_uris: 'https://notes.example.com/callback\r\nhttp://127.0.0.1/back\r\n',
  grant_authorization: 'on',
  grant_refresh: 'on',
  scope_openid: 'on',
  'scope_notes:read': 'on',
}

describe.each(testDatabases)('pages of clients on %s', (_name, open) => {
  let world: AuthWorld
  afterEach(() => world.close())

  async function staff(): Promise<Visitor> {
    world = await authWorld(
      {
        settings: { idpOidc: { enabled: true } },
        adapters: { oidc: { scopeDisplay: { 'notes:read': 'Read notes' } } },
      },
      open,
    )
    await world.addUser({ username: 'ada', email: 'ada@example.org', password: PASSWORD, isStaff: true })
    const visitor = world.visitor()
    await visitor.login('ada', PASSWORD)
    return visitor
  }
  const secretIn = ({ html }: Visited): string | undefined => /id="client_secret"[^>]*>([^<]*)</.exec(html)?.[1]
  const clients = () => world.auth.module('oidc').clients
  const db = () => world.auth.kernel.database.db

  it('let staff add, change and remove them; a secret is shown once', async () => {
    const ada = await staff()
    expect((await ada.get(LIST)).text).toContain('No OAuth clients yet.')
    expect((await ada.get('/accounts/email/')).html).toContain(`href="${LIST}"`)
    expect((await ada.get(`${LIST}add/`)).text).toContain('Read notes')
    const added = await ada.post(`${LIST}add/`, NOTES)
    const secret = secretIn(added) ?? ''
    expect(added.headers.get('cache-control')).toContain('no-store')
    const [client] = await clients().list(db())
    if (client === undefined) throw new Error('there is no client')
    expect(client).toMatchObject({
      name: 'Notes',
      type: 'confidential',
      scopes: ['openid', 'notes:read'],
      grantTypes: ['authorization_code', 'refresh_token'],
      redirectUris: ['https://notes.example.com/callback', 'http://127.0.0.1/back'],
      // Anyone who knows its secret can act as a client that acts on its own behalf.
      ownerId: 1,
    })
    expect(added.text).toContain(client.id)
    expect(await clients().isSecret(db(), client.id, secret)).toBe(true)

    const edit = `${LIST}${client.id}/`
    const form = await ada.get(edit)
    expect(form.html).toContain('https://notes.example.com/callback\nhttp://127.0.0.1/back</textarea>')
    expect(form.html).not.toContain(secret)
    // Members that the form doesn't have stay unchanged.
    await clients().update(db(), client.id, { responseTypes: ['code', 'id_token'], data: { tier: 'gold' } })
    const saved = await ada.follow(await ada.post(edit, { ...NOTES, name: 'Papers', skip_consent: 'on' }))
    expect([saved.at, saved.text]).toEqual([LIST, expect.stringContaining('Notes has been saved.')])
    const changed = { ...client, name: 'Papers', skipConsent: true, data: { tier: 'gold' } }
    expect(await clients().byId(db(), client.id)).toEqual({ ...changed, responseTypes: ['code', 'id_token'] })

    expect((await ada.get(`${edit}secret/`)).text).toContain('Papers will no longer be able to use its current secret.')
    const renewed = secretIn(await ada.post(`${edit}secret/`)) ?? ''
    expect(await clients().isSecret(db(), client.id, secret)).toBe(false)
    expect(await clients().isSecret(db(), client.id, renewed)).toBe(true)
    await world.addUser({ username: 'cy', email: 'cy@example.org', password: PASSWORD, isStaff: true })
    const cy = world.visitor()
    await cy.login('cy', PASSWORD)
    await cy.post(`${edit}secret/`)
    expect((await clients().byId(db(), client.id))?.ownerId).toBe(2)
    expect((await ada.get(`${edit}remove/`)).text).toContain('Users will no longer be able to sign in to Papers')
    expect((await ada.follow(await ada.post(`${edit}remove/`))).text).toContain('Papers has been removed.')
    expect(await clients().list(db())).toEqual([])
    for (const gone of ['', 'secret/', 'remove/']) expect((await ada.get(edit + gone)).status).toBe(404)
  })

  it('show errors beside each field, and keep the typed values', async () => {
    const ada = await staff()
    const wrong = { ...NOTES, name: '', redirect_uris: 'javascript:alert(1)', is_public: 'on', grant_service: 'on' }
    const refused = await ada.post(`${LIST}add/`, wrong)
    expect(refused.status).toBe(200)
    for (const id of ['id_name', 'id_redirect_uris', 'id_grant_service']) {
      expect(refused.html).toMatch(new RegExp(`id="${id}_error"><p>\\w`))
    }
    expect(refused.html).toContain('javascript:alert(1)</textarea>')
    expect(refused.html).toMatch(/name="is_public" value="on" checked/)
    const device = await ada.post(`${LIST}add/`, { ...NOTES, grant_device: 'on' })
    expect(device.html).toMatch(/id="id_grant_device_error"><p>\w/)
    const open = await ada.post(`${LIST}add/`, { ...NOTES, is_public: 'on' })
    expect([secretIn(open), open.text]).toEqual([
      undefined,
      expect.stringContaining("This client doesn't have a secret."),
    ])
  })

  it("keep a migrated site's values until staff change them", async () => {
    const ada = await staff()
    const old = {
      id: 'old',
      name: 'Old',
      secret: '!',
      scopes: 'openid\nlegacy',
      type: 'confidential',
      grant_types: 'authorization_code',
      redirect_uris: 'http://intranet/callback',
      cors_origins: '',
      response_types: 'code',
      skip_consent: false,
      created_at: '2024-01-02 03:04:05.000000',
      data: null,
      owner_id: null,
      default_scopes: '',
      allow_uri_wildcards: false,
    }
    await db().insertInto('allauth_idp_oidc_client').values(old).execute()
    const form = { name: 'Renamed', scope_openid: 'on', grant_authorization: 'on' }
    const lines = 'http://intranet/callback\r\nhttps://new.example.org/'
    expect((await ada.post(`${LIST}old/`, { ...form, redirect_uris: lines })).location).toBe(LIST)
    expect(await clients().byId(db(), 'old')).toMatchObject({
      name: 'Renamed',
      scopes: ['legacy', 'openid'],
      redirectUris: ['http://intranet/callback', 'https://new.example.org/'],
    })
    const more = await ada.post(`${LIST}old/`, { ...form, redirect_uris: `${lines}\r\nhttp://intranet/other` })
    expect(more.html).toMatch(/id="id_redirect_uris_error"><p>\w/)
  })

  it('are for recently authenticated staff', async () => {
    const ada = await staff()
    world.clock.advance(301_000)
    expect((await ada.get(LIST)).location).toBe(`/accounts/reauthenticate/?next=${LIST}`)
    expect((await ada.post(`${LIST}add/`, NOTES)).location).toContain('/accounts/reauthenticate/')
    await world.addUser({ username: 'bea', email: 'bea@example.org', password: PASSWORD })
    const bea = world.visitor()
    await bea.login('bea', PASSWORD)
    expect((await bea.get(LIST)).status).toBe(403)
    expect((await bea.post(`${LIST}add/`, NOTES)).status).toBe(403)
    expect((await bea.get('/accounts/email/')).html).not.toContain(LIST)
    expect((await world.visitor().get(LIST)).location).toBe(`/accounts/login/?next=${LIST}`)
    expect(await clients().list(db())).toEqual([])
  })
})
