import { createHash, createHmac } from 'node:crypto'
import type { JsonObject } from '../../kernel/settings/json-object.ts'
import { isRecord } from '../../kernel/settings/kind.ts'
import { readAppOption, readTextOption } from '../apps/app-options.ts'
import { type ExchangeCall, ProviderError, type ProviderIdentity, type ProviderTokens } from '../exchange.ts'
import { mapProfile } from '../profile/profile-mapping.ts'
import { textAt, valueAt } from '../profile/profile-path.ts'
import { askProvider, parseForeignJson } from '../wire/provider-reply.ts'
import { apiRequest } from './token.ts'
import { endpoint } from './begin.ts'
import { primaryClientId, type RecordValues, type ValueSources } from './values.ts'
import type { FurtherCall, OAuth2Record, ProfileCall, Template } from './record.ts'

/** Input of profile calls. */
export interface ProfileQuestion {
  readonly record: OAuth2Record
  readonly call: ExchangeCall
  readonly values: RecordValues
  readonly accessToken: string
  /** Token reply. */
  readonly token: unknown
  readonly callback: URLSearchParams
}

/** Fetches the profile, including further calls. @throws {ProviderError} `unknown` */
export async function fetchProfile(question: ProfileQuestion): Promise<JsonObject> {
  const { record, call } = question
  const url = endpoint(record, call, 'profile')
  const first = url === undefined ? question.token : await callProfileApi(question, record.profile ?? {}, url, {})
  let profile = requireObject(first)
  for (const further of record.further ?? []) profile = await addFurther(question, further, profile)
  return profile
}

async function addFurther(question: ProfileQuestion, further: FurtherCall, profile: JsonObject): Promise<JsonObject> {
  const { record, call } = question
  const { when, into, optional } = further
  if (when === 'email_wanted' && !call.queryEmail) return profile
  if (typeof when === 'object' && textAt(profile, when.without) !== '') return profile
  const url = further.url ?? endpoint(record, call, 'email') ?? ''
  const asked = callProfileApi(question, further, url, {
    profile,
    ...(Array.isArray(optional) && { tolerated: optional }),
  })
  const told = optional === 'any' ? await asked.catch((error: unknown) => ignoreProviderError(error)) : await asked
  if (told === undefined) return profile
  if (into === undefined) return requireObject(told)
  if (into === '*') return { ...(isRecord(told) ? told : {}), ...profile }
  return { ...profile, [into]: told }
}

function ignoreProviderError(error: unknown): undefined {
  if (error instanceof ProviderError) return undefined
  throw error
}

/** Returns the reply of a call; `undefined` for a tolerated status. */
async function callProfileApi(
  question: ProfileQuestion,
  ask: ProfileCall,
  url: Template,
  context: { readonly profile?: JsonObject; readonly tolerated?: readonly number[] },
): Promise<unknown> {
  const { call } = question
  const what = 'the profile request'
  const reply = await askProvider(call.io, profileRequest(question, ask, url, context.profile), what)
  if (context.tolerated?.includes(reply.status) === true) return undefined
  if (reply.status < 200 || reply.status > 299) {
    throw new ProviderError('unknown', `${what} was answered with status ${reply.status}`)
  }
  const told = parseForeignJson(reply.text)
  if (told === undefined) throw new ProviderError('unknown', `${what} was not answered with JSON`)
  if (ask.success !== undefined && valueAt(told, ask.success.path) !== ask.success.is) {
    throw new ProviderError('unknown', `${what} was answered with an error`)
  }
  if (ask.audience !== undefined && valueAt(told, ask.audience) !== primaryClientId(call.app)) {
    throw new ProviderError('unknown', 'the profile is for another client')
  }
  return valueAt(told, ask.root ?? '')
}

function profileRequest(question: ProfileQuestion, ask: ProfileCall, url: Template, profile?: JsonObject): Request {
  const { call, values, accessToken, token, callback } = question
  const sources: ValueSources = { token, callback, accessToken, ...(profile !== undefined && { profile }) }
  const filled = (texts: Readonly<Record<string, Template>> = {}): Readonly<Record<string, string>> =>
    Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, values.text(text, sources)]))
  const carried = attachToken(ask, accessToken, (text) => values.text(text, sources))
  const query = { ...filled(ask.query), ...carried.query, ...buildAppSecretProof(call, ask, accessToken) }
  const form = { ...filled(ask.form), ...carried.form }
  const method = ask.method ?? 'GET'
  return apiRequest(
    call,
    {
      method,
      url: appendSearch(buildProfileUrl(question, ask, url, sources), values.text(ask.search ?? '', sources)),
      query: ask.signature === undefined ? query : { ...query, sig: signProfileQuery(call, ask.signature, query) },
      headers: { ...readExtraHeaders(call, ask), ...filled(ask.headers), ...carried.headers },
      ...(Object.keys(form).length > 0 && { form }),
      ...(ask.json !== undefined && { json: ask.json }),
    },
    'the profile request',
  )
}

function appendSearch(address: string, search: string): string {
  if (search === '') return address
  return address + (address.includes('?') ? '&' : '?') + search
}

interface Carried {
  readonly headers?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly form?: Readonly<Record<string, string>>
}

function attachToken(ask: ProfileCall, token: string, text: (template: Template) => string): Carried {
  const transport = ask.token ?? { bearer: true }
  if (transport === 'nowhere') return {}
  const scheme = transport.scheme === undefined ? 'Bearer' : text(transport.scheme)
  const authorized = transport.bearer === true || transport.scheme !== undefined
  return {
    headers: {
      ...(authorized && { authorization: `${scheme} ${token}` }),
      ...(transport.header !== undefined && { [transport.header]: token }),
    },
    query: transport.query === undefined ? {} : { [transport.query]: token },
    form: transport.form === undefined ? {} : { [transport.form]: token },
  }
}

function readExtraHeaders(call: ExchangeCall, ask: ProfileCall): Readonly<Record<string, string>> {
  const set = ask.headersSetting === undefined ? undefined : readAppOption(call.app, ask.headersSetting.toLowerCase())
  const texts = isRecord(set) ? Object.entries(set).filter(([, value]) => typeof value === 'string') : []
  return Object.fromEntries(texts.map(([name, value]) => [name.toLowerCase(), String(value)]))
}

/** @see https://developers.facebook.com/docs/graph-api/guides/secure-requests */
const buildAppSecretProof = (call: ExchangeCall, ask: ProfileCall, token: string): Readonly<Record<string, string>> =>
  ask.appSecretProof === true
    ? { appsecret_proof: createHmac('sha256', call.app.secret).update(token).digest('hex') }
    : {}

/**
 * Signs the query with MD5, which these providers require.
 * @see https://api.mail.ru/docs/guides/restapi/ (server to server), https://apiok.ru/en/dev/methods/ (signature)
 */
function signProfileQuery(
  call: ExchangeCall,
  way: 'mailru' | 'odnoklassniki',
  query: Readonly<Record<string, string>>,
): string {
  const md5 = (text: string): string => createHash('md5').update(text).digest('hex')
  const pairs = Object.entries(query).filter(([name]) => way === 'mailru' || name !== 'access_token')
  const text = pairs
    .map(([name, value]) => `${name}=${value}`)
    .toSorted()
    .join('')
  const { secret } = call.app
  return md5(text + (way === 'mailru' ? secret : md5((query['access_token'] ?? '') + secret)))
}

function buildProfileUrl(question: ProfileQuestion, ask: ProfileCall, url: Template, sources: ValueSources): string {
  const { record, values } = question
  const ofData = record.endpoints.profile
  if (ask.hosts === undefined || ofData === undefined) return values.address(url, sources)
  return hostedAddress(values.text(ofData, sources), ask.hosts, url === ofData ? null : URL.parse(url))
}

/** Returns a URL that the provider sent, if it's https at one of its hosts, or where an operator has moved it. */
function hostedAddress(address: string, hosts: readonly string[], moved: URL | null): string {
  const url = URL.parse(address)
  const own = hosts.some((host) => url?.hostname === host || url?.hostname.endsWith(`.${host}`) === true)
  const isTheirs = url?.protocol === 'https:' && own && url.port === ''
  if (url !== null && url.username === '' && (moved === null ? isTheirs : url.origin === moved.origin)) return url.href
  throw new ProviderError('unknown', 'the profile is said to be at an address of somebody else')
}

function requireObject(value: unknown): JsonObject {
  if (isRecord(value)) return value
  throw new ProviderError('unknown', 'there is no profile in the reply')
}

/** Members of token replies that are never part of a profile. */
const TOKEN_MEMBERS: readonly string[] = [
  'access_token',
  'refresh_token',
  'id_token',
  'token_type',
  'expires_in',
  'device_secret',
  'code',
]

/** Returns the profile with the members that the record adds from the token reply, callback, and settings. */
export function addProfileMembers(
  record: OAuth2Record,
  profile: JsonObject,
  from: { readonly token: unknown; readonly callback: URLSearchParams; readonly values: RecordValues },
): JsonObject {
  const { fromToken = [], fromCallback = [], fromSettings = {}, copies = {} } = record.stored ?? {}
  const added = {
    ...Object.fromEntries(Object.entries(copies).map(([name, path]) => [name, valueAt(profile, path)])),
    ...Object.fromEntries(fromToken.map((name) => [name, valueAt(from.token, name)])),
    ...Object.fromEntries(fromCallback.map((name) => [name, from.callback.get(name) ?? undefined])),
    ...Object.fromEntries(Object.entries(fromSettings).map(([name, setting]) => [name, from.values.setting(setting)])),
  }
  return Object.fromEntries([
    ...Object.entries(profile),
    ...Object.entries(added).filter(([, value]) => value !== undefined),
    ...fixLatin1Texts(record, profile),
  ])
}

/** Returns the identity of a profile. @throws {ProviderError} `unknown` without an ID */
export function toOAuth2Identity(
  record: OAuth2Record,
  call: ExchangeCall,
  profile: JsonObject,
  tokens: ProviderTokens | null,
): ProviderIdentity {
  const person = mapProfile(profile, record.person, readTextOption(call.app, 'uid_field'))
  return { ...person, extraData: storedProfile(record, profile), tokens }
}

/** Returns the part of a profile that is stored, without tokens. */
function storedProfile(record: OAuth2Record, profile: JsonObject): JsonObject {
  const { only, without = [], root } = record.stored ?? {}
  const kept = root === undefined ? profile : valueAt(profile, root)
  if (!isRecord(kept)) return {}
  const isToken = (name: string): boolean => record.endpoints.profile === undefined && TOKEN_MEMBERS.includes(name)
  return Object.fromEntries(
    Object.entries(kept).filter(
      ([name]) => (only?.includes(name) ?? true) && !without.includes(name) && !isToken(name),
    ),
  )
}

/** Repairs texts that arrived as UTF-8 read as Latin-1; leaves others as they are. */
function fixLatin1Texts(record: OAuth2Record, profile: JsonObject): readonly (readonly [string, string])[] {
  return (record.misread ?? []).flatMap((name) => {
    const text = valueAt(profile, name)
    if (typeof text !== 'string' || !/^[\0-\xff]*$/.test(text)) return []
    const read = new TextDecoder().decode(Buffer.from(text, 'latin1'))
    return read.includes('\ufffd') ? [] : [[name, read] as const]
  })
}
