import { createDiffieHellman, createHash, createHmac, randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { identityProviderEmulator, type IdentityProviderEmulator } from './emulator.ts'

const NOW_MS = 1_900_000_000_000
const REDIRECT = 'https://app.example/callback'
const mia = {
  id: '4815',
  email: 'mia@people.example',
  emailVerified: true,
  username: 'mia',
  firstName: 'Mia',
  lastName: 'Möller',
}
const client = { clientId: 'client-1', secret: 'secret-1', redirectUris: [REDIRECT] }
const NS = 'http://specs.openid.net/auth/2.0'
const md5 = (text: string): string => createHash('md5').update(text).digest('hex')

function emulatorWith(provider: string): IdentityProviderEmulator {
  const emulator = identityProviderEmulator({ now: () => NOW_MS, random: randomBytes })
  emulator.signIn(mia)
  if (provider !== 'openid') emulator.addClient(provider, client)
  return emulator
}

const asked = (url: string, parameters: Record<string, string>): string =>
  `${url}?${new URLSearchParams(parameters).toString()}`

async function landing(emulator: IdentityProviderEmulator, url: string): Promise<URL> {
  return new URL((await emulator.fetch(new Request(url))).headers.get('location') ?? '')
}

it("signs who comes from Telegram, for a page of the bot's own site alone", async () => {
  const emulator = emulatorWith('telegram')
  const ask = { bot_id: 'client-1', origin: 'https://app.example', request_access: 'write', embed: '0' }
  const address = emulator.endpoints('telegram')['authorize_url'] ?? ''
  const back = await landing(emulator, asked(address, { ...ask, return_to: `${REDIRECT}?state=s` }))
  expect(`${back.origin}${back.pathname}${back.search}`).toBe(`${REDIRECT}?state=s`)
  const result = new URLSearchParams(back.hash.slice(1)).get('tgAuthResult') ?? ''
  const { hash, ...said } = JSON.parse(Buffer.from(result, 'base64url').toString()) as Record<string, unknown> // compared below
  const lines = Object.entries(said).map(([name, value]) => `${name}=${String(value)}`)
  const key = createHash('sha256').update('secret-1').digest()
  expect(hash).toBe(createHmac('sha256', key).update(lines.toSorted().join('\n')).digest('hex'))
  expect(said).toMatchObject({
    id: 4815,
    first_name: 'Mia',
    last_name: 'Möller',
    username: 'mia',
    auth_date: NOW_MS / 1000,
  })
  const elsewhere = { ...ask, origin: 'https://evil.example', return_to: 'https://evil.example/' }
  expect((await emulator.fetch(new Request(asked(address, elsewhere)))).status).toBe(400)
})

it('signs a person in at Draugiem, once a code', async () => {
  const emulator = emulatorWith('draugiem')
  const { authorize_url = '', token_url = '' } = emulator.endpoints('draugiem')
  const ask = { app: 'client-1', redirect: REDIRECT }
  const wrong = await emulator.fetch(new Request(asked(authorize_url, { ...ask, hash: md5(REDIRECT) })))
  expect(wrong.status).toBe(400)
  const back = await landing(emulator, asked(authorize_url, { ...ask, hash: md5(`secret-1${REDIRECT}`) }))
  expect(back.searchParams.get('dr_auth_status')).toBe('ok')
  const exchange = { action: 'authorize', app: 'secret-1', code: back.searchParams.get('dr_auth_code') ?? '' }
  const first = await emulator.fetch(new Request(asked(token_url, exchange)))
  expect(await first.json()).toMatchObject({
    apikey: expect.any(String),
    uid: '4815',
    users: { 4815: { name: 'Mia', surname: 'Möller' } },
  })
  const second = await emulator.fetch(new Request(asked(token_url, exchange)))
  expect(await second.json()).toMatchObject({ error: { code: 100 } })
})

it('signs a person in at Pocket, who must have allowed it', async () => {
  const emulator = emulatorWith('pocket')
  const { request_token_url = '', authorize_url = '', token_url = '' } = emulator.endpoints('pocket')
  const post = (url: string, body: Record<string, string>): Promise<Response> => {
    const headers = { 'content-type': 'application/json', 'x-accept': 'application/json' }
    return emulator.fetch(new Request(url, { method: 'POST', body: JSON.stringify(body), headers }))
  }
  const { code } = (await (
    await post(request_token_url, { consumer_key: 'client-1', redirect_uri: REDIRECT })
  ).json()) as Record<string, string> // used below
  const exchange = { consumer_key: 'client-1', code: code ?? '' }
  expect((await post(token_url, exchange)).headers.get('x-error-code')).toBe('158')
  const back = await landing(emulator, asked(authorize_url, { request_token: code ?? '', redirect_uri: REDIRECT }))
  expect(back.href).toBe(REDIRECT)
  expect(await (await post(token_url, exchange)).json()).toEqual({
    access_token: expect.any(String),
    username: mia.email,
  })
  expect((await post(token_url, exchange)).headers.get('x-error-code')).toBe('181')
})

const checkid = (more: Record<string, string>): Record<string, string> => ({
  'openid.ns': NS,
  'openid.mode': 'checkid_setup',
  'openid.claimed_id': `${NS}/identifier_select`,
  'openid.identity': `${NS}/identifier_select`,
  'openid.return_to': `${REDIRECT}?state=s`,
  'openid.realm': 'https://app.example/',
  ...more,
})

async function findEndpoint(emulator: IdentityProviderEmulator, page: string): Promise<string> {
  const reply = await emulator.fetch(new Request(page, { headers: { accept: 'application/xrds+xml' } }))
  return /<URI>([^<]+)<\/URI>/.exec(await reply.text())?.[1] ?? ''
}

async function checked(emulator: IdentityProviderEmulator, endpoint: string, back: URL): Promise<string> {
  const body = new URLSearchParams([...back.searchParams].filter(([name]) => name.startsWith('openid.')))
  body.set('openid.mode', 'check_authentication')
  return (await emulator.fetch(new Request(endpoint, { method: 'POST', body }))).text()
}

it('signs a person in at Steam: an assertion is confirmed once, and unchanged only', async () => {
  const emulator = emulatorWith('steam')
  const endpoint = await findEndpoint(emulator, 'https://steamcommunity.com/openid')
  expect(endpoint).toBe('https://steamcommunity.com/openid/login')
  const back = await landing(emulator, asked(endpoint, checkid({})))
  expect(back.searchParams.get('openid.claimed_id')).toBe('https://steamcommunity.com/openid/id/4815')
  const changed = new URL(back)
  changed.searchParams.set('openid.claimed_id', 'https://steamcommunity.com/openid/id/1')
  expect(await checked(emulator, endpoint, changed)).toContain('is_valid:false')
  const again = await landing(emulator, asked(endpoint, checkid({})))
  expect(await checked(emulator, endpoint, again)).toContain('is_valid:true')
  expect(await checked(emulator, endpoint, again)).toContain('is_valid:false')
  const profile = asked(emulator.endpoints('steam')['profile_url'] ?? '', { key: 'secret-1', steamids: '4815' })
  const player = { steamid: '4815', personaname: 'mia', realname: 'Mia Möller' }
  expect(await (await emulator.fetch(new Request(profile))).json()).toMatchObject({ response: { players: [player] } })
  expect((await emulator.fetch(new Request(profile.replace('secret-1', 'wrong')))).status).toBe(403)
})

it('shares a key with a relying party of OpenID, and shows what was asked', async () => {
  const emulator = emulatorWith('openid')
  const endpoint = await findEndpoint(emulator, 'https://openid.example/people/mia')
  const dh = createDiffieHellman(
    Buffer.from(
      'dcf93a0b883972ec0e19989ac5a2ce310e1d37717e8d9571bb7623731866e61ef75a2e27898b057f9891c2e27a639c3f29b60814581cd3b2ca3986d2683705577d45c2e7e52dc81c7a171876e5cea74b1448bfdfaf18828efd2519f14e45e3826634af1949e5b535cc829a483b8a76223e5d490a257f05bdff16f2fb22c583ab',
      'hex',
    ),
    2,
  )
  dh.generateKeys()
  const body = new URLSearchParams({
    'openid.ns': NS,
    'openid.mode': 'associate',
    'openid.assoc_type': 'HMAC-SHA256',
    'openid.session_type': 'DH-SHA256',
    'openid.dh_consumer_public': Buffer.concat([Buffer.from([0]), dh.getPublicKey()]).toString('base64'),
  })
  const said = await (await emulator.fetch(new Request(endpoint, { method: 'POST', body }))).text()
  const agreed = new Map(
    said
      .trim()
      .split('\n')
      .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)]),
  )
  const shared = dh.computeSecret(Buffer.from(agreed.get('dh_server_public') ?? '', 'base64'))
  const hex = BigInt(`0x${shared.toString('hex')}`).toString(16)
  const even = hex.length % 2 === 0 ? hex : `0${hex}`
  const twos = Buffer.from(/^[89a-f]/.test(even) ? `00${even}` : even, 'hex')
  const mask = createHash('sha256').update(twos).digest()
  const key = Buffer.from(
    Buffer.from(agreed.get('enc_mac_key') ?? '', 'base64').map((byte, index) => byte ^ (mask[index] ?? 0)),
  )

  const own = {
    'openid.claimed_id': 'https://openid.example/people/mia',
    'openid.identity': 'https://openid.example/people/mia',
  }
  const extensions = {
    'openid.assoc_handle': agreed.get('assoc_handle') ?? '',
    'openid.ns.sreg': 'http://openid.net/extensions/sreg/1.1',
    'openid.sreg.required': 'email,fullname',
    'openid.ns.ax': 'http://openid.net/srv/ax/1.0',
    'openid.ax.mode': 'fetch_request',
    'openid.ax.type.first': 'http://axschema.org/namePerson/first',
    'openid.ax.required': 'first',
  }
  const back = (await landing(emulator, asked(endpoint, checkid({ ...own, ...extensions })))).searchParams
  const signed = (back.get('openid.signed') ?? '').split(',')
  const text = signed.map((name) => `${name}:${back.get(`openid.${name}`) ?? ''}\n`).join('')
  expect(back.get('openid.sig')).toBe(createHmac('sha256', key).update(text).digest('base64'))
  expect(Object.fromEntries(back)).toMatchObject({
    'openid.claimed_id': emulator.expected('openid', mia).uid,
    'openid.sreg.email': mia.email,
    'openid.sreg.fullname': 'Mia Möller',
    'openid.ax.value.first': 'Mia',
  })
  const outside = checkid({ 'openid.return_to': 'https://evil.example/' })
  expect((await emulator.fetch(new Request(asked(endpoint, outside)))).status).toBe(400)
})
