import { describe, expect, it } from 'vitest'
import { expectFailure, handshake } from './testing-handshake.ts'
import { CODE, createScriptedFetch, signIn } from './testing-script.ts'

describe('token replies', () => {
  const user = '{"id": 7, "login": "ida"}'
  const good: readonly [why: string, reply: () => Response][] = [
    ['JSON', () => Response.json({ access_token: 't', refresh_token: 'r', expires_in: 60 })],
    [
      'JSON with status 201',
      () => Response.json({ access_token: 't', refresh_token: 'r', expires_in: 60 }, { status: 201 }),
    ],
    ['JSON that is called text', () => new Response('{"access_token":"t","refresh_token":"r","expires_in":"60"}')],
    ['a form', () => new Response('access_token=t&refresh_token=r&expires_in=60')],
  ]
  it.each(good)('may be %s', async (_why, reply) => {
    const { identity, clock } = await signIn('github', { access_token: reply, '/user': user, emails: '[]' })
    expect(identity.tokens).toEqual({ token: 't', tokenSecret: 'r', expiresAtMs: clock.now() + 60_000 })
  })

  it.each(['0', '-5', '"never"', '1e300', 'null', '{}'])('can contain %s as lifetime', async (life) => {
    const replies = { access_token: `{"access_token":"t","expires_in":${life}}`, '/user': user, emails: '[]' }
    const { identity } = await signIn('github', replies)
    expect(identity.tokens).toEqual({ token: 't', tokenSecret: '', expiresAtMs: null })
  })

  const bad: readonly [why: string, reply: () => Response][] = [
    ['an error with status 200', () => Response.json({ error: 'bad_verification_code', access_token: '' })],
    ['a redirect', () => new Response(null, { status: 302, headers: { location: 'https://evil.example/' } })],
    ['a list', () => Response.json(['access_token'])],
    ['a token that is no text', () => Response.json({ access_token: { a: 1 } })],
    ['a token that no header can carry', () => Response.json({ access_token: 'a\r\nx-evil: 1' })],
  ]
  it.each(bad)('are refused: %s', async (_why, reply) => {
    await expectFailure(signIn('github', { access_token: reply, '/user': user, emails: '[]' }))
  })

  it('of conforming providers must contain the token type', async () => {
    const me = '{"id": "7", "username": "ida"}'
    const token = { access_token: 't', token_type: 'Bearer', expires_in: 60 }
    const { identity } = await signIn('discord', { '/token': () => Response.json(token), '@me': me })
    expect(identity.tokens?.token).toBe('t')
    await expectFailure(signIn('discord', { '/token': () => Response.json({ access_token: 't' }), '@me': me }))
    await expectFailure(
      signIn('discord', { '/token': () => Response.json({ ...token, token_type: 'mac' }), '@me': me }),
    )
  })
})

describe('profiles', () => {
  const token = '{"access_token": "t"}'

  it('of conforming providers are read despite an unrequested id token', async () => {
    const claims = {
      iss: 'https://login.microsoftonline.com/a-tenant/v2.0',
      aud: 'our-client',
      sub: 'x',
      exp: 4e9,
      iat: 1,
    }
    const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
    const id_token = [part({ alg: 'RS256', kid: 'k' }), part(claims), 'c2lnbmVk'].join('.')
    const reply = { access_token: 't', token_type: 'Bearer', expires_in: 60, id_token }
    const { identity } = await signIn(
      'microsoft',
      { '/token': () => Response.json(reply), '/me': '{"id": "7"}' },
      { settings: { scope: ['User.Read', 'openid'] } },
    )
    expect(identity).toMatchObject({ uid: '7', tokens: { token: 't' } })
  })

  it('come with the addresses of a second call, which may not be there', async () => {
    const replies = { access_token: token, '/user': '{"id": 7, "email": "shown@people.example"}' }
    const emails = [
      { email: 'other@people.example', verified: true, primary: false },
      { email: 'Shown@people.example', verified: true, primary: true },
    ]
    const both = await signIn('github', { ...replies, emails: () => Response.json(emails) })
    expect(both.identity.emails).toEqual(emails)
    expect(both.identity.extraData).not.toHaveProperty('emails')
    const one = await signIn('github', { ...replies, emails: () => new Response('{}', { status: 404 }) })
    expect(one.identity.emails).toEqual([{ email: 'shown@people.example', verified: false, primary: true }])
    await expectFailure(signIn('github', { ...replies, emails: () => new Response('{}', { status: 500 }) }))
    const unasked = await signIn('github', replies, { queryEmail: false })
    expect(unasked.asked).toHaveLength(2)
    const { emulator, signIn: atLinkedin } = await handshake('linkedin_oauth2')
    emulator.fail('linkedin_oauth2', 'email', 'status_500')
    expect((await atLinkedin()).emails).toEqual([])
  })

  it('of Dataporten must be meant for us', async () => {
    const replies = (audience: string) => ({
      token,
      userinfo: () => Response.json({ user: { userid: 'u1', email: 'ida@people.example' }, audience }),
    })
    expect((await signIn('dataporten', replies('our-client'))).identity.username).toBe('ida')
    await expectFailure(signIn('dataporten', replies('another-client')))
  })

  it.each([
    'https://evil.example/',
    'http://api01.iq.questrade.com/',
    'https://api01.iq.questrade.com.evil.example/',
    'https://evilquestrade.com/',
    'https://api01.iq.questrade.com:8443/',
    'https://us@api01.iq.questrade.com/',
    'file:///etc/passwd#',
    '',
  ])('are not requested from an unsafe address: %s', async (api_server) => {
    const { asked, fetch } = createScriptedFetch({
      token: () => Response.json({ access_token: 't', api_server }),
      accounts: '{"userId": 1}',
    })
    const { begin, finish } = await handshake('questrade', { fetch })
    await expectFailure(finish(await begin(), CODE))
    expect(asked).toHaveLength(1)
  })

  it('read ids in addresses as one part of a path', async () => {
    const stripe = { token: () => Response.json({ access_token: 't', stripe_user_id: '../../x?y#z' }) }
    const { asked, fetch } = createScriptedFetch(stripe)
    const { begin, finish } = await handshake('stripe', { fetch })
    await expectFailure(finish(await begin(), CODE))
    expect(asked[1]?.url).toBe('https://api.stripe.com/v1/accounts/..%2F..%2Fx%3Fy%23z')
    await expectFailure(signIn('stripe', { token: '{"access_token": "t", "stripe_user_id": "\\ud800"}' }))
    const whole = { token: '{"access_token": "t", "stripe_user_id": ".."}', '/v1/': '{"id": "acct_7"}' }
    await expectFailure(signIn('stripe', whole))
  })

  it('of Weixin are read in the right alphabet', async () => {
    const misread = Buffer.from('张三').toString('latin1')
    const replies = (nickname: string) => ({
      access_token: () => Response.json({ access_token: 't', openid: 'o1' }),
      userinfo: () => Response.json({ openid: 'o1', nickname }),
    })
    for (const nickname of [misread, '张三']) {
      const { identity } = await signIn('weixin', replies(nickname))
      expect([identity.username, identity.extraData['nickname']]).toEqual(['张三', '张三'])
    }
    expect((await signIn('weixin', replies('Zoë'))).identity.username).toBe('Zoë')
  })
})

describe('what is set for a provider', () => {
  it('names the client, and adds headers where that is possible', async () => {
    const replies = { access_token: '{"access_token": "t"}', '/me': '{"name": "ida"}' }
    const options = { providerSettings: { USER_AGENT: 'our-site/1.0 (by ida)' } }
    const { asked } = await signIn('reddit', replies, options)
    expect(asked.map(({ headers }) => headers.get('user-agent'))).toEqual(Array(2).fill('our-site/1.0 (by ida)'))
    const named = await signIn('reddit', replies)
    expect(named.asked[0]?.headers.get('user-agent')).toBe('gatepost')
    const x = {
      '/token': () => Response.json({ access_token: 't', token_type: 'bearer' }),
      '/me': '{"data": {"id": "1"}}',
    }
    const headers = { 'X-Trace': 'on', authorization: 'Bearer stolen' }
    const posted = await signIn('twitter_oauth2', x, { providerSettings: { HEADERS: headers, FIELDS: ['id', 'name'] } })
    expect(posted.asked[1]?.headers.get('x-trace')).toBe('on')
    expect(posted.asked[1]?.headers.get('authorization')).toBe('Bearer t')
    expect(new URL(posted.asked[1]?.url ?? '').searchParams.get('user.fields')).toBe('id,name')
    await expectFailure(signIn('reddit', replies, { providerSettings: { USER_AGENT: 'a\nb' } }))
  })

  it('chooses the version of an API', async () => {
    const pinterest = { token: '{"access_token": "t"}', account: '{"username": "ida"}' }
    const v5 = await signIn('pinterest', pinterest, { providerSettings: { API_VERSION: 'v5' } })
    expect(v5.identity).toMatchObject({ uid: 'ida', username: 'ida', extraData: { username: 'ida' } })
    const users = { token: '{"access_token": "t"}', 'users/me': '{"data": {"id": 5, "first_name": "Ida"}}' }
    const v3 = await signIn('pinterest', users, { providerSettings: { API_VERSION: 'v3' } })
    expect(v3.identity).toMatchObject({ uid: '5', firstName: 'Ida', extraData: { id: 5 } })
    expect(v3.asked.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'PUT https://api.pinterest.com/v3/oauth/token',
      'GET https://api.pinterest.com/v3/users/me',
    ])
    const person = { id: 'p', attributes: {}, relationships: { memberships: { data: [{ id: 'm 1' }] } } }
    const patreon = {
      token: '{"access_token": "t"}',
      identity: () => Response.json({ data: person }),
      'm%201': () => Response.json({ included: [{ attributes: { title: 'Gold' } }] }),
    }
    const v2 = await signIn('patreon', patreon, { providerSettings: { VERSION: 'v2' } })
    expect(v2.identity.extraData['pledge_level']).toBe('Gold')
    const alone = await signIn('patreon', { ...patreon, 'm%201': '[]' }, { providerSettings: { VERSION: 'v2' } })
    expect(alone.identity.uid).toBe('p')
    const orcid = {
      token: () => Response.json({ access_token: 't', orcid: '0-1' }),
      record: '{"orcid-identifier": {"path": "0-1"}}',
    }
    const member = await signIn('orcid', orcid, { providerSettings: { MEMBER_API: true } })
    expect(member.asked[1]?.url).toBe('https://api.orcid.org/v3.0/0-1/record?access_token=t')
  })

  it('distinguishes a shop from its user, and only the operator chooses', async () => {
    const associated_user = { id: 42, email: 'ida@people.example', email_verified: true, first_name: 'Ida' }
    const replies = {
      access_token: () => Response.json({ access_token: 't', associated_user }),
      'shop.json': '{"shop": {"id": 42000, "email": "shop@people.example"}}',
    }
    const shop = await signIn('shopify', replies)
    expect(shop.identity).toMatchObject({ uid: '42000', emails: [{ email: 'shop@people.example', verified: false }] })
    const perUser = { providerSettings: { AUTH_PARAMS: { 'grant_options[]': 'per-user' } } }
    const user = await signIn('shopify', replies, perUser)
    expect(user.identity).toMatchObject({ uid: '42', emails: [{ email: 'ida@people.example', verified: true }] })
    expect(user.identity.extraData).toMatchObject({ associated_user: { id: 42 } })
    const { begin, finish } = await handshake('shopify', { fetch: createScriptedFetch(replies).fetch })
    const asked = await begin({ authParams: { 'grant_options[]': 'per-user' } })
    expect((await finish(asked, CODE)).uid).toBe('42000')
  })

  it('keeps the regions of Battle.net apart, and the extra data of QuickBooks and LINE', async () => {
    const { begin, finish } = await handshake('battlenet', {
      fetch: createScriptedFetch({ token: '{"access_token": "t"}', userinfo: '{"id": 9, "battletag": "Ida#1"}' }).fetch,
    })
    const china = await finish(await begin({ query: new URLSearchParams({ region: 'cn' }) }), CODE)
    expect([china.uid, china.extraData['region']]).toEqual(['9-cn', 'cn'])
    expect((await finish(await begin(), CODE)).uid).toBe('9')
    const realm = new URLSearchParams({ code: 'a-code', realmId: '123' })
    const books = await signIn('quickbooks', { bearer: '{"access_token": "t"}', userinfo: '{"sub": "s"}' }, {}, realm)
    expect(books.identity.extraData).toEqual({ sub: 's', realmId: '123' })
    const line = {
      token: '{"access_token": "t", "id_token": "i"}',
      verify: '{"sub": "U1", "email": "ida@people.example"}',
    }
    const told = await signIn('line', line, { settings: { scope: ['openid', 'email'] } })
    expect(told.identity).toMatchObject({ uid: 'U1', username: 'ida@people.example' })
    expect(await told.asked[1]?.text()).toBe('client_id=our-client&id_token=i')
  })
})
