import { type ExchangeIo, ProviderError, type TokenReplay } from '../exchange.ts'
import { askProvider, expectStatus } from '../wire/provider-reply.ts'

/** Namespace of OpenID Authentication 2.0. */
export const OPENID_NS = 'http://specs.openid.net/auth/2.0'

/** What a provider says, once it stands by it; only of what it signed. */
export interface Assertion {
  readonly endpoint: string
  readonly claimedId: string
  readonly localId: string
  /** Signed members, without `openid.`. */
  readonly members: ReadonlyMap<string, string>
  readonly replay: TokenReplay
}

/** Age of an answer, by the clock of the provider. */
const OLDEST_MS = 6 * 3_600_000
const AHEAD_MS = 300_000
const MUST_BE_SIGNED = ['op_endpoint', 'return_to', 'response_nonce', 'assoc_handle', 'claimed_id', 'identity']
const MOST_MEMBERS = 100

/**
 * What came back, if it is an answer for us: not yet whether the provider stands by it.
 * @throws {ProviderError} `cancelled`, `unknown`
 * @see OpenID Authentication 2.0, sections 10 and 11.1 to 11.3
 */
export function readAssertion(
  params: URLSearchParams,
  expected: { readonly returnTo: string; readonly endpoint: string; readonly nowMs: number },
): Assertion {
  const all = membersOf(params)
  const mode = all.get('mode')
  if (mode === 'cancel') throw new ProviderError('cancelled', 'the person refused')
  if (all.get('ns') !== OPENID_NS || mode !== 'id_res') throw new ProviderError('unknown', 'there is no assertion')
  const signed = (all.get('signed') ?? '').split(',')
  const members = new Map([...all].filter(([name]) => signed.includes(name)))
  const missing = MUST_BE_SIGNED.find((name) => !members.get(name))
  if (missing !== undefined) throw new ProviderError('unknown', `${missing} is not signed`)
  const { returnTo, endpoint, nowMs } = expected
  if (members.get('return_to') !== returnTo || !echoes(params, returnTo)) {
    throw new ProviderError('unknown', 'the assertion is for another address')
  }
  if (members.get('op_endpoint') !== endpoint) throw new ProviderError('unknown', 'another provider has answered')
  return {
    endpoint,
    claimedId: members.get('claimed_id') ?? '',
    localId: members.get('identity') ?? '',
    members,
    replay: replayOf(endpoint, members.get('response_nonce') ?? '', nowMs),
  }
}

function membersOf(params: URLSearchParams): ReadonlyMap<string, string> {
  const all = new Map<string, string>()
  for (const [name, value] of params) {
    if (!name.startsWith('openid.')) continue
    if (all.has(name.slice(7)) || all.size >= MOST_MEMBERS) throw new ProviderError('unknown', 'a member stands twice')
    all.set(name.slice(7), value)
  }
  return all
}

/** Whether the query of `return_to` is that of the callback too. Section 11.1 */
const echoes = (params: URLSearchParams, returnTo: string): boolean =>
  [...new URL(returnTo).searchParams].every(([name, value]) => params.getAll(name).join('\n') === value)

/** A nonce counts once, and only while it is young. Section 11.3 */
function replayOf(endpoint: string, nonce: string, nowMs: number): TokenReplay {
  const stamp = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)[\x21-\x7e]{0,235}$/.exec(nonce)?.[1]
  const atMs = Date.parse(stamp ?? '')
  // `NaN` fits nowhere.
  if (!(atMs > nowMs - OLDEST_MS && atMs < nowMs + AHEAD_MS)) throw new ProviderError('unknown', 'the nonce is too old')
  return { issuer: endpoint, jti: nonce, expiresAtMs: atMs + OLDEST_MS }
}

/**
 * Asks the provider whether it has said this: no secret is shared with it.
 * @throws {ProviderError} `unknown` when it has not
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
