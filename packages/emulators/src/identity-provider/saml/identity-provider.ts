import { generateKeyPairSync } from 'node:crypto'
import { IDENTITY_PROVIDER_CERTIFICATE, IDENTITY_PROVIDER_KEY } from '../id-token.ts'
import { formPostReply, textReply } from '../reply.ts'
import { type PersonAsk, type Served, serveFetch } from '../serve-fetch.ts'
import type { EmulatedPerson } from '../shape.ts'
import { FIRST_PERSON } from '../state.ts'
import {
  isSignedRedirect,
  readRedirect,
  redirectAddress,
  assertionXml,
  attributesOf,
  logoutRequestXml,
  logoutResponseXml,
  metadataXml,
  responseXml,
  signedAssertion,
  wrapped,
  type IncomingMessage,
  type Asserted,
} from './messages.ts'
import { signedElement, type XmlSigning } from './xml.ts'

/** A stand-in for a SAML 2.0 identity provider. */
export interface SamlIdentityProvider {
  readonly entityId: string
  /** PEM. */
  readonly certificate: string
  /** Addresses: the served ones, before `listen` those below `https://saml.idp.example`. */
  addresses(): { readonly metadata: string; readonly sso: string; readonly slo: string }
  signIn(person: EmulatedPerson): void
  addServiceProvider(provider: SamlServiceProvider): void
  /** Answers metadata, single sign-on and single logout. */
  fetch(request: Request): Promise<Response>
  /** A response that nobody asked for, or to the request `inResponseTo`. */
  respond(entityId: string, about?: { readonly inResponseTo?: string; readonly relayState?: string }): SamlPost
  /**
   * Address to which the browser of a person is sent to be logged out at the service provider.
   * @param about Default: the person who is signed in, with all their sessions.
   */
  logoutAddress(
    entityId: string,
    about?: { readonly nameId?: string; readonly sessionIndexes?: readonly string[] },
  ): string
  /** The same as a form field that the browser posts to the service provider. */
  logoutPost(entityId: string, about?: Parameters<SamlIdentityProvider['logoutAddress']>[1]): string
  /** All answers have this fault, until cleared. */
  fail(how: SamlFault): void
  clearFaults(): void
  /** Serves it on loopback; a browser is asked who signs in. Rejects when the port is taken. */
  listen(port?: number): Promise<Served>
}

interface World {
  readonly options: SamlOptions
  readonly providers: Map<string, SamlServiceProvider>
  person: EmulatedPerson
  fault: SamlFault | null
  base: string
}

const REAL_BASE = 'https://saml.idp.example'
const DAY_MS = 86_400_000

const messageId = ({ options }: World): string => `_${options.random(16).toString('hex')}`

function signingOf({ fault }: World): XmlSigning {
  const other = (): string =>
    generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  return {
    key: fault === 'other_key' ? other() : IDENTITY_PROVIDER_KEY,
    certificate: IDENTITY_PROVIDER_CERTIFICATE,
    hash: fault === 'deprecated_algorithm' ? 'sha1' : 'sha256',
  }
}

const FAULTY_TIME: Readonly<Partial<Record<SamlFault, number>>> = { expired: -DAY_MS, not_yet_valid: DAY_MS }

function assertedOf(
  world: World,
  provider: SamlServiceProvider,
  consumerUrl: string,
  inResponseTo: string | null,
): Asserted {
  const { fault, options, person } = world
  const isEmailNameId = options.nameId === 'email'
  const said = (options.attributes ?? attributesOf)(person)
  const kept = Object.entries(said).filter(([, value]) => fault !== 'no_uid' || value !== person.id)
  const name = isEmailNameId ? (person.email ?? '') : person.id
  return {
    id: messageId(world),
    issuer: fault === 'other_issuer' ? 'https://another-idp.example' : options.entityId,
    audience: fault === 'wrong_audience' ? 'https://another-sp.example' : provider.entityId,
    recipient: fault === 'wrong_recipient' ? 'https://another-sp.example/acs' : consumerUrl,
    inResponseTo,
    nowMs: options.now() + (FAULTY_TIME[fault ?? 'denied'] ?? 0),
    nameId: fault === 'no_uid' ? '' : name,
    isEmailNameId,
    attributes: Object.fromEntries(kept),
  }
}

/** The assertion or assertions of a response, with the fault. */
function assertionsOf(world: World, said: Asserted): readonly string[] {
  const { fault, options } = world
  const isBare = fault === 'unsigned' || options.signs === 'response'
  const xml = isBare ? assertionXml(said) : signedAssertion(said, signingOf(world))
  if (fault === 'bad_signature') return [xml.replaceAll(said.nameId, `${said.nameId}1`)]
  // A comment does not change what was signed, but may split what is read.
  if (fault === 'commented_name')
    return [xml.replace(`>${said.nameId}<`, `>${said.nameId.slice(0, 1)}<!---->${said.nameId.slice(1)}<`)]
  if (fault !== 'wrapped_beside' && fault !== 'wrapped_inside') return [xml]
  const attributes = Object.fromEntries(
    Object.entries(said.attributes).map(([name, value]) => [name, value === said.nameId ? 'forged' : value]),
  )
  const forged = assertionXml({ ...said, id: messageId(world), nameId: 'forged', attributes })
  return wrapped(xml, forged, fault === 'wrapped_beside' ? 'beside' : 'inside')
}

function postOf(
  world: World,
  provider: SamlServiceProvider,
  consumerUrl: string,
  asked: string | null,
  relayState: string,
  isRefused: boolean,
): SamlPost {
  const { fault, options } = world
  if (fault === 'malformed') return { SAMLResponse: 'bm90IHhtbA==', RelayState: relayState }
  const inResponseTo = fault === 'no_in_response_to' ? null : fault === 'wrong_in_response_to' ? '_another' : asked
  const said = assertedOf(world, provider, consumerUrl, inResponseTo)
  const destination = fault === 'wrong_destination' ? 'https://another-sp.example/acs' : consumerUrl
  const head = { id: messageId(world), issuer: said.issuer, destination, inResponseTo, nowMs: options.now() }
  const xml = isRefused ? responseXml(head, 'AuthnFailed') : responseXml(head, null, ...assertionsOf(world, said))
  const isWhole = options.signs === 'response' || options.signs === 'both'
  const sent = isWhole && fault !== 'unsigned' ? signedElement(xml, head.id, signingOf(world)) : xml
  return { SAMLResponse: Buffer.from(sent).toString('base64'), RelayState: relayState }
}

/** A request of a registered service provider, for this address; or why not. */
function readRequest(
  world: World,
  url: URL,
  name: string,
  address: string,
): readonly [IncomingMessage, SamlServiceProvider] | Response {
  const message = readRedirect(url)
  if (message?.name !== name) return textReply(400, `No ${name}.`)
  const provider = world.providers.get(message.issuer)
  if (provider === undefined) return textReply(400, 'The service provider is not known here.')
  if (message.destination !== null && message.destination !== address)
    return textReply(400, 'The destination is another.')
  const isProved = provider.certificate === undefined || isSignedRedirect(url, provider.certificate)
  return isProved ? [message, provider] : textReply(400, 'The request is not signed.')
}

async function answerSso(world: World, url: URL, ask: PersonAsk): Promise<Response> {
  const read = readRequest(world, url, 'AuthnRequest', `${world.base}/sso`)
  if (read instanceof Response) return read
  const [message, provider] = read
  const consumerUrl = message.consumerUrl ?? provider.acsUrls[0] ?? ''
  if (!provider.acsUrls.includes(consumerUrl)) return textReply(400, 'The consumer address is not registered.')
  const person = world.fault === 'denied' ? null : await ask('SAML', provider.entityId, world.person)
  if (person instanceof Response) return person
  const asWhom = { ...world, person: person ?? world.person }
  const { SAMLResponse, RelayState } = postOf(
    asWhom,
    provider,
    consumerUrl,
    message.id,
    message.relayState ?? '',
    person === null,
  )
  return formPostReply(consumerUrl, { SAMLResponse, RelayState: message.relayState === null ? null : RelayState })
}

function answerSlo(world: World, url: URL): Response {
  if (url.searchParams.has('SAMLResponse')) return textReply(200, 'Logged out.')
  const read = readRequest(world, url, 'LogoutRequest', `${world.base}/slo`)
  if (read instanceof Response) return read
  const [message, provider] = read
  if (provider.slsUrl === undefined) return textReply(200, 'Logged out.')
  const head = {
    id: messageId(world),
    issuer: world.fault === 'other_issuer' ? 'https://another-idp.example' : world.options.entityId,
    destination: provider.slsUrl,
    inResponseTo: world.fault === 'wrong_in_response_to' ? '_another' : message.id,
    nowMs: world.options.now(),
  }
  const location = redirectAddress({
    target: provider.slsUrl,
    kind: 'SAMLResponse',
    xml: logoutResponseXml(head),
    relayState: message.relayState,
    key: world.fault === 'unsigned' ? null : signingOf(world).key,
  })
  return new Response(null, { status: 302, headers: { location } })
}

async function answer(world: World, request: Request, ask: PersonAsk): Promise<Response> {
  const url = new URL(request.url)
  const place = `${url.origin}${url.pathname}`
  if (![REAL_BASE, world.base].some((base) => place.startsWith(`${base}/`))) return textReply(404, 'Not found')
  if (world.fault === 'status_500') return textReply(500, 'Internal Server Error')
  const { entityId } = world.options
  if (url.pathname === '/metadata') {
    const xml = metadataXml(entityId, IDENTITY_PROVIDER_CERTIFICATE, `${world.base}/sso`, `${world.base}/slo`)
    const body = world.fault === 'malformed' ? xml.slice(0, 100) : xml
    return new Response(body, { status: 200, headers: { 'content-type': 'application/samlmetadata+xml' } })
  }
  if (url.pathname === '/sso') return answerSso(world, url, ask)
  return url.pathname === '/slo' ? answerSlo(world, url) : textReply(404, 'Not found')
}

function registeredAt(world: World, entityId: string): SamlServiceProvider {
  const provider = world.providers.get(entityId)
  if (provider === undefined) throw new Error(`no service provider ${entityId}`)
  return provider
}

function logoutRequestFor(
  world: World,
  target: string,
  { nameId = world.person.id, sessionIndexes = [] }: Parameters<SamlIdentityProvider['logoutAddress']>[1] = {},
): { readonly id: string; readonly xml: string } {
  const head = {
    id: messageId(world),
    issuer: world.options.entityId,
    destination: target,
    inResponseTo: null,
    nowMs: world.options.now(),
  }
  return { id: head.id, xml: logoutRequestXml(head, nameId, sessionIndexes) }
}

function logoutAddressFor(
  world: World,
  { slsUrl: target = '' }: SamlServiceProvider,
  about: Parameters<SamlIdentityProvider['logoutAddress']>[1],
): string {
  const key = world.fault === 'unsigned' ? null : signingOf(world).key
  const { xml } = logoutRequestFor(world, target, about)
  return redirectAddress({ target, kind: 'SAMLRequest', xml, relayState: null, key })
}

/** A SAML 2.0 identity provider of its own; its key is that of all emulated identity providers. */
export function samlIdentityProvider(options: SamlOptions): SamlIdentityProvider {
  const world: World = { options, providers: new Map(), person: FIRST_PERSON, fault: null, base: REAL_BASE }
  return {
    entityId: options.entityId,
    certificate: IDENTITY_PROVIDER_CERTIFICATE,
    addresses: () => ({ metadata: `${world.base}/metadata`, sso: `${world.base}/sso`, slo: `${world.base}/slo` }),
    signIn(person) {
      world.person = person
    },
    addServiceProvider: (provider) => void world.providers.set(provider.entityId, provider),
    fetch: (request) => answer(world, request, () => Promise.resolve(world.person)),
    respond(entityId, { inResponseTo, relayState } = {}) {
      const provider = registeredAt(world, entityId)
      return postOf(
        world,
        provider,
        provider.acsUrls[0] ?? '',
        inResponseTo ?? null,
        relayState ?? '',
        world.fault === 'denied',
      )
    },
    logoutAddress: (entityId, about) => logoutAddressFor(world, registeredAt(world, entityId), about),
    logoutPost(entityId, about) {
      const { id, xml } = logoutRequestFor(world, registeredAt(world, entityId).slsUrl ?? '', about)
      const sent = world.fault === 'unsigned' ? xml : signedElement(xml, id, signingOf(world))
      return Buffer.from(sent).toString('base64')
    },
    fail(how) {
      world.fault = how
    },
    clearFaults() {
      world.fault = null
    },
    async listen(port = 0) {
      const served = await serveFetch(port, (request, ask) => answer(world, request, ask))
      world.base = served.url
      return {
        url: served.url,
        close() {
          world.base = REAL_BASE
          return served.close()
        },
      }
    },
  }
}

/** What can be wrong with the answers of an identity provider. */
export type SamlFault =
  | 'unsigned'
  | 'bad_signature'
  | 'other_key'
  | 'deprecated_algorithm'
  | 'wrong_audience'
  | 'wrong_recipient'
  | 'wrong_destination'
  | 'expired'
  | 'not_yet_valid'
  | 'wrong_in_response_to'
  | 'no_in_response_to'
  | 'other_issuer'
  | 'wrapped_beside'
  | 'wrapped_inside'
  | 'commented_name'
  | 'no_uid'
  | 'denied'
  | 'malformed'
  | 'status_500'

/** A service provider, as registered. */
export interface SamlServiceProvider {
  readonly entityId: string
  /** Where assertions may be sent; the first is usual. */
  readonly acsUrls: readonly string[]
  /** Where logout messages are sent. */
  readonly slsUrl?: string
  /** PEM: its requests must then be signed. */
  readonly certificate?: string
}

/** How an identity provider is set up. */
export interface SamlOptions {
  readonly entityId: string
  /** Milliseconds since the Unix epoch. */
  now(): number
  random(length: number): Buffer
  /** What is signed. Default the assertion. */
  readonly signs?: 'assertion' | 'response' | 'both'
  /** What the name of the subject is. Default the id. */
  readonly nameId?: 'id' | 'email'
  /** Default: the attribute names most identity providers use. */
  readonly attributes?: (person: EmulatedPerson) => Readonly<Record<string, string>>
}

/** Form fields that a browser posts to a service provider. */
export interface SamlPost {
  readonly SAMLResponse: string
  readonly RelayState: string
}
