import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { identityProviderEmulator, type IdentityProviderEmulator } from './emulator.ts'
import { percentEncode, readAuthorization, signatureBase, signBase } from './oauth1.ts'
import { extractProfile } from './testing/extracted.ts'
import { readPath, providerRecords } from './testing/provider-records.ts'

const NOW_MS = 1_900_000_000_000
const REDIRECT = 'https://app.example/callback'
const mia = {
  id: '4815',
  email: 'mia@people.example',
  emailVerified: true,
  username: 'mia',
  firstName: 'Mia',
  lastName: 'M',
}

const headers: readonly [step: string, method: string, url: string, header: string, secrets: [string, string]][] = [
  [
    'temporary credentials',
    'POST',
    'https://photos.example.net/initiate',
    'OAuth realm="Photos", oauth_consumer_key="dpf43f3p2l4k3l03", oauth_signature_method="HMAC-SHA1", oauth_timestamp="137131200", oauth_nonce="wIjqoS", oauth_callback="http%3A%2F%2Fprinter.example.com%2Fready", oauth_signature="74KNZJeDHnMBp0EMJ9ZHt%2FXKycU%3D"',
    ['kd94hf93k423kf44', ''],
  ],
  [
    'token credentials',
    'POST',
    'https://photos.example.net/token',
    'OAuth realm="Photos", oauth_consumer_key="dpf43f3p2l4k3l03", oauth_token="hh5s93j4hdidpola", oauth_signature_method="HMAC-SHA1", oauth_timestamp="137131201", oauth_nonce="walatlh", oauth_verifier="hfdp7dh39dks9884", oauth_signature="gKgrFCywp7rO0OXSjdot%2FIHF7IU%3D"',
    ['kd94hf93k423kf44', 'hdhd0244k9j7ao03'],
  ],
  [
    'a protected photo',
    'GET',
    'http://photos.example.net/photos?file=vacation.jpg&size=original',
    'OAuth realm="Photos", oauth_consumer_key="dpf43f3p2l4k3l03", oauth_token="nnch734d00sl2jdk", oauth_signature_method="HMAC-SHA1", oauth_timestamp="137131202", oauth_nonce="chapoH", oauth_signature="MdpQcU8iPSUjWoN%2FUDMsK2sui9I%3D"',
    ['kd94hf93k423kf44', 'pfkkdhi9sl3r4s00'],
  ],
]

it.each(headers)('signs the example of RFC 5849, section 1.2: %s', (_step, method, url, header, [client, token]) => {
  const parameters = readAuthorization(header) ?? new Map()
  const base = signatureBase(method, url, [...parameters])
  expect(signBase(base, client, token)).toBe(parameters.get('oauth_signature'))
})

it('makes the base string of RFC 5849, section 3.4.1.1', () => {
  const header =
    'OAuth realm="Example", oauth_consumer_key="9djdj82h48djs9d2", oauth_token="kkk9d7dh3k39sjv7", oauth_signature_method="HMAC-SHA1", oauth_timestamp="137131201", oauth_nonce="7d8f3e4a", oauth_signature="bYT5CMsGcbgUdFHObYMEfcx6bsw%3D"'
  const parameters = readAuthorization(header) ?? new Map()
  const body = new URLSearchParams('c2&a3=2+q')
  const url = 'http://EXAMPLE.COM:80/request?b5=%3D%253D&a3=a&c%40=&a2=r%20b'
  expect(signatureBase('post', url, [...parameters, ...body])).toBe(
    'POST&http%3A%2F%2Fexample.com%2Frequest&a2%3Dr%2520b%26a3%3D2%2520q%26a3%3Da%26b5%3D%253D%25253D%26c%2540%3D%26c2%3D%26oauth_consumer_key%3D9djdj82h48djs9d2%26oauth_nonce%3D7d8f3e4a%26oauth_signature_method%3DHMAC-SHA1%26oauth_timestamp%3D137131201%26oauth_token%3Dkkk9d7dh3k39sjv7',
  )
})

interface Signing {
  readonly token?: string
  readonly tokenSecret?: string
  readonly secret?: string
  readonly nonce?: string
  readonly seconds?: number
}

function signedRequest(method: string, url: string, signing: Signing = {}): Request {
  const { token, tokenSecret = '', secret = 'secret-1', nonce = randomBytes(8).toString('hex') } = signing
  const parameters = new Map([
    ['oauth_consumer_key', 'client-1'],
    ['oauth_signature_method', 'HMAC-SHA1'],
    ['oauth_timestamp', String(signing.seconds ?? NOW_MS / 1000)],
    ['oauth_nonce', nonce],
    ['oauth_version', '1.0'],
    ...(token === undefined ? [] : [['oauth_token', token] as const]),
  ])
  parameters.set('oauth_signature', signBase(signatureBase(method, url, [...parameters]), secret, tokenSecret))
  const header = [...parameters].map(([name, value]) => `${name}="${percentEncode(value)}"`).join(', ')
  return new Request(url, { method, headers: { authorization: `OAuth ${header}` } })
}

function emulatorWith(provider: string): IdentityProviderEmulator {
  const emulator = identityProviderEmulator({ now: () => NOW_MS, random: randomBytes })
  emulator.signIn(mia)
  const { key } = emulator.setup(provider)
  const client = { clientId: 'client-1', secret: 'secret-1', redirectUris: [REDIRECT] }
  emulator.addClient(provider, { ...client, ...(key === null ? {} : { key }) })
  return emulator
}

const toForm = async (reply: Response): Promise<URLSearchParams> => new URLSearchParams(await reply.text())

async function requestToken(emulator: IdentityProviderEmulator, provider: string): Promise<URLSearchParams> {
  const url = new URL(emulator.endpoints(provider)['request_token_url'] ?? '')
  url.searchParams.set('oauth_callback', REDIRECT)
  return toForm(await emulator.fetch(signedRequest('POST', url.href)))
}

async function allowed(emulator: IdentityProviderEmulator, provider: string, token: string): Promise<URLSearchParams> {
  const page = new URL(emulator.endpoints(provider)['authorize_url'] ?? '')
  page.search = new URLSearchParams({
    oauth_token: token,
    perms: 'read',
    type: 'web_server',
    name: 'App',
    expiration: 'never',
  }).toString()
  const reply = await emulator.fetch(new Request(page))
  return new URL(reply.headers.get('location') ?? '').searchParams
}

async function accessToken(
  emulator: IdentityProviderEmulator,
  provider: string,
  back: URLSearchParams,
  tokenSecret: string,
): Promise<Response> {
  const url = new URL(emulator.endpoints(provider)['token_url'] ?? '')
  url.searchParams.set('oauth_verifier', back.get('oauth_verifier') ?? '')
  return emulator.fetch(signedRequest('POST', url.href, { token: back.get('oauth_token') ?? '', tokenSecret }))
}

/** What the provider shows of the person, with its calls. */
async function findProfile(
  emulator: IdentityProviderEmulator,
  provider: string,
  access: URLSearchParams,
): Promise<unknown> {
  const signing = { token: access.get('oauth_token') ?? '', tokenSecret: access.get('oauth_token_secret') ?? '' }
  const get = async (url: string): Promise<unknown> => (await emulator.fetch(signedRequest('GET', url, signing))).json()
  const address = emulator.endpoints(provider)['profile_url']
  if (provider === 'evernote' || address === undefined) return Object.fromEntries(access)
  if (provider === 'trello') return get(`${address}?key=trello-key&token=${signing.token}`)
  if (provider === 'twitter') return get(`${address}?include_email=true`)
  if (provider !== 'flickr') return get(address)
  const login = await get(address.replace('people.getInfo', 'test.login'))
  return get(`${address}&user_id=${String(readPath(login, 'user.id'))}`)
}

describe('OAuth 1.0a', () => {
  const signed = providerRecords.filter(({ protocol, id }) => protocol === 'oauth1' && id !== 'pocket')
  it.each(signed.map((record) => [record.id, record] as const))('signs a person in at %s', async (id, record) => {
    const emulator = emulatorWith(id)
    const temporary = await requestToken(emulator, id)
    expect(temporary.get('oauth_callback_confirmed')).toBe('true')
    const token = temporary.get('oauth_token') ?? ''
    const back = await allowed(emulator, id, token)
    expect(back.get('oauth_token')).toBe(token)
    const access = await accessToken(emulator, id, back, temporary.get('oauth_token_secret') ?? '')
    const profile = await findProfile(emulator, id, await toForm(access))
    const root = record.profile_root === null ? profile : readPath(profile, record.profile_root)
    const members = Object.fromEntries(Object.entries(root ?? {}))
    const { email } = emulator.expected(id, mia)
    const said = id === 'flickr' ? { ...extractProfile(record, members), email } : extractProfile(record, members)
    expect(said).toEqual(emulator.expected(id, mia))
  })

  const url = `https://api.x.com/oauth/request_token?oauth_callback=${encodeURIComponent(REDIRECT)}`
  const wrong: readonly [why: string, request: () => Request][] = [
    ['without a signature', () => new Request(url, { method: 'POST' })],
    ['with the wrong secret', () => signedRequest('POST', url, { secret: 'secret-2' })],
    ['of ten minutes ago', () => signedRequest('POST', url, { seconds: NOW_MS / 1000 - 600 })],
    ['signed for another address', () => new Request(`${url}&more=1`, signedRequest('POST', url))],
    ['with a token of nobody', () => signedRequest('POST', url, { token: 'nobody' })],
    ['to another callback', () => signedRequest('POST', `${url}x`)],
  ]
  it.each(wrong)('refuses a request %s', async (_why, request) => {
    expect((await emulatorWith('twitter').fetch(request())).status).toBe(401)
  })

  it('takes a nonce, a verifier and a request token once', async () => {
    const emulator = emulatorWith('twitter')
    expect((await emulator.fetch(signedRequest('POST', url, { nonce: 'n' }))).status).toBe(200)
    expect((await emulator.fetch(signedRequest('POST', url, { nonce: 'n' }))).status).toBe(401)
    const temporary = await requestToken(emulator, 'twitter')
    const secret = temporary.get('oauth_token_secret') ?? ''
    const back = await allowed(emulator, 'twitter', temporary.get('oauth_token') ?? '')
    const guess = new URLSearchParams({ oauth_token: back.get('oauth_token') ?? '', oauth_verifier: 'guess' })
    expect((await accessToken(emulator, 'twitter', guess, secret)).status).toBe(401)
    expect((await accessToken(emulator, 'twitter', back, secret)).status).toBe(200)
    expect((await accessToken(emulator, 'twitter', back, secret)).status).toBe(401)
  })

  it('tells who refused', async () => {
    const emulator = emulatorWith('twitter')
    emulator.fail('twitter', 'authorize', 'denied')
    const token = (await requestToken(emulator, 'twitter')).get('oauth_token') ?? ''
    expect(Object.fromEntries(await allowed(emulator, 'twitter', token))).toEqual({ denied: token })
  })
})
