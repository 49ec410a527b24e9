import type { JsonObject } from '../../kernel/settings/json-object.ts'
import { isRecord } from '../../kernel/settings/kind.ts'
import { endpointOf, isLoopback, optionOf } from '../apps/app-options.ts'
import { type Exchange, type ExchangeCall, type ExchangeStart, ProviderError } from '../exchange.ts'
import { personOf } from '../profile/profile-mapping.ts'
import { textAt, valueAt } from '../profile/profile-path.ts'
import { askProvider, goodObjectOf } from '../wire/provider-reply.ts'
import { type Assertion, checkAuthentication, OPENID_NS, readAssertion } from './assertion.ts'
import { attributeRequest, attributesOf } from './attributes.ts'
import { discoverOpenid, type DiscoveryIo, normalIdentifier } from './discovery.ts'
import type { FixedOpenid, Openid2Record } from './record.ts'
import type { DiscoveredOpenid } from './xrds.ts'

const SELECT = `${OPENID_NS}/identifier_select`

/**
 * What speaks OpenID 2.0, without shared secrets: the provider is asked whether an answer is its own.
 * `begin` reads the parameter `openid`, what the visitor typed, unless the provider is a fixed one.
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
        'openid.realm': realmOf(call),
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
      await checkAuthentication(fixed === undefined ? untrusted(call).io : call.io, endpoint, params)
      const profile = fixed === undefined ? {} : await fixedProfile(call, fixed, assertion)
      const told = fixed === undefined ? attributesOf(call.app, assertion) : profile
      const person = personOf({ claimed_id: assertion.claimedId, ...told }, record.person)
      return { ...person, extraData: told, tokens: null, replay: assertion.replay }
    },
  }
}

/** Section 9.2. */
function realmOf({ app, redirectUri }: ExchangeCall): string {
  const realm = optionOf(app, 'realm')
  return typeof realm === 'string' && realm !== '' ? realm : `${new URL(redirectUri).origin}/`
}

/** Addresses of strangers: they must be public ones, but for a site in development. */
function untrusted({ io, redirectUri }: ExchangeCall): DiscoveryIo {
  return {
    io: { ...io, fetch: io.fetchPublic ?? io.fetch },
    allowLoopback: isLoopback(new URL(redirectUri).hostname),
  }
}

type Found = DiscoveredOpenid & { readonly asked: string }

async function discoverTyped(call: ExchangeCall, { query }: ExchangeStart): Promise<Found> {
  const discovery = untrusted(call)
  const asked = normalIdentifier(query.get('openid') ?? '', discovery.allowLoopback)
  return { ...(await discoverOpenid(discovery, asked, true)), asked }
}

const fixedOpenid = ({ app }: ExchangeCall, { endpoint }: FixedOpenid): Found => ({
  endpoint: endpointOf(app, 'authorize_url', endpoint),
  claimedId: null,
  localId: null,
  asked: endpoint,
})

/** Whether this provider may speak for the identifier: asked of the identifier itself. Section 11.2 */
async function requireAuthority(call: ExchangeCall, assertion: Assertion, kept: JsonObject): Promise<void> {
  const claimed = assertion.claimedId.split('#', 1)[0] ?? ''
  const discovery = untrusted(call)
  const normal = normalIdentifier(claimed, discovery.allowLoopback)
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
  const url = new URL(endpointOf(call.app, 'profile_url', profile.url))
  url.searchParams.set(profile.keyParam, call.app.secret)
  url.searchParams.set(profile.idParam, id)
  const reply = goodObjectOf(await askProvider(call.io, new Request(url), 'the profile call'), 'the profile call')
  const found = valueAt(reply, profile.root)
  if (!isRecord(found)) return { [profile.id]: id }
  if (textAt(found, profile.id) !== id) throw new ProviderError('unknown', 'the profile is of somebody else')
  return found
}
