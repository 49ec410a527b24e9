import { createDiffieHellman, createHash, createHmac } from 'node:crypto'
import { jsonReply, textReply } from './reply.ts'
import { ALL_SCOPES, type Call, type EmulatedPerson, type Grant, type OwnShape, type Subject } from './shape.ts'
import { type Association, findClient, faultAt, secretText, type State } from './state.ts'
import { toShownSubject, withoutId } from './visible.ts'

const NS = 'http://specs.openid.net/auth/2.0'
const SELECT = `${NS}/identifier_select`
const SREG = 'http://openid.net/extensions/sreg/1.1'
const AX = 'http://openid.net/srv/ax/1.0'
/** Default modulus of OpenID Authentication 2.0, appendix B. */
const MODULUS =
  'dcf93a0b883972ec0e19989ac5a2ce310e1d37717e8d9571bb7623731866e61ef75a2e27898b057f9891c2e27a639c3f29b60814581cd3b2ca3986d2683705577d45c2e7e52dc81c7a171876e5cea74b1448bfdfaf18828efd2519f14e45e3826634af1949e5b535cc829a483b8a76223e5d490a257f05bdff16f2fb22c583ab'

const keyValues = (members: Readonly<Record<string, string>>, status = 200): Response =>
  new Response(
    Object.entries(members)
      .map(([name, value]) => `${name}:${value}\n`)
      .join(''),
    {
      status,
      headers: { 'content-type': 'text/plain' },
    },
  )

const failure = (error: string): Response => keyValues({ ns: NS, error }, 400)

/** Encodes as big-endian two's complement. OpenID Authentication 2.0, section 4.2 */
function btwoc(bytes: Buffer): Buffer {
  const start = bytes.findIndex((byte) => byte !== 0)
  const least = start === -1 ? Buffer.from([0]) : bytes.subarray(start)
  return (least[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.from([0]), least]) : least
}

/** Establishes a shared key. OpenID Authentication 2.0, section 8 */
function associate(state: State, form: URLSearchParams): Response {
  const type = form.get('openid.assoc_type')
  const session = form.get('openid.session_type')
  if (type !== 'HMAC-SHA1' && type !== 'HMAC-SHA256') return failure('Unsupported association type.')
  const length = type === 'HMAC-SHA1' ? 20 : 32
  const key = state.io.random(length)
  const handle = secretText(state, 9)
  state.associations.set(handle, { type, key, isPrivate: false })
  const common = { ns: NS, assoc_handle: handle, session_type: session ?? '', assoc_type: type, expires_in: '3600' }
  if (session === 'no-encryption') return keyValues({ ...common, mac_key: key.toString('base64') })
  if (session !== `DH-${type === 'HMAC-SHA1' ? 'SHA1' : 'SHA256'}`) return failure('Unsupported session type.')
  const modulus = form.get('openid.dh_modulus')
  const prime = modulus === null ? Buffer.from(MODULUS, 'hex') : Buffer.from(modulus, 'base64')
  const dh = createDiffieHellman(prime, Buffer.from(form.get('openid.dh_gen') ?? 'Ag==', 'base64'))
  dh.generateKeys()
  const shared = dh.computeSecret(Buffer.from(form.get('openid.dh_consumer_public') ?? '', 'base64'))
  const digest = createHash(type === 'HMAC-SHA1' ? 'sha1' : 'sha256')
    .update(btwoc(shared))
    .digest()
  const masked = Buffer.from(key.map((byte, index) => byte ^ (digest[index] ?? 0)))
  return keyValues({
    ...common,
    dh_server_public: btwoc(dh.getPublicKey()).toString('base64'),
    enc_mac_key: masked.toString('base64'),
  })
}

function signMessage(association: Association, members: URLSearchParams): string {
  const signed = (members.get('openid.signed') ?? '').split(',')
  const text = signed.map((name) => `${name}:${members.get(`openid.${name}`) ?? ''}\n`).join('')
  return createHmac(association.type === 'HMAC-SHA1' ? 'sha1' : 'sha256', association.key)
    .update(text)
    .digest('base64')
}

/** Verifies an assertion, once, and only with a private key of the endpoint. OpenID Authentication 2.0, section 11.4.2 */
function checkAuthentication(state: State, form: URLSearchParams): Response {
  const association = state.associations.get(form.get('openid.assoc_handle') ?? '')
  const nonce = `openid ${form.get('openid.response_nonce') ?? ''}`
  const isValid =
    association?.isPrivate === true &&
    !state.nonces.has(nonce) &&
    signMessage(association, form) === form.get('openid.sig')
  state.nonces.add(nonce)
  return keyValues({ ns: NS, is_valid: String(isValid) })
}

const findAlias = (query: URLSearchParams, namespace: string): string | null =>
  [...query]
    .find(([name, value]) => name.startsWith('openid.ns.') && value === namespace)?.[0]
    .slice('openid.ns.'.length) ?? null

const AX_VALUES: Readonly<Record<string, (who: Subject) => string>> = {
  'http://axschema.org/contact/email': (who) => who.email ?? '',
  'http://axschema.org/namePerson': (who) => who.fullName,
  'http://axschema.org/namePerson/first': (who) => who.firstName,
  'http://axschema.org/namePerson/last': (who) => who.lastName,
}

/** Returns the requested attributes of the person. Simple Registration 1.1; Attribute Exchange 1.0 */
function toExtensionParameters(query: URLSearchParams, who: Subject): Readonly<Record<string, string>> {
  const members: Record<string, string> = {}
  const sreg = findAlias(query, SREG)
  if (sreg !== null) {
    const asked = `${query.get(`openid.${sreg}.required`) ?? ''},${query.get(`openid.${sreg}.optional`) ?? ''}`.split(
      ',',
    )
    members['ns.sreg'] = SREG
    if (asked.includes('email') && who.email !== null) members['sreg.email'] = who.email
    if (asked.includes('fullname')) members['sreg.fullname'] = who.fullName
  }
  const ax = findAlias(query, AX)
  if (ax === null) return members
  Object.assign(members, { 'ns.ax': AX, 'ax.mode': 'fetch_response' })
  for (const [name, type] of query) {
    if (!name.startsWith(`openid.${ax}.type.`) || AX_VALUES[type] === undefined) continue
    const alias = name.slice(`openid.${ax}.type.`.length)
    members[`ax.type.${alias}`] = type
    members[`ax.value.${alias}`] = AX_VALUES[type](who)
  }
  return members
}

/** Whether `return_to` is within the realm. */
function isReturnAllowed(query: URLSearchParams): boolean {
  const returnTo = query.get('openid.return_to') ?? ''
  const realm = query.get('openid.realm') ?? returnTo
  if (!URL.canParse(returnTo) || !URL.canParse(realm.replace('://*.', '://'))) return false
  const [to, within] = [new URL(returnTo), new URL(realm.replace('://*.', '://'))]
  const hostFits = to.host === within.host || (realm.includes('://*.') && to.host.endsWith(`.${within.host}`))
  return hostFits && to.protocol === within.protocol && to.pathname.startsWith(within.pathname)
}

/** Redirects with an assertion, or with the refusal. OpenID Authentication 2.0, section 10 */
export function settleOpenid(state: State, shape: OwnShape, call: Call, person: EmulatedPerson | null): Response {
  const query = readMessage(call)
  const target = new URL(query.get('openid.return_to') ?? '')
  const put = (members: Readonly<Record<string, string>>): void => {
    for (const [name, value] of Object.entries(members)) target.searchParams.append(`openid.${name}`, value)
  }
  if (person === null) {
    put({ ns: NS, mode: 'cancel' })
    return new Response(null, { status: 302, headers: { location: target.href } })
  }
  const grant: Grant = { provider: call.provider, clientId: '', person, scopes: [ALL_SCOPES], nonce: null, asked: {} }
  const who = toShownSubject(state, shape, call, grant)
  const own =
    call.provider === 'steam'
      ? `https://steamcommunity.com/openid/id/${who.id}`
      : call.at(`https://openid.example/people/${who.username}`)
  const claimed = query.get('openid.claimed_id') ?? SELECT
  const handle = state.associations.has(query.get('openid.assoc_handle') ?? '')
    ? query.get('openid.assoc_handle')
    : null
  const used = handle ?? secretText(state, 9)
  if (handle === null) state.associations.set(used, { type: 'HMAC-SHA256', key: state.io.random(32), isPrivate: true })
  const nonce = `${new Date(state.io.now()).toISOString().slice(0, 19)}Z${secretText(state, 6)}`
  const main = {
    ns: NS,
    mode: 'id_res',
    op_endpoint: call.at(shape.secondAuthorize ?? ''),
    claimed_id: claimed === SELECT ? own : claimed,
    identity: claimed === SELECT ? own : (query.get('openid.identity') ?? own),
    return_to: target.href,
    response_nonce: nonce,
    assoc_handle: used,
  }
  const extensions = toExtensionParameters(query, who)
  const signed = [...Object.keys(main).filter((name) => !['ns', 'mode'].includes(name)), ...Object.keys(extensions)]
  put({ ...main, ...extensions, signed: signed.join(',') })
  const association = state.associations.get(used)
  const bad = faultAt(state, call.provider, 'authorize') === 'bad_signature'
  if (association !== undefined) put({ sig: bad ? 'AAAA' : signMessage(association, target.searchParams) })
  return new Response(null, { status: 302, headers: { location: target.href } })
}

/** Returns a message from the query or form. OpenID Authentication 2.0, section 5.2 */
const readMessage = ({ url, form }: Call): URLSearchParams =>
  url.searchParams.has('openid.mode') ? url.searchParams : form

/** Handles calls that need no person; `null` when a person must be asked. */
export function answerOpenid(state: State, shape: OwnShape, call: Call): Response | null {
  if (call.kind === 'profile') return answerSteamProfile(state, shape, call)
  const sent = readMessage(call)
  const mode = sent.get('openid.mode')
  if (call.kind === 'discovery' || mode === null) return toDiscoveryDocument(shape, call)
  if (mode === 'associate') return call.provider === 'steam' ? failure('Not supported.') : associate(state, sent)
  if (mode === 'check_authentication') return checkAuthentication(state, sent)
  if (mode !== 'checkid_setup' && mode !== 'checkid_immediate') return failure('Unknown mode.')
  return isReturnAllowed(sent) ? null : textReply(400, "return_to isn't within the realm.")
}

/** Returns the Yadis 1.0 document with the endpoint. OpenID Authentication 2.0, section 7.3 */
function toDiscoveryDocument(shape: OwnShape, call: Call): Response {
  const isOwnPage = call.kind === 'discovery'
  const type = isOwnPage ? `${NS}/signon` : `${NS}/server`
  const uri = call.at(shape.secondAuthorize ?? '')
  const xml = `<?xml version="1.0" encoding="UTF-8"?>
<xrds:XRDS xmlns:xrds="xri://$xrds" xmlns="xri://$xrd*($v*2.0)"><XRD><Service priority="0">
<Type>${type}</Type><Type>${SREG}</Type><Type>${AX}</Type><URI>${uri}</URI></Service></XRD></xrds:XRDS>`
  return new Response(xml, { status: 200, headers: { 'content-type': 'application/xrds+xml;charset=utf-8' } })
}

/** @see Steam Web API, "GetPlayerSummaries" */
function answerSteamProfile(state: State, shape: OwnShape, call: Call): Response {
  const query = call.url.searchParams
  const key = query.get('key')
  const client = [...(state.clients.get(call.provider)?.values() ?? [])].find(({ secret }) => secret === key)
  if (client === undefined || findClient(state, call.provider, client.clientId) === null)
    return textReply(403, 'Forbidden')
  const grant: Grant = {
    provider: call.provider,
    clientId: client.clientId,
    person: state.person,
    scopes: [ALL_SCOPES],
    nonce: null,
    asked: {},
  }
  const who = toShownSubject(state, shape, call, grant)
  const isAsked = query.get('steamids') === state.person.id
  return jsonReply(200, isAsked ? withoutId(shape.profileReply?.(who, call, grant)) : { response: { players: [] } })
}
