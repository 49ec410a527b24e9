import { describe, expect, it } from 'vitest'
import { ProviderError } from '../exchange.ts'
import { CALLBACK, expectFailure, handshake, type HandshakeOptions, IDA, STATE } from '../oauth2/testing-handshake.ts'

const PAGE = `https://openid.example/people/${IDA.username}`
const ENDPOINT = 'https://openid.example/server'

/** A visitor who typed this. */
async function beginTypedLogin(text: string, options: HandshakeOptions = {}) {
  const world = await handshake('openid', options)
  const query = new URLSearchParams({ openid: text })
  return { ...world, begin: () => world.begin({ query }), signIn: () => world.signIn({ query }) }
}

const changeParams = (params: URLSearchParams, changes: Readonly<Record<string, string | null>>): URLSearchParams => {
  const copy = new URLSearchParams(params)
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) copy.delete(name)
    else copy.set(name, value)
  }
  return copy
}

describe('a sign-in', () => {
  it('finds the provider of what was typed, and asks it whether the answer is its own', async () => {
    const { begin, visit, finish, emulator, clock } = await beginTypedLogin(` ${PAGE}#me `)
    const begun = await begin()
    expect(Object.fromEntries(new URL(begun.url).searchParams)).toMatchObject({
      'openid.ns': 'http://specs.openid.net/auth/2.0',
      'openid.mode': 'checkid_setup',
      'openid.claimed_id': PAGE,
      'openid.identity': PAGE,
      'openid.return_to': `${CALLBACK}?state=${STATE}`,
      'openid.realm': 'https://site.example/',
      'openid.sreg.required': 'email,fullname',
    })
    const params = await visit(begun.url)
    const identity = await finish(begun, params)
    expect(identity).toMatchObject({
      uid: PAGE,
      name: `${IDA.firstName} ${IDA.lastName}`,
      firstName: IDA.firstName,
      lastName: IDA.lastName,
      emails: [{ email: IDA.email, verified: false, primary: true }],
      tokens: null,
      replay: { issuer: ENDPOINT, jti: params.get('openid.response_nonce') },
    })
    expect(identity.replay?.expiresAtMs).toBeGreaterThan(clock.now())
    const last = emulator.requests.at(-1)
    expect([last?.method, last?.url]).toEqual(['POST', ENDPOINT])
    expect(new URLSearchParams(last?.body).get('openid.mode')).toBe('check_authentication')
    await expectFailure(finish(begun, params))
  })

  it('can start at the provider, which then chooses the identifier', async () => {
    const { begin, visit, finish } = await beginTypedLogin(ENDPOINT)
    const begun = await begin()
    expect(new URL(begun.url).searchParams.get('openid.claimed_id')).toMatch(/identifier_select$/)
    expect((await finish(begun, await visit(begun.url))).uid).toBe(PAGE)
  })

  it('asks for an address and further attributes only when it should', async () => {
    const { begin, visit, finish } = await beginTypedLogin(PAGE, { queryEmail: false })
    const begun = await begin()
    expect(begun.url).not.toMatch(/sreg|axschema/)
    expect(await finish(begun, await visit(begun.url))).toMatchObject({ uid: PAGE, emails: [], extraData: {} })
    const attributes = [
      ['handle', 'http://axschema.org/namePerson', true],
      ['x', 'urn:x', false],
    ]
    const SERVERS = [{ openid_url: 'https://openid.example/', extra_attributes: attributes }]
    const more = await beginTypedLogin(PAGE, { providerSettings: { SERVERS, REALM: 'https://site.example/accounts/' } })
    const asked = new URL((await more.begin()).url).searchParams
    expect(asked.get('openid.realm')).toBe('https://site.example/accounts/')
    expect([...asked.values()]).toContain('urn:x')
    expect((await more.signIn()).extraData['handle']).toBe(`${IDA.firstName} ${IDA.lastName}`)
  })
})

describe('an assertion', () => {
  it('is refused when it is of another provider, session or time, or was changed', async () => {
    const { begin, visit, finish, clock } = await beginTypedLogin(PAGE)
    const begun = await begin()
    const good = await visit(begun.url)
    const forged: readonly Readonly<Record<string, string | null>>[] = [
      { 'openid.op_endpoint': 'https://evil.example/' },
      { 'openid.return_to': `${CALLBACK}?state=another` },
      { state: 'another' },
      { 'openid.ns': 'http://openid.net/signon/1.1' },
      { 'openid.mode': 'error' },
      { 'openid.mode': null },
      { 'openid.sig': 'AAAA' },
      { 'openid.response_nonce': '2020-01-01T00:00:00Zx' },
      { 'openid.response_nonce': 'never' },
      { 'openid.claimed_id': 'https://openid.example/people/another' },
      { 'openid.identity': 'https://openid.example/people/another' },
      { 'openid.claimed_id': null },
      { 'openid.signed': 'op_endpoint,return_to,response_nonce,assoc_handle' },
    ]
    for (const changes of forged) {
      const fresh = await begin()
      await expectFailure(finish(fresh, changeParams(await visit(fresh.url), changes)))
    }
    const twice = new URLSearchParams(good)
    twice.append('openid.claimed_id', PAGE)
    await expectFailure(finish(begun, twice))
    await expectFailure(finish({ ...begun, kept: {} }, good))
    await expectFailure(finish(begun, new URLSearchParams()))
    clock.advance(7 * 3_600_000)
    await expectFailure(finish(begun, good))
  })

  it('may be a refusal', async () => {
    const { emulator, begin, visit, finish } = await beginTypedLogin(PAGE)
    emulator.fail('openid', 'authorize', 'denied')
    const begun = await begin()
    const refused = visit(begun.url).then((params) => finish(begun, params))
    await expect(refused).rejects.toMatchObject({ code: 'cancelled' })
  })

  it('believes only what was signed', async () => {
    const { begin, visit, finish } = await beginTypedLogin(PAGE)
    const begun = await begin()
    const good = await visit(begun.url)
    const names = (good.get('openid.signed') ?? '').split(',')
    const bare = names.filter((name) => !/^(sreg|ax|ns)\./.test(name)).join(',')
    // Leaving out a signed member changes the signed content.
    await expectFailure(finish(begun, changeParams(good, { 'openid.signed': bare })))
    const again = await begin()
    const added = changeParams(await visit(again.url), {
      'openid.sreg.nickname': 'root',
      'openid.ns.x': 'http://openid.net/extensions/sreg/1.1',
      'openid.x.email': 'root@site.example',
    })
    expect((await finish(again, added)).emails).toMatchObject([{ email: IDA.email }])
  })

  it('counts only for an identifier whose page names this provider', async () => {
    // The provider of the evil page answers for somebody else's identifier, and stands by it.
    const evil = 'https://evil.example/op'
    const page = (endpoint: string): Response =>
      new Response(`<html><head><link rel="openid2.provider" href="${endpoint}"></head></html>`, {
        headers: { 'content-type': 'text/html' },
      })
    const { begin, finish, clock } = await beginTypedLogin('https://evil.example/', {
      fetch: async ({ url }) =>
        url.startsWith(evil)
          ? new Response('ns:x\nis_valid:true\n')
          : page(url.startsWith('https://evil.example/') ? evil : ENDPOINT),
    })
    const begun = await begin()
    const assertion = (claimed: string): URLSearchParams =>
      new URLSearchParams({
        state: STATE,
        'openid.ns': 'http://specs.openid.net/auth/2.0',
        'openid.mode': 'id_res',
        'openid.op_endpoint': evil,
        'openid.claimed_id': claimed,
        'openid.identity': claimed,
        'openid.return_to': `${CALLBACK}?state=${STATE}`,
        'openid.response_nonce': `${new Date(clock.now()).toISOString().slice(0, 19)}Zx`,
        'openid.assoc_handle': 'h',
        'openid.signed': 'op_endpoint,claimed_id,identity,return_to,response_nonce,assoc_handle',
        'openid.sig': 'AAAA',
      })
    await expectFailure(finish(begun, assertion(PAGE)))
    const forOthers = { 'openid.return_to': `https://another-site.example/?state=${STATE}` }
    await expectFailure(finish(begun, changeParams(assertion('https://evil.example/'), forOthers)))
    for (const name of ['op_endpoint', 'claimed_id', 'identity', 'return_to', 'response_nonce', 'assoc_handle']) {
      const params = assertion('https://evil.example/')
      const signed = params
        .get('openid.signed')
        ?.split(',')
        .filter((member) => member !== name)
      await expectFailure(finish(begun, changeParams(params, { 'openid.signed': signed?.join(',') ?? '' })))
    }
    expect((await finish(begun, assertion('https://evil.example/'))).uid).toBe('https://evil.example/')
    expect((await finish(begun, assertion('https://evil.example/other'))).uid).toBe('https://evil.example/other')
  })
})

describe('Steam', () => {
  it('signs a user in, with more data from its Web API', async () => {
    const { emulator, begin, visit, finish } = await handshake('steam')
    const begun = await begin()
    expect(begun.url).toMatch(/^https:\/\/steamcommunity\.com\/openid\/login\?/)
    const good = await visit(begun.url)
    const { uid, username, firstName, lastName, extraData } = await finish(begun, good)
    expect(emulator.expected('steam', IDA)).toMatchObject({ uid, username, firstName, lastName })
    expect(JSON.stringify(extraData)).not.toContain('a-made-up-secret')
    for (const claimed of [
      'https://steamcommunity.com/openid/id/',
      'https://steamcommunity.com.evil.example/openid/id/1',
      'https://steamcommunity.com/openid/id/1/../2',
    ]) {
      await expectFailure(finish(begun, changeParams(good, { 'openid.claimed_id': claimed })))
    }
    for (const how of ['status_500', 'malformed', 'other_subject'] as const) {
      const again = await begin()
      const params = await visit(again.url)
      emulator.fail('steam', 'profile', how)
      await expectFailure(finish(again, params))
      emulator.clearFaults()
    }
  })

  it.each([
    ['Ida Bär', 'Ida', 'Bär'],
    ['Ida', 'Ida', ''],
    ['Ida von Bär', 'Ida von Bär', ''],
    [undefined, '', ''],
  ])('parts the name %s', async (realname, firstName, lastName) => {
    const { emulator } = await handshake('steam')
    const world = await handshake('steam', {
      fetch: async (request) =>
        request.url.includes('api.steampowered')
          ? Response.json({ response: { players: [{ steamid: IDA.id, ...(realname !== undefined && { realname }) }] } })
          : request.method === 'POST'
            ? new Response('is_valid:true')
            : emulator.fetch(request),
    })
    expect(await world.signIn()).toMatchObject({ username: IDA.id, firstName, lastName })
  })
})

it('never shows what a stranger answered', async () => {
  const { begin } = await beginTypedLogin('https://stranger.example/', {
    fetch: async () => new Response('secret of an inner page', { status: 418 }),
  })
  const error: unknown = await begin().catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(ProviderError)
  expect(error).toMatchObject({ message: 'the discovery of an OpenID was answered with status 418' })
})
