import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { GatewayRoute } from '../server/gateway-route.ts'
import { type AccountsWorld, accountsWorld } from '../testing/accounts-world.ts'
import type { BrowserSession } from '../testing/browser-session.ts'
import { fakeAccounts } from '../testing/fake-accounts.ts'
import { fakeChannels } from '../testing/fake-channels.ts'
import { SCOPES } from './caller.ts'
import { gatewayRoutes } from './routes.ts'

/** The whole table, as it is served. */
const routes = gatewayRoutes({ ...fakeAccounts(), channels: fakeChannels() })
const named = (of: (route: GatewayRoute) => boolean): readonly (readonly [string, GatewayRoute])[] =>
  routes.filter(of).map((route) => [`${route.method} ${route.path}`, route] as const)

const BODIES: Readonly<Record<string, unknown>> = {
  saveChannel: { enabled: true },
  sendMessage: { message: 'hi' },
  previewMessage: { message: 'hi' },
  answerSetup: { values: { bot_token: 'x' } },
  createToken: { name: 'x' },
  changeAccount: { staff: true },
}

let world: AccountsWorld
/** Not of staff; the account is `u2`. */
let bo: BrowserSession
let boToken: string
/** By the scope that each of them lacks. */
const lacking = new Map<string, string>()
beforeAll(async () => {
  world = await accountsWorld()
  const ann = await world.first()
  bo = await world.invited('bo@example.org')
  const createTokenFor = async (by: BrowserSession, scopes: readonly string[]): Promise<string> =>
    (/"token":"([^"]+)"/.exec((await by.call('POST', '/api/tokens', { name: 'x', scopes })).text) ?? [])[1] ?? ''
  const without = (left: string): readonly string[] => [...SCOPES].filter((scope) => scope !== left)
  boToken = await createTokenFor(bo, without('admin'))
  for (const scope of SCOPES) lacking.set(scope, await createTokenFor(ann, without(scope)))
})
afterAll(() => world[Symbol.asyncDispose]())

type Headers = Readonly<Record<string, string>>

async function ask(route: GatewayRoute, headers: Headers, query = ''): Promise<readonly unknown[]> {
  const path = route.path.replace('{platform}', 'telegram').replace('{id}', 'x')
  const body = BODIES[route.id]
  const answer = await fetch(`${world.gateway().url}${path}${query}`, {
    method: route.method,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return [answer.status, await answer.json()]
}
const refusal = (status: number, code: string): unknown => [status, { ok: false, code, error: expect.any(String) }]
const unauthorized = refusal(401, 'unauthorized')
const cookie = (): string => [...bo.cookies].map((pair) => pair.join('=')).join('; ')
const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` })
const csrf = (): Headers => ({ cookie: cookie(), 'x-csrftoken': bo.cookies.get('csrftoken') ?? '' })

it('has routes of every scope, and each names one', () => {
  expect(new Set(routes.map(({ scope }) => scope))).toEqual(SCOPES)
})

describe.each(named(() => true))('%s', (_name, route) => {
  it('is for nobody who is not known', async () => {
    expect(await ask(route, {})).toEqual(unauthorized)
    for (const given of ['Bearer x', `Bearer gp_${'x'.repeat(43)}`, 'Basic eDp5', 'Bearer', `Token ${boToken}`]) {
      expect(await ask(route, { authorization: given })).toEqual(unauthorized)
    }
    expect(await ask(route, { cookie: 'sessionid=made-up; csrftoken=x' })).toEqual(unauthorized)
  })

  it('lets the Authorization header win over a session', async () => {
    expect(await ask(route, { ...csrf(), ...bearer('x') })).toEqual(unauthorized)
  })

  it('needs its scope', async () => {
    expect(await ask(route, bearer(lacking.get(route.scope) ?? ''))).toEqual(refusal(403, 'scope_missing'))
  })
})

it.each(named(({ scope }) => scope === 'admin'))('%s is not for people who are not staff', async (_name, route) => {
  expect(await ask(route, csrf())).toEqual(refusal(403, 'scope_missing'))
  expect(await ask(route, bearer(boToken))).toEqual(refusal(403, 'scope_missing'))
})

describe.each(named(({ perAccount }) => perAccount === true))('%s', (_name, route) => {
  it('shows no other account to people, and not whether it is there', async () => {
    for (const account of ['owner', 'u2', 'u99']) {
      expect(await ask(route, bearer(boToken), `?account=${account}`)).toEqual(refusal(404, 'unknown_account'))
      expect(await ask(route, csrf(), `?account=${account}`)).toEqual(refusal(404, 'unknown_account'))
    }
  })

  it('tells staff that an account is not there', async () => {
    const owner = bearer(world.gateway().ownerToken.reveal())
    expect(await ask(route, owner, '?account=u99')).toEqual(refusal(404, 'unknown_account'))
    const notAdmin = bearer(lacking.get('admin') ?? '')
    expect(await ask(route, notAdmin, '?account=u2')).toEqual(refusal(404, 'unknown_account'))
  })
})

it.each(named(({ method }) => method !== 'GET'))('%s needs, with a session, a page of ours', async (_name, route) => {
  expect(await ask(route, { cookie: cookie() })).toEqual(refusal(403, 'csrf_failed'))
  expect(await ask(route, { ...csrf(), 'x-csrftoken': 'x'.repeat(32) })).toEqual(refusal(403, 'csrf_failed'))
  const foreign = refusal(403, 'foreign_origin')
  expect(await ask(route, { ...csrf(), origin: 'https://other.example.org' })).toEqual(foreign)
  expect(await ask(route, { ...csrf(), origin: 'null' })).toEqual(foreign)
  expect(await ask(route, { ...csrf(), 'sec-fetch-site': 'cross-site' })).toEqual(foreign)
})
