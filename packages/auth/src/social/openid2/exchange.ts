import type { JsonObject } from '../../kernel/settings/json-object.ts'
import { isRecord } from '../../kernel/settings/kind.ts'
import { resolveEndpoint, isLoopback, readAppOption } from '../apps/app-options.ts'
import type { SocialApp } from '../apps/social-apps.ts'
import {
  type Exchange,
  type ExchangeCall,
  type ExchangeIo,
  type ExchangeStart,
  ProviderError,
  type TokenReplay,
} from '../exchange.ts'
import { mapProfile } from '../profile/profile-mapping.ts'
import { textAt, valueAt } from '../profile/profile-path.ts'
import { askProvider, expectStatus, expectReplyObject } from '../wire/provider-reply.ts'
import { discoverOpenid, normalizeIdentifier, type DiscoveryIo, type DiscoveredOpenid } from './discovery.ts'
import { openidServers, type FixedOpenid, type Openid2Record } from './record.ts'

/** Namespace of OpenID Authentication 2.0. */
export const OPENID_NS = 'http://specs.openid.net/auth/2.0'

const SELECT = `${OPENID_NS}/identifier_select`

/**
 * Creates the OpenID 2.0 exchange, without shared secrets: asks the provider whether an assertion is its own. `begin`
 * reads what the visitor typed from the parameter `openid`, unless the provider is fixed.
 */
export function openid2Exchange(record: Openid2Record): Exchange {
  const { fixed } = record
  return {
    async begin(call, start) {
      const found = fixed === undefined ? await discoverTyped(call, start) : fixedOpenid(call, fixed)
      const returnTo = new URL(call.redirectUri)
      returnTo.searchParams.set('state', start.state)
      const url = new URL(found.endpoint)
      const wanted = call.queryEmail && fixed === undefined ? attributeRequest(call.app, found.asked) : {}
      const all = {
        'openid.ns': OPENID_NS,
        'openid.mode': 'checkid_setup',
        'openid.claimed_id': found.claimedId ?? SELECT,
        'openid.identity': found.localId ?? found.claimedId ?? SELECT,
        'openid.return_to': returnTo.href,
        'openid.realm': resolveRealm(call),
        ...wanted,
      }
      for (const [name, value] of Object.entries(all)) url.searchParams.set(name, value)
      const { endpoint, claimedId, localId } = found
      return { url: url.href, kept: { endpoint, claimedId, localId, returnTo: returnTo.href } }
    },
    async finish(call, { params, kept }) {
      const { endpoint, returnTo } = kept
      if (typeof endpoint !== 'string' || typeof returnTo !== 'string') {
        throw new ProviderError('unknown', 'nothing is kept of the request')
      }
      const assertion = readAssertion(params, { endpoint, returnTo, nowMs: call.io.clock.now() })
      if (fixed === undefined) await requireAuthority(call, assertion, kept)
      await checkAuthentication(fixed === undefined ? toPublicDiscovery(call).io : call.io, endpoint, params)
      const profile = fixed === undefined ? {} : await fixedProfile(call, fixed, assertion)
      const told = fixed === undefined ? readSignedAttributes(call.app, assertion) : profile
      const person = mapProfile({ claimed_id: assertion.claimedId, ...told }, record.person)
      return { ...person, extraData: told, tokens: null, replay: assertion.replay }
    },
  }
}

/** Returns the realm (section 9.2). */
function resolveRealm({ app, redirectUri }: ExchangeCall): string {
  const realm = readAppOption(app, 'realm')
  return typeof realm === 'string' && realm !== '' ? realm : `${new URL(redirectUri).origin}/`
}

/** Returns the input of discovery. Addresses that visitors enter must be public, except for a site in development. */
function toPublicDiscovery({ io, redirectUri }: ExchangeCall): DiscoveryIo {
  return {
    io: { ...io, fetch: io.fetchPublic ?? io.fetch },
    allowLoopback: isLoopback(new URL(redirectUri).hostname),
  }
}

type Found = DiscoveredOpenid & { readonly asked: string }

async function discoverTyped(call: ExchangeCall, { query }: ExchangeStart): Promise<Found> {
  const discovery = toPublicDiscovery(call)
  const asked = normalizeIdentifier(query.get('openid') ?? '', discovery.allowLoopback)
  return { ...(await discoverOpenid(discovery, asked, true)), asked }
}

const fixedOpenid = ({ app }: ExchangeCall, { endpoint }: FixedOpenid): Found => ({
  endpoint: resolveEndpoint(app, 'authorize_url', endpoint),
  claimedId: null,
  localId: null,
  asked: endpoint,
})

/** Checks by discovery that this provider may make assertions about the identifier (section 11.2). */
async function requireAuthority(call: ExchangeCall, assertion: Assertion, kept: JsonObject): Promise<void> {
  const claimed = assertion.claimedId.split('#', 1)[0] ?? ''
  const discovery = toPublicDiscovery(call)
  const normal = normalizeIdentifier(claimed, discovery.allowLoopback)
  if (normal !== claimed) throw new ProviderError('unknown', 'the identifier is not in its normal form')
  const { endpoint, claimedId, localId } = await (kept['claimedId'] === claimed
    ? { endpoint: kept['endpoint'], claimedId: claimed, localId: kept['localId'] }
    : discoverOpenid(discovery, claimed, false))
  if (endpoint !== assertion.endpoint || claimedId !== claimed || (localId ?? claimed) !== assertion.localId) {
    throw new ProviderError('unknown', 'the provider may not speak for this identifier')
  }
}

async function fixedProfile(call: ExchangeCall, fixed: FixedOpenid, { claimedId }: Assertion): Promise<JsonObject> {
  const id = claimedId.startsWith(fixed.claimedIdPrefix) ? claimedId.slice(fixed.claimedIdPrefix.length) : ''
  if (!/^\d{1,20}$/.test(id)) throw new ProviderError('unknown', 'the identifier is not one of this provider')
  const { profile } = fixed
  const url = new URL(resolveEndpoint(call.app, 'profile_url', profile.url))
  url.searchParams.set(profile.keyParam, call.app.secret)
  url.searchParams.set(profile.idParam, id)
  const reply = expectReplyObject(await askProvider(call.io, new Request(url), 'the profile call'), 'the profile call')
  const found = valueAt(reply, profile.root)
  if (!isRecord(found)) return { [profile.id]: id }
  if (textAt(found, profile.id) !== id) throw new ProviderError('unknown', 'the profile is of somebody else')
  return found
}

const SREG = 'http://openid.net/extensions/sreg/1.1'
const AX = 'http://openid.net/srv/ax/1.0'

/** Our profile members, and the attribute types that provide them, in order of preference. */
const TYPES: Readonly<Record<string, readonly string[]>> = {
  email: ['http://axschema.org/contact/email'],
  name: ['http://axschema.org/namePerson', 'http://openid.net/schema/namePerson'],
  first_name: ['http://axschema.org/namePerson/first', 'http://openid.net/schema/namePerson/first'],
  last_name: ['http://axschema.org/namePerson/last', 'http://openid.net/schema/namePerson/last'],
}

/** An additional attribute that the settings request. */
interface ExtraAttribute {
  readonly name: string
  readonly type: string
  readonly required: boolean
}

/** Returns the additional attributes in the entry of `SERVERS` for this identifier. */
function extraAttributes(app: SocialApp, identifier: string): readonly ExtraAttribute[] {
  const server = openidServers(app).find(({ url }) => identifier.startsWith(url))
  return (server?.extraAttributes ?? []).flatMap((one) => {
    const members: readonly unknown[] = Array.isArray(one) ? one : []
    const [name, type, required] = members
    return typeof name === 'string' && typeof type === 'string' ? [{ name, type, required: required === true }] : []
  })
}

/**
 * Returns the parameters that request attributes of the user.
 * @see Simple Registration 1.1, section 3; Attribute Exchange 1.0, section 5.1
 */
export function attributeRequest(app: SocialApp, identifier: string): Readonly<Record<string, string>> {
  const usual = Object.values(TYPES).flatMap((types) => types.map((type) => ({ type, required: true })))
  const asked = [...usual, ...extraAttributes(app, identifier)].map((one, at) => ({ ...one, alias: `a${at}` }))
  const aliases = (required: boolean): string =>
    asked.flatMap((one) => (one.required === required ? [one.alias] : [])).join(',')
  return {
    'openid.ns.sreg': SREG,
    'openid.sreg.required': 'email,fullname',
    'openid.ns.ax': AX,
    'openid.ax.mode': 'fetch_request',
    ...Object.fromEntries(asked.map(({ alias, type }) => [`openid.ax.type.${alias}`, type])),
    'openid.ax.required': aliases(true),
    ...(aliases(false) === '' ? {} : { 'openid.ax.if_available': aliases(false) }),
  }
}

/** Returns the signed attributes of the user; missing ones are left out. */
export function readSignedAttributes(app: SocialApp, { members, endpoint }: Assertion): JsonObject {
  const sreg = findNamespaceAlias(members, SREG)
  const ax = findNamespaceAlias(members, AX)
  const told = ax === null ? new Map<string, string>() : attributeValues(members, ax)
  const found: Record<string, string> = {}
  for (const { name, type } of extraAttributes(app, endpoint)) found[name] = told.get(type) ?? ''
  for (const [name, types] of Object.entries(TYPES)) {
    found[name] = types.map((type) => told.get(type)).find(Boolean) ?? ''
  }
  if (sreg !== null) {
    found['email'] = members.get(`${sreg}.email`) || (found['email'] ?? '')
    found['name'] = members.get(`${sreg}.fullname`) || (found['name'] ?? '')
  }
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== ''))
}

/** Returns the alias that a reply uses for an extension. @see OpenID Authentication 2.0, section 12 */
const findNamespaceAlias = (members: ReadonlyMap<string, string>, namespace: string): string | null =>
  [...members].find(([name, value]) => name.startsWith('ns.') && value === namespace)?.[0].slice(3) ?? null

function attributeValues(members: ReadonlyMap<string, string>, ax: string): ReadonlyMap<string, string> {
  const prefix = `${ax}.type.`
  const types = [...members].filter(([name]) => name.startsWith(prefix))
  return new Map(
    types.map(([name, type]): [string, string] => {
      const value = `${ax}.value.${name.slice(prefix.length)}`
      return [type, members.get(value) ?? members.get(`${value}.1`) ?? '']
    }),
  )
}

/** A verified assertion; contains only signed members. */
export interface Assertion {
  readonly endpoint: string
  readonly claimedId: string
  readonly localId: string
  /** Signed members, without `openid.`. */
  readonly members: ReadonlyMap<string, string>
  readonly replay: TokenReplay
}

/** Maximum age of a reply, and how far its time may be ahead, by the provider's clock. */
const MAX_AGE_MS = 6 * 3_600_000
const MAX_AHEAD_MS = 300_000
const MUST_BE_SIGNED = ['op_endpoint', 'return_to', 'response_nonce', 'assoc_handle', 'claimed_id', 'identity']
const MAX_MEMBERS = 100

/**
 * Reads the assertion in a callback and checks that it's for us. `checkAuthentication` checks that it's genuine.
 * @throws {ProviderError} `cancelled`, `unknown`
 * @see OpenID Authentication 2.0, sections 10 and 11.1 to 11.3
 */
export function readAssertion(
  params: URLSearchParams,
  expected: { readonly returnTo: string; readonly endpoint: string; readonly nowMs: number },
): Assertion {
  const all = parseOpenidMembers(params)
  const mode = all.get('mode')
  if (mode === 'cancel') throw new ProviderError('cancelled', 'the person refused')
  if (all.get('ns') !== OPENID_NS || mode !== 'id_res') throw new ProviderError('unknown', 'there is no assertion')
  const signed = (all.get('signed') ?? '').split(',')
  const members = new Map([...all].filter(([name]) => signed.includes(name)))
  const missing = MUST_BE_SIGNED.find((name) => !members.get(name))
  if (missing !== undefined) throw new ProviderError('unknown', `${missing} is not signed`)
  const { returnTo, endpoint, nowMs } = expected
  if (members.get('return_to') !== returnTo || !echoesReturnTo(params, returnTo)) {
    throw new ProviderError('unknown', 'the assertion is for another address')
  }
  if (members.get('op_endpoint') !== endpoint) throw new ProviderError('unknown', 'another provider has answered')
  return {
    endpoint,
    claimedId: members.get('claimed_id') ?? '',
    localId: members.get('identity') ?? '',
    members,
    replay: parseResponseNonce(endpoint, members.get('response_nonce') ?? '', nowMs),
  }
}

function parseOpenidMembers(params: URLSearchParams): ReadonlyMap<string, string> {
  const all = new Map<string, string>()
  for (const [name, value] of params) {
    if (!name.startsWith('openid.')) continue
    if (all.has(name.slice(7)) || all.size >= MAX_MEMBERS) throw new ProviderError('unknown', 'a member stands twice')
    all.set(name.slice(7), value)
  }
  return all
}

/** Returns whether the callback has the query of `return_to` (section 11.1). */
const echoesReturnTo = (params: URLSearchParams, returnTo: string): boolean =>
  [...new URL(returnTo).searchParams].every(([name, value]) => params.getAll(name).join('\n') === value)

/** Returns the record of a nonce, which may be used once. Refuses old ones (section 11.3). */
function parseResponseNonce(endpoint: string, nonce: string, nowMs: number): TokenReplay {
  const stamp = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)[\x21-\x7e]{0,235}$/.exec(nonce)?.[1]
  const atMs = Date.parse(stamp ?? '')
  // Negated, so that it refuses `NaN`.
  if (!(atMs > nowMs - MAX_AGE_MS && atMs < nowMs + MAX_AHEAD_MS))
    throw new ProviderError('unknown', 'the nonce is too old')
  return { issuer: endpoint, jti: nonce, expiresAtMs: atMs + MAX_AGE_MS }
}

/**
 * Asks the provider whether it made an assertion, because no secret is shared with it.
 * @throws {ProviderError} `unknown` if it didn't
 * @see OpenID Authentication 2.0, section 11.4.2
 */
export async function checkAuthentication(io: ExchangeIo, endpoint: string, params: URLSearchParams): Promise<void> {
  const what = 'the check of an assertion'
  const body = new URLSearchParams([...params].filter(([name]) => name.startsWith('openid.')))
  body.set('openid.mode', 'check_authentication')
  const reply = expectStatus(await askProvider(io, new Request(endpoint, { method: 'POST', body }), what), what)
  if (!reply.text.split('\n').some((line) => line.trim() === 'is_valid:true')) {
    throw new ProviderError('unknown', 'the provider does not stand by the assertion')
  }
}
