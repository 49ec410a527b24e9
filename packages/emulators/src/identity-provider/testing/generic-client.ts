import { createHash, createHmac, generateKeyPairSync, sign } from 'node:crypto'
import type { IdentityProviderEmulator } from '../emulator.ts'
import { readPath, type ProviderRecord } from './provider-records.ts'

/** Redirect URI of the client. */
export const REDIRECT = 'https://app.example/accounts/callback/'
/** Verifier of all challenges (RFC 7636). */
export const VERIFIER = 'a-verifier-of-at-least-forty-three-characters-long'
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })

/** Key of Apple's client secret, PEM. */
const APPLE_KEY: string = publicKey.export({ type: 'spki', format: 'pem' }).toString()

type Json = Readonly<Record<string, unknown>>
type Texts = Record<string, string>

/** A client of a provider. */
export interface Client {
  readonly emulator: IdentityProviderEmulator
  readonly record: ProviderRecord
  readonly nowMs: number
  readonly redirectUri: string
}

const CLIENT = { clientId: 'client-1', secret: 'secret-1' } as const

/** Registers the client at its provider. */
export function registered(emulator: IdentityProviderEmulator, record: ProviderRecord, nowMs: number): Client {
  const { key } = emulator.setup(record.id)
  const redirectUris = [REDIRECT]
  emulator.addClient(record.id, { ...CLIENT, ...(key === null ? {} : { key }), redirectUris, publicKey: APPLE_KEY })
  return { emulator, record, nowMs, redirectUri: REDIRECT }
}

const findAddress = ({ emulator, record }: Client, name: string): string => emulator.endpoints(record.id)[name] ?? ''

function withQuery(address: string, parameters: Texts): string {
  const url = new URL(address)
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return url.href
}

const formBody = (parameters: Texts): RequestInit => ({ method: 'POST', body: new URLSearchParams(parameters) })
const jsonBody = (parameters: Texts): RequestInit => ({
  method: 'POST',
  body: JSON.stringify(parameters),
  headers: { 'content-type': 'application/json' },
})

/** Runs the authorization and returns the callback parameters. */
export async function authorized(client: Client): Promise<URLSearchParams> {
  const { emulator, record } = client
  const scopes = [...record.default_scopes, ...record.scopes_added_when_email_wanted]
  const own: Texts = Object.fromEntries(
    Object.entries(record.authorize_params).map(([name, value]) => [
      name,
      value.replace('{callback}', REDIRECT).replace('{query shop}', 'emulated-shop.myshopify.com'),
    ]),
  )
  const idName = (record.client_id_param ?? 'client_id').split(' ')[0] ?? ''
  const target = withQuery(findAddress(client, 'authorize_url'), {
    [idName]: CLIENT.clientId,
    ...(record.id === 'notion' ? {} : { redirect_uri: REDIRECT }),
    scope: scopes.join(record.scope_delimiter ?? ' '),
    response_type: 'code',
    state: 'state-1',
    code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
    code_challenge_method: 'S256',
    ...own,
  })
  const reply = await emulator.fetch(new Request(target))
  if (reply.status === 302) return new URL(reply.headers.get('location') ?? '').searchParams
  const html = await reply.text()
  const inputs = [...html.matchAll(/name="([^"]+)" value="([^"]*)"/g)]
  return new URLSearchParams(inputs.map(([, name = '', value = '']) => [name, value.replaceAll('&quot;', '"')]))
}

function appleSecret(nowMs: number): string {
  const iat = Math.floor(nowMs / 1000)
  const parts = [
    { alg: 'ES256', kid: CLIENT.secret },
    { iss: 'TEAM123456', sub: CLIENT.clientId, aud: 'https://appleid.apple.com', iat, exp: iat + 3600 },
  ]
  const content = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
  const signature = sign('sha256', Buffer.from(content), { key: privateKey, dsaEncoding: 'ieee-p1363' })
  return `${content}.${signature.toString('base64url')}`
}

async function tokenRequest(client: Client, callback: URLSearchParams): Promise<Request> {
  const { record, emulator, nowMs } = client
  const address = findAddress(client, 'token_url')
  const code = callback.get('code') ?? callback.get('authCode') ?? ''
  const common = { grant_type: 'authorization_code', code, code_verifier: VERIFIER }
  const standard = { ...common, client_id: CLIENT.clientId, redirect_uri: REDIRECT }
  const basic = { authorization: `Basic ${Buffer.from(`${CLIENT.clientId}:${CLIENT.secret}`).toString('base64')}` }
  switch (record.id) {
    case 'apple':
      return new Request(address, formBody({ ...standard, client_secret: appleSecret(nowMs) }))
    case 'dingtalk': {
      const names = { clientId: CLIENT.clientId, clientSecret: CLIENT.secret, grantType: 'authorization_code' }
      return new Request(address, jsonBody({ ...names, code, code_verifier: VERIFIER }))
    }
    case 'feishu': {
      const app = findAddress(client, 'app_token_url')
      const reply = await emulator.fetch(
        new Request(app, formBody({ app_id: CLIENT.clientId, app_secret: CLIENT.secret })),
      )
      const { app_access_token } = (await reply.json()) as Texts // checked by the next request
      return new Request(address, jsonBody({ ...common, app_access_token: app_access_token ?? '' }))
    }
    case 'notion': {
      const request = jsonBody(common)
      return new Request(address, { ...request, headers: { ...basic, 'content-type': 'application/json' } })
    }
    case 'untappd': {
      const { redirect_uri: redirect_url, ...rest } = standard
      return new Request(withQuery(address, { ...rest, redirect_url, client_secret: CLIENT.secret }))
    }
    case 'weixin':
      return new Request(address, formBody({ ...common, appid: CLIENT.clientId, secret: CLIENT.secret }))
    default:
  }
  const idName = (record.client_id_param ?? 'client_id').split(' ')[0] ?? ''
  const body: Texts = { ...common, [idName]: CLIENT.clientId, redirect_uri: REDIRECT }
  if (record.id === 'vk') Object.assign(body, { device_id: callback.get('device_id'), state: 'any' })
  const auth = record.client_auth ?? ''
  if (auth.startsWith('basic')) return new Request(address, { ...formBody(body), headers: basic })
  body['client_secret'] = CLIENT.secret
  return record.token_method === 'GET' ? new Request(withQuery(address, body)) : new Request(address, formBody(body))
}

/** Returns the token response, parsed as JSON or form. */
export async function exchanged(client: Client, callback: URLSearchParams): Promise<Json> {
  const reply = await client.emulator.fetch(await tokenRequest(client, callback))
  const text = await reply.text()
  const whole: Json = text.startsWith('{') ? (JSON.parse(text) as Json) : Object.fromEntries(new URLSearchParams(text)) // shown by the test that reads it
  const inner = { feishu: whole['data'], untappd: whole['response'] }[client.record.id] ?? whole
  const { accessToken, ...rest } = inner as Texts // an object in both
  return { ...rest, access_token: rest['access_token'] ?? accessToken }
}

const md5 = (text: string): string => createHash('md5').update(text).digest('hex')
const sorted = (members: Texts): string =>
  Object.entries(members)
    .map(([name, value]) => `${name}=${value}`)
    .toSorted()
    .join('')

/** Additional requirements of profile requests. */
function profileExtras(client: Client, token: string, reply: Json, callback: URLSearchParams): Texts {
  const key = client.emulator.setup(client.record.id).key ?? ''
  const text = (name: string): string => String(reply[name])
  switch (client.record.id) {
    case 'disqus':
      return { api_key: CLIENT.clientId, api_secret: CLIENT.secret }
    case 'facebook':
      return {
        fields: 'id,email,name,first_name,last_name',
        appsecret_proof: createHmac('sha256', CLIENT.secret).update(token).digest('hex'),
      }
    case 'foursquare':
      return { v: '20140116' }
    case 'instagram':
    case 'tiktok':
      return { fields: 'id,username' }
    case 'linkedin_oauth2':
      return { projection: '(id,firstName,lastName)' }
    case 'mailcow':
      return { code: callback.get('code') ?? '' }
    case 'mailru': {
      const asked = { method: 'users.getInfo', app_id: CLIENT.clientId, secure: '1', uids: text('x_mailru_vid') }
      return { ...asked, sig: md5(`${sorted(asked)}${CLIENT.secret}`) }
    }
    case 'microsoft':
      return { $select: 'id,mail' }
    case 'odnoklassniki': {
      const asked = { method: 'users.getCurrentUser', format: 'JSON', application_key: key }
      return { ...asked, access_token: token, sig: md5(`${sorted(asked)}${md5(`${token}${CLIENT.secret}`)}`) }
    }
    case 'paypal':
      return { schema: 'openid' }
    case 'stackexchange':
      return { key, site: 'stackoverflow' }
    case 'weibo':
      return { uid: text('uid') }
    case 'weixin':
      return { openid: text('openid') }
    default:
      return {}
  }
}

function profileAddress(client: Client, reply: Json, id: string): string {
  if (client.record.id === 'dwolla') return String(readPath(reply, '_links.account.href'))
  const known: Json = { ...reply, id }
  return findAddress(client, 'profile_url').replaceAll(/\{(\w+)\}/g, (_all, name: string) => String(known[name]))
}

/** Returns a request with the token where the record puts it. */
export function profileRequest(client: Client, address: string, reply: Json, callback: URLSearchParams): Request {
  const { record } = client
  const token = String(reply['access_token'])
  const transport = record.profile_token_transport
  const isProfile = !address.startsWith(findAddress(client, 'email_url') || 'none')
  const extras = isProfile ? profileExtras(client, token, reply, callback) : {}
  const headers: Texts = { 'user-agent': 'gatepost-test', 'client-id': CLIENT.clientId, accept: 'application/json' }
  if (record.id === 'orcid') headers['accept'] = 'application/orcid+json'
  if (record.id === 'dwolla') headers['accept'] = 'application/vnd.dwolla.v1.hal+json'
  if (transport.startsWith('bearer')) headers['authorization'] = `Bearer ${token}`
  const [, name = '', before = ''] =
    /^header:([\w-]+)(?:: (\S+) <token>)?$/.exec(transport.replace('<token_type>', 'Bearer')) ?? []
  if (name !== '') headers[name] = `${before} ${token}`.trim()
  const query = /query:(\w+)/.exec(transport)?.[1]
  const isPublic = transport.startsWith('none')
  const parameters = { ...extras, ...(query === undefined || isPublic ? {} : { [query]: token }) }
  const form = /^form:(\w+)/.exec(transport)?.[1]
  if (form !== undefined)
    return new Request(address, { ...formBody({ [form]: token, client_id: CLIENT.clientId }), headers })
  if (record.id === 'snapchat') {
    const body = JSON.stringify({ query: '{ me { externalId displayName } }' })
    return new Request(address, { method: 'POST', body, headers: { ...headers, 'content-type': 'application/json' } })
  }
  return new Request(withQuery(address, parameters), { method: record.profile_method ?? 'GET', headers })
}

const claimsIn = (token: unknown): Json =>
  JSON.parse(Buffer.from(String(token).split('.')[1] ?? '', 'base64url').toString()) as Json // shown by the test

/** Returns the profile, including additional calls. */
export async function profiled(client: Client, reply: Json, callback: URLSearchParams): Promise<Json> {
  const { emulator, record } = client
  const get = async (address: string): Promise<Json> => {
    const got = await emulator.fetch(profileRequest(client, address, reply, callback))
    return (await got.json()) as Json // compared by the test
  }
  if (record.id === 'notion') return reply
  if (record.id === 'apple')
    return { ...claimsIn(reply['id_token']), ...(JSON.parse(callback.get('user') ?? '{}') as Json) } // compared by the test
  const id = record.id === 'clever' ? String(readPath(await get('https://api.clever.com/v3.0/me'), 'data.id')) : ''
  const whole = await get(profileAddress(client, reply, id))
  if (record.id === 'edx') return get(`https://edx.org/api/user/v1/accounts/${String(whole['username'])}`)
  const rooted = record.profile_root === null ? whole : readPath(whole, record.profile_root)
  const profile = rooted as Json // compared by the test
  if (record.email_url === null) return profile
  const emails: unknown = await get(findAddress(client, 'email_url'))
  if (record.id === 'bitbucket_oauth2') return { ...profile, email: readPath(emails, 'values[1].email') }
  if (record.id === 'github') return { ...profile, emails }
  return { ...profile, ...(emails as Json) } // compared by the test
}
