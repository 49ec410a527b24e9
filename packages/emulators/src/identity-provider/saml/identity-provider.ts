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
  toAttributes,
  logoutRequestXml,
  logoutResponseXml,
  metadataXml,
  responseXml,
  signedAssertion,
  wrapAssertion,
  type IncomingMessage,
  type AssertionData,
} from './messages.ts'
import { signedElement, type XmlSigning } from './xml.ts'

/** An emulator of a SAML 2.0 identity provider. */
export interface SamlIdentityProvider {
  readonly entityId: string
  /** PEM. */
  readonly certificate: string
  /** Returns the served addresses, or those below `https://saml.idp.example` before `listen`. */
  addresses(): { readonly metadata: string; readonly sso: string; readonly slo: string }
  signIn(person: EmulatedPerson): void
  addServiceProvider(provider: SamlServiceProvider): void
  /** Handles metadata, single sign-on and single logout. */
  fetch(request: Request): Promise<Response>
  /** Returns an unsolicited response, or one to the request `inResponseTo`. */
  respond(entityId: string, about?: { readonly inResponseTo?: string; readonly relayState?: string }): SamlPost
  /**
   * Returns the address that signs a person out at the service provider.
   * @param about Default: the current person, with all their sessions.
   */
  logoutAddress(
    entityId: string,
    about?: { readonly nameId?: string; readonly sessionIndexes?: readonly string[] },
  ): string
  /** Returns the logout request as a form field to post to the service provider. */
  logoutPost(entityId: string, about?: Parameters<SamlIdentityProvider['logoutAddress']>[1]): string
  /** Applies a fault to all responses until cleared. */
  fail(how: SamlFault): void
  clearFaults(): void
  /** Serves the provider on loopback; browsers get a page to pick a person. Rejects when the port is taken. */
  listen(port?: number): Promise<Served>
}

interface SamlState {
  readonly options: SamlOptions
  readonly providers: Map<string, SamlServiceProvider>
  person: EmulatedPerson
  fault: SamlFault | null
  base: string
}

const REAL_BASE = 'https://saml.idp.example'
const DAY_MS = 86_400_000

const messageId = ({ options }: SamlState): string => `_${options.random(16).toString('hex')}`

function toSigning({ fault }: SamlState): XmlSigning {
  const other = (): string =>
    generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  return {
    key: fault === 'other_key' ? other() : IDENTITY_PROVIDER_KEY,
    certificate: IDENTITY_PROVIDER_CERTIFICATE,
    hash: fault === 'deprecated_algorithm' ? 'sha1' : 'sha256',
  }
}

const FAULTY_TIME: Readonly<Partial<Record<SamlFault, number>>> = { expired: -DAY_MS, not_yet_valid: DAY_MS }

function toAssertionData(
  state: SamlState,
  provider: SamlServiceProvider,
  consumerUrl: string,
  inResponseTo: string | null,
): AssertionData {
  const { fault, options, person } = state
  const isEmailNameId = options.nameId === 'email'
  const said = (options.attributes ?? toAttributes)(person)
  const kept = Object.entries(said).filter(([, value]) => fault !== 'no_uid' || value !== person.id)
  const name = isEmailNameId ? (person.email ?? '') : person.id
  return {
    id: messageId(state),
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

/** Returns the assertions of a response, with the fault. */
function createAssertions(state: SamlState, said: AssertionData): readonly string[] {
  const { fault, options } = state
  const isBare = fault === 'unsigned' || options.signs === 'response'
  const xml = isBare ? assertionXml(said) : signedAssertion(said, toSigning(state))
  if (fault === 'bad_signature') return [xml.replaceAll(said.nameId, `${said.nameId}1`)]
  // a comment doesn't change the signed content, but can split the text for naive parsers
  if (fault === 'commented_name')
    return [xml.replace(`>${said.nameId}<`, `>${said.nameId.slice(0, 1)}<!---->${said.nameId.slice(1)}<`)]
  if (fault !== 'wrapped_beside' && fault !== 'wrapped_inside') return [xml]
  const attributes = Object.fromEntries(
    Object.entries(said.attributes).map(([name, value]) => [name, value === said.nameId ? 'forged' : value]),
  )
  const forged = assertionXml({ ...said, id: messageId(state), nameId: 'forged', attributes })
  return wrapAssertion(xml, forged, fault === 'wrapped_beside' ? 'beside' : 'inside')
}

function createPost(
  state: SamlState,
  provider: SamlServiceProvider,
  consumerUrl: string,
  requestId: string | null,
  relayState: string,
  isRefused: boolean,
): SamlPost {
  const { fault, options } = state
  if (fault === 'malformed') return { SAMLResponse: 'bm90IHhtbA==', RelayState: relayState }
  const inResponseTo = fault === 'no_in_response_to' ? null : fault === 'wrong_in_response_to' ? '_another' : requestId
  const said = toAssertionData(state, provider, consumerUrl, inResponseTo)
  const destination = fault === 'wrong_destination' ? 'https://another-sp.example/acs' : consumerUrl
  const head = { id: messageId(state), issuer: said.issuer, destination, inResponseTo, nowMs: options.now() }
  const xml = isRefused ? responseXml(head, 'AuthnFailed') : responseXml(head, null, ...createAssertions(state, said))
  const isWhole = options.signs === 'response' || options.signs === 'both'
  const sent = isWhole && fault !== 'unsigned' ? signedElement(xml, head.id, toSigning(state)) : xml
  return { SAMLResponse: Buffer.from(sent).toString('base64'), RelayState: relayState }
}

/** Parses and checks a request of a registered service provider. Returns the error response if it is invalid. */
function readRequest(
  state: SamlState,
  url: URL,
  name: string,
  address: string,
): readonly [IncomingMessage, SamlServiceProvider] | Response {
  const message = readRedirect(url)
  if (message?.name !== name) return textReply(400, `No ${name}.`)
  const provider = state.providers.get(message.issuer)
  if (provider === undefined) return textReply(400, 'Unknown service provider.')
  if (message.destination !== null && message.destination !== address) return textReply(400, 'Wrong destination.')
  const isProved = provider.certificate === undefined || isSignedRedirect(url, provider.certificate)
  return isProved ? [message, provider] : textReply(400, "The request isn't signed.")
}

async function answerSso(state: SamlState, url: URL, ask: PersonAsk): Promise<Response> {
  const read = readRequest(state, url, 'AuthnRequest', `${state.base}/sso`)
  if (read instanceof Response) return read
  const [message, provider] = read
  const consumerUrl = message.consumerUrl ?? provider.acsUrls[0] ?? ''
  if (!provider.acsUrls.includes(consumerUrl)) return textReply(400, "The consumer address isn't registered.")
  const person = state.fault === 'denied' ? null : await ask('SAML', provider.entityId, state.person)
  if (person instanceof Response) return person
  const asWhom = { ...state, person: person ?? state.person }
  const { SAMLResponse, RelayState } = createPost(
    asWhom,
    provider,
    consumerUrl,
    message.id,
    message.relayState ?? '',
    person === null,
  )
  return formPostReply(consumerUrl, { SAMLResponse, RelayState: message.relayState === null ? null : RelayState })
}

function answerSlo(state: SamlState, url: URL): Response {
  if (url.searchParams.has('SAMLResponse')) return textReply(200, 'Signed out.')
  const read = readRequest(state, url, 'LogoutRequest', `${state.base}/slo`)
  if (read instanceof Response) return read
  const [message, provider] = read
  if (provider.slsUrl === undefined) return textReply(200, 'Signed out.')
  const head = {
    id: messageId(state),
    issuer: state.fault === 'other_issuer' ? 'https://another-idp.example' : state.options.entityId,
    destination: provider.slsUrl,
    inResponseTo: state.fault === 'wrong_in_response_to' ? '_another' : message.id,
    nowMs: state.options.now(),
  }
  const location = redirectAddress({
    target: provider.slsUrl,
    kind: 'SAMLResponse',
    xml: logoutResponseXml(head),
    relayState: message.relayState,
    key: state.fault === 'unsigned' ? null : toSigning(state).key,
  })
  return new Response(null, { status: 302, headers: { location } })
}

async function answer(state: SamlState, request: Request, ask: PersonAsk): Promise<Response> {
  const url = new URL(request.url)
  const place = `${url.origin}${url.pathname}`
  if (![REAL_BASE, state.base].some((base) => place.startsWith(`${base}/`))) return textReply(404, 'Not found')
  if (state.fault === 'status_500') return textReply(500, 'Internal Server Error')
  const { entityId } = state.options
  if (url.pathname === '/metadata') {
    const xml = metadataXml(entityId, IDENTITY_PROVIDER_CERTIFICATE, `${state.base}/sso`, `${state.base}/slo`)
    const body = state.fault === 'malformed' ? xml.slice(0, 100) : xml
    return new Response(body, { status: 200, headers: { 'content-type': 'application/samlmetadata+xml' } })
  }
  if (url.pathname === '/sso') return answerSso(state, url, ask)
  return url.pathname === '/slo' ? answerSlo(state, url) : textReply(404, 'Not found')
}

function requireProvider(state: SamlState, entityId: string): SamlServiceProvider {
  const provider = state.providers.get(entityId)
  if (provider === undefined) throw new Error(`no service provider ${entityId}`)
  return provider
}

function logoutRequestFor(
  state: SamlState,
  target: string,
  { nameId = state.person.id, sessionIndexes = [] }: Parameters<SamlIdentityProvider['logoutAddress']>[1] = {},
): { readonly id: string; readonly xml: string } {
  const head = {
    id: messageId(state),
    issuer: state.options.entityId,
    destination: target,
    inResponseTo: null,
    nowMs: state.options.now(),
  }
  return { id: head.id, xml: logoutRequestXml(head, nameId, sessionIndexes) }
}

function logoutAddressFor(
  state: SamlState,
  { slsUrl: target = '' }: SamlServiceProvider,
  about: Parameters<SamlIdentityProvider['logoutAddress']>[1],
): string {
  const key = state.fault === 'unsigned' ? null : toSigning(state).key
  const { xml } = logoutRequestFor(state, target, about)
  return redirectAddress({ target, kind: 'SAMLRequest', xml, relayState: null, key })
}

/** Creates a SAML 2.0 identity provider; all of them share a key. */
export function samlIdentityProvider(options: SamlOptions): SamlIdentityProvider {
  const state: SamlState = { options, providers: new Map(), person: FIRST_PERSON, fault: null, base: REAL_BASE }
  return {
    entityId: options.entityId,
    certificate: IDENTITY_PROVIDER_CERTIFICATE,
    addresses: () => ({ metadata: `${state.base}/metadata`, sso: `${state.base}/sso`, slo: `${state.base}/slo` }),
    signIn(person) {
      state.person = person
    },
    addServiceProvider: (provider) => void state.providers.set(provider.entityId, provider),
    fetch: (request) => answer(state, request, () => Promise.resolve(state.person)),
    respond(entityId, { inResponseTo, relayState } = {}) {
      const provider = requireProvider(state, entityId)
      return createPost(
        state,
        provider,
        provider.acsUrls[0] ?? '',
        inResponseTo ?? null,
        relayState ?? '',
        state.fault === 'denied',
      )
    },
    logoutAddress: (entityId, about) => logoutAddressFor(state, requireProvider(state, entityId), about),
    logoutPost(entityId, about) {
      const { id, xml } = logoutRequestFor(state, requireProvider(state, entityId).slsUrl ?? '', about)
      const sent = state.fault === 'unsigned' ? xml : signedElement(xml, id, toSigning(state))
      return Buffer.from(sent).toString('base64')
    },
    fail(how) {
      state.fault = how
    },
    clearFaults() {
      state.fault = null
    },
    async listen(port = 0) {
      const served = await serveFetch(port, (request, ask) => answer(state, request, ask))
      state.base = served.url
      return {
        url: served.url,
        close() {
          state.base = REAL_BASE
          return served.close()
        },
      }
    },
  }
}

/** Faults of responses. */
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

/** A registered service provider. */
export interface SamlServiceProvider {
  readonly entityId: string
  /** Addresses for assertions; the first is the default. */
  readonly acsUrls: readonly string[]
  /** Address for logout messages. */
  readonly slsUrl?: string
  /** PEM; if set, requests must be signed. */
  readonly certificate?: string
}

/** Options of an identity provider. */
export interface SamlOptions {
  readonly entityId: string
  /** Milliseconds since the Unix epoch. */
  now(): number
  random(length: number): Buffer
  /** What to sign. Default: the assertion. */
  readonly signs?: 'assertion' | 'response' | 'both'
  /** Value of the NameID. Default: the id. */
  readonly nameId?: 'id' | 'email'
  /** Returns the attributes. Default: the names that most identity providers use. */
  readonly attributes?: (person: EmulatedPerson) => Readonly<Record<string, string>>
}

/** Form fields for a service provider. */
export interface SamlPost {
  readonly SAMLResponse: string
  readonly RelayState: string
}
