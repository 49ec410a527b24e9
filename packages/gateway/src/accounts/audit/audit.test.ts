import { afterEach, beforeEach, expect, it } from 'vitest'
import { type AccountsWorld, accountsWorld, PASSWORD } from '../../testing/accounts-world.ts'

const DAY_MS = 86_400_000

let world: AccountsWorld
beforeEach(async () => {
  world = await accountsWorld({ GATEPOST_LOG_LEVEL: 'debug' })
})
afterEach(() => world[Symbol.asyncDispose]())

type Line = Readonly<Record<string, unknown>>

/** The newest first. */
async function audit(query = ''): Promise<readonly Line[]> {
  const { body } = await world.ask('GET', `/api/audit${query}`)
  return body['items'] as readonly Line[] // the shape that openapi.test.ts holds the route to
}

it('tells who came, how, and from where', async () => {
  const ann = await world.first()
  await ann.submit('/accounts/logout/')
  await ann.submit('/accounts/login/', { login: 'ann@example.org', password: 'wrong' })
  await ann.submit('/accounts/login/', { login: 'ANN@example.org', password: 'wrong' })
  await ann.submit('/accounts/login/', { login: 'ann@example.org', password: PASSWORD })
  const password = 'another made-up passphrase'
  await ann.submit('/accounts/password/change/', { oldpassword: PASSWORD, password1: password, password2: password })
  await ann.submit('/accounts/email/', { action_add: '', email: 'ann2@example.org' })
  const lines = await audit()
  expect(lines.map(({ action }) => action).toReversed()).toEqual([
    'invitation_used',
    'user_signed_up',
    'user_logged_in',
    'user_logged_out',
    'login_failed',
    'login_failed',
    'user_logged_in',
    'password_changed',
    'email_added',
  ])
  const [added, , , failed, before] = lines
  expect(added).toMatchObject({ actor: '1', actor_kind: 'session', account: 'owner', outcome: 'ok', ip: '127.0.0.1' })
  expect(failed).toMatchObject({ actor: '-', actor_kind: 'visitor', account: null, outcome: 'refused' })
  expect(failed?.['target']).toBe(before?.['target'])
  const told = JSON.stringify([lines, world.lines])
  for (const secret of ['ann@', 'ann2@', 'ANN@', PASSWORD, password, 'wrong']) expect(told).not.toContain(secret)
})

it('tells every change by the API, done or refused, in the table and in the log', async () => {
  const ann = await world.first()
  const bo = await world.invited('bo@example.org')
  const { token, id } = (await ann.call('POST', '/api/tokens', { name: 'x' })).json() as Record<string, string> // as above
  await world.ask('DELETE', '/api/channels/telegram', { token: String(token) })
  await world.ask('GET', '/api/channels', { token: String(token) })
  await world.ask('POST', '/api/channels/telegram?account=u2', { body: { enabled: true } })
  await bo.call('POST', '/api/invitations', {})
  await bo.call('POST', '/api/tokens', {}, { 'x-csrftoken': 'x' })
  const [csrf, scope, other, disabled, created] = await audit()
  expect(created).toMatchObject({ actor: '1', actor_kind: 'session', action: 'createToken', target: id, code: null })
  expect(disabled).toMatchObject({
    actor: id,
    actor_kind: 'token',
    account: 'owner',
    action: 'disableChannel',
    target: 'telegram',
    outcome: 'refused',
    code: 'no_credentials',
  })
  expect(other).toMatchObject({ actor: 'owner', actor_kind: 'owner', account: 'u2', code: 'no_credentials' })
  expect(scope).toMatchObject({ actor: '2', account: 'u2', action: 'createInvitation', code: 'scope_missing' })
  expect(csrf).toMatchObject({ actor: '2', account: 'u2', action: 'createToken', code: 'csrf_failed' })
  const logged = world.lines.filter(({ msg }) => msg === 'Audit').map(({ action }) => action)
  expect(logged).toEqual((await audit()).map(({ action }) => action).toReversed())
  expect((await audit('?account=u2')).every(({ account }) => account === 'u2')).toBe(true)
  expect((await audit('?outcome=refused&action=createToken')).map(({ code }) => code)).toEqual(['csrf_failed'])
  expect((await audit('?q=NO_CRED')).map(({ action }) => action)).toEqual(['saveChannel', 'disableChannel'])
  for (const asked of ['q=%00', 'outcome=odd', 'q=', `q=${'x'.repeat(201)}`]) {
    expect([asked, (await world.ask('GET', `/api/audit?${asked}`)).status < 500]).toEqual([asked, true])
  }
})

it('tells staff what an app at a provider is made of', async () => {
  const { body } = await world.ask('GET', '/api/admin/providers')
  expect(body['providers']).toContainEqual({ id: 'google', name: 'Google', kind: 'oauth2', needs_app: true })
  const [google, oidc, okta, apple, openid] = await Promise.all(
    ['google', 'openid_connect', 'okta', 'apple', 'openid'].map(
      async (id) => (await world.ask('GET', `/api/admin/providers/${id}`)).body,
    ),
  )
  const names = (of: typeof google): unknown =>
    ((of?.['fields'] ?? []) as Line[]) // likewise
      .flatMap((field) => (field['in'] === 'app' || field['required'] === true ? [field['name']] : []))
  expect([google, oidc, okta, apple, openid].map(names)).toEqual([
    ['client_id', 'secret'],
    ['provider_id', 'server_url', 'client_id', 'secret'],
    ['client_id', 'secret', 'okta_base_url'],
    ['client_id', 'secret', 'key', 'certificate_key'],
    [],
  ])
  expect(oidc?.['callback_path']).toBe('/accounts/oidc/{provider_id}/login/callback/')
  expect((await world.ask('GET', '/api/admin/providers/constructor')).status).toBe(404)
})

it('hides a token or a link that somebody gives in place of its id', async () => {
  await world.first()
  const made = await world.ask('POST', '/api/tokens', { body: { name: 'x' } })
  const invited = await world.ask('POST', '/api/invitations')
  const key = String(invited.body['url']).split('/').at(-2) ?? ''
  const secrets = [String(made.body['token']), key, world.gateway().ownerToken.reveal()]
  for (const secret of secrets) {
    await world.ask('DELETE', `/api/tokens/${secret}`, { headers: { 'user-agent': `curl ${secret}` } })
    await world.ask('DELETE', `/api/invitations/${secret}`)
  }
  const lines = await audit('?limit=6')
  expect(new Set(lines.map(({ target }) => target))).toEqual(new Set(['****']))
  const told = JSON.stringify([lines, world.lines])
  expect(secrets.filter((secret) => secret.length < 43 || told.includes(secret))).toEqual([])
})

it('comes in pages, and is kept for a year', async () => {
  for (let n = 0; n < 5; n++) await world.ask('DELETE', '/api/tokens/x')
  const first = await world.ask('GET', '/api/audit?limit=3')
  const rest = await world.ask('GET', `/api/audit?limit=3&before=${String(first.body['next'])}`)
  const ids = [...(first.body['items'] as Line[]), ...(rest.body['items'] as Line[])].map(({ id }) => id) // as above
  expect([ids.length, new Set(ids).size, rest.body['next']]).toEqual([5, 5, null])
  world.advance(364 * DAY_MS)
  await world.gateway().accounts.audit.sweep()
  expect((await audit()).length).toBe(5)
  world.advance(2 * DAY_MS)
  await world.gateway().accounts.audit.sweep()
  expect(await audit()).toEqual([])
})

it('holds whatever a client calls itself', async () => {
  const name = `x\u0001\u202e${'é'.repeat(300)}`
  const sent = Buffer.from(name)
    .toString('latin1')
    .replaceAll(/[\u0000-\u001f]/g, '')
  await world.ask('DELETE', '/api/tokens/x', { headers: { 'user-agent': sent } })
  await world.ask('DELETE', `/api/tokens/${encodeURIComponent('\u0000\ud83d\ude00'.repeat(60))}`)
  const [odd, long] = await audit()
  expect([String(odd?.['target']).length <= 200, String(long?.['user_agent']).length <= 200]).toEqual([true, true])
})

it('records what staff read in other accounts, and rejected tokens, once a minute', async () => {
  await world.first()
  const cy = await world.invited('cy@example.org', true)
  const read = async (): Promise<void> => {
    await cy.get('/api/channels?account=owner')
    await cy.get('/api/channels')
    await world.ask('GET', '/api/me', { token: 'gp_wrong' })
    await world.ask('GET', '/api/me', { token: 'gp_worse' })
    await fetch(`${world.gateway().url}/mcp`, { method: 'POST', headers: { authorization: 'Bearer wrong' } })
    await fetch(`${world.gateway().url}/api/me`)
  }
  await read()
  await read()
  const rejected = { actor: '-', actor_kind: 'visitor', action: 'token_rejected', outcome: 'refused', ip: '127.0.0.1' }
  const once = [
    { ...rejected, target: 'mcp' },
    { ...rejected, target: 'whoAmI', code: 'unauthorized' },
    { actor: '2', actor_kind: 'session', account: 'owner', action: 'listChannels', outcome: 'ok' },
  ]
  expect((await audit()).slice(0, 4)).toMatchObject([...once, { action: 'user_logged_in' }])
  world.advance(60_000)
  await read()
  expect((await audit()).slice(0, 6)).toMatchObject([...once, ...once])
  expect(JSON.stringify(await audit())).not.toContain('gp_w')
})

it('records failed attempts to reauthenticate', async () => {
  const ann = await world.first()
  await ann.submit('/accounts/reauthenticate/', { password: 'wrong' })
  expect((await audit())[0]).toMatchObject({ action: 'login_failed', outcome: 'refused', ip: '127.0.0.1' })
})
