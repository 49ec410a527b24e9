import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type AccountsWorld, accountsWorld, PASSWORD } from '../testing/accounts-world.ts'
import type { BrowserSession } from '../testing/browser-session.ts'

let world: AccountsWorld
/** Staff, in the account of the owner token. */
let ann: BrowserSession
/** In `u2`. */
let bo: BrowserSession
beforeEach(async () => {
  world = await accountsWorld()
  ann = await world.first()
  bo = await world.invited('bo@example.org')
})
afterEach(() => world[Symbol.asyncDispose]())

const change = (account: string, body: unknown, by = ann): ReturnType<BrowserSession['call']> =>
  by.call('PATCH', `/api/accounts/${account}`, body)
const changeAsOwner = (account: string, body: object): ReturnType<AccountsWorld['ask']> =>
  world.ask('PATCH', `/api/accounts/${account}`, { body })
async function createTokenFor(by: BrowserSession, body: object = {}, query = ''): Promise<string> {
  const made = await by.call('POST', `/api/tokens${query}`, { name: 'x', ...body })
  return String((made.json() as { token: unknown }).token) // the shape that openapi.test.ts holds the route to
}
const statusWith = async (token: string, path = '/api/channels'): Promise<number> =>
  (await world.ask('GET', path, { token })).status

describe('staff', () => {
  it('make somebody staff, and take it back: their session and tokens follow at once', async () => {
    const made = await change('u2', { staff: true })
    expect([made.status, made.json()]).toMatchObject([200, { id: 'u2', user: { staff: true, active: true } }])
    const token = await createTokenFor(bo, { scopes: ['admin', 'channels:read'] })
    expect([(await bo.get('/api/audit')).status, await statusWith(token, '/api/audit')]).toEqual([200, 200])
    await change('u2', { staff: false })
    expect([(await bo.get('/api/audit')).status, await statusWith(token, '/api/audit')]).toEqual([403, 403])
    expect([(await bo.get('/api/channels')).status, await statusWith(token)]).toEqual([200, 200])
  })

  it('do not change what they are themselves, also not by a token', async () => {
    const token = await createTokenFor(ann, { scopes: ['admin'] })
    for (const body of [{ staff: false }, { active: false }, { staff: true }]) {
      expect((await change('owner', body)).json()).toMatchObject({ code: 'own_account' })
      const byToken = await world.ask('PATCH', '/api/accounts/owner', { token, body })
      expect([byToken.status, byToken.body]).toMatchObject([409, { code: 'own_account' }])
    }
  })

  it('leave the account of the owner token to the owner token', async () => {
    await change('u2', { staff: true })
    const { body } = await world.ask('POST', '/api/tokens', { body: { name: 'x', scopes: ['admin'] } })
    expect((await change('owner', { active: false }, bo)).json()).toMatchObject({ code: 'owner_account' })
    const token = String(body['token'])
    expect((await world.ask('PATCH', '/api/accounts/owner', { token, body: { staff: false } })).body).toMatchObject({
      code: 'owner_account',
    })
    expect((await changeAsOwner('owner', { active: false })).status).toBe(200)
    expect((await ann.get('/api/me')).status).toBe(401)
    expect([await statusWith(token), (await world.ask('GET', '/api/me')).status]).toEqual([403, 200])
  })

  it('who lose their rights cannot come back by an invitation they have made', async () => {
    await change('u2', { staff: true })
    const url = (answer: unknown): string => String((answer as { url: unknown }).url) // as above
    const bySession = url((await bo.call('POST', '/api/invitations', { staff: true })).json())
    const token = await createTokenFor(bo, { scopes: ['admin'] })
    const byToken = url((await world.ask('POST', '/api/invitations', { token, body: { staff: true } })).body)
    const others = url((await ann.call('POST', '/api/invitations', {})).json())
    await change('u2', { staff: false })
    const open = async (link: string): Promise<number> => (await world.browser().get(link)).status
    expect([await open(bySession), await open(byToken), await open(others)]).toEqual([404, 404, 302])
  })
})

describe('an account that is disabled', () => {
  it('is signed out at once, cannot sign in, and no token acts in it, whoever made it', async () => {
    const tokens = [await createTokenFor(bo), await createTokenFor(ann, {}, '?account=u2')]
    const { body } = await world.ask('POST', '/api/tokens?account=u2', { body: { name: 'x' } })
    tokens.push(String(body['token']))
    const states = (): Promise<number[]> => Promise.all(tokens.map((token) => statusWith(token)))
    expect(await states()).toEqual([200, 200, 200])
    await change('u2', { active: false })
    expect([(await bo.get('/api/me')).status, ...(await states())]).toEqual([401, 401, 401, 401])
    const other = world.browser()
    await other.submit('/accounts/login/', { login: 'bo@example.org', password: PASSWORD })
    expect((await other.get('/api/me')).status).toBe(401)
    // Staff go on seeing it.
    expect((await ann.get('/api/channels?account=u2')).status).toBe(200)
  })

  it('is enabled with its tokens, not with its sessions', async () => {
    const token = await createTokenFor(bo)
    await changeAsOwner('u2', { active: false })
    expect((await changeAsOwner('u2', { active: true })).body).toMatchObject({ user: { active: true } })
    expect([await statusWith(token), (await bo.get('/api/me')).status]).toEqual([200, 401])
    await bo.submit('/accounts/login/', { login: 'bo@example.org', password: PASSWORD })
    expect((await bo.get('/api/me')).status).toBe(200)
  })
})

it('is in the audit log of that account, done or refused', async () => {
  await change('u2', { staff: true, active: true })
  await change('owner', { active: false }, bo)
  const { body } = await world.ask('GET', '/api/audit?limit=2')
  expect(body['items']).toMatchObject([
    { action: 'changeAccount', actor: '2', account: 'owner', target: 'owner', code: 'owner_account' },
    { action: 'changeAccount', actor: '1', account: 'u2', target: 'u2 staff=true active=true', outcome: 'ok' },
  ])
})

const refused: readonly [why: string, account: string, body: unknown, status: number, code: string][] = [
  ['no such account', 'u99', { staff: true }, 404, 'unknown_account'],
  ['a name that leads elsewhere', '..%2Fu2', { staff: true }, 404, 'unknown_account'],
  ['nothing to change', 'u2', {}, 422, 'invalid_body'],
  ['no body', 'u2', undefined, 415, 'unsupported_media_type'],
  ['a text for a truth', 'u2', { staff: 'true' }, 422, 'invalid_body'],
  ['more than may be changed', 'u2', { active: true, is_superuser: true }, 422, 'invalid_body'],
]
it.each(refused)('refuses %s', async (_why, account, body, status, code) => {
  const answer = await world.ask('PATCH', `/api/accounts/${account}`, body === undefined ? {} : { body })
  expect([answer.status, answer.body]).toMatchObject([status, { code }])
})

it('is not for the account that nobody has yet', async () => {
  await using fresh = await accountsWorld()
  const answer = await fresh.ask('PATCH', '/api/accounts/owner', { body: { active: false } })
  expect([answer.status, answer.body]).toMatchObject([404, { code: 'unknown_account' }])
})
