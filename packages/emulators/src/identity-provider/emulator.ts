import { type Ask, answerCall } from './answer.ts'
import { readCall } from './call.ts'
import { faultReply } from './faults.ts'
import { signIdTokenFor, standardClaims } from './oauth2-id-token.ts'
import { issueToken } from './oauth2-token.ts'
import { textReply } from './reply.ts'
import { addressesOf, filled, matching, routesOf } from './routes.ts'
import { SHAPES } from './shapes.ts'
import {
  ALL_SCOPES,
  type CallKind,
  type EmulatedPerson,
  type ExpectedPerson,
  type Grant,
  type Members,
  type Shape,
  subjectOf,
} from './shape.ts'
import {
  type EmulatedClient,
  type EmulatorIo,
  emptyState,
  type Fault,
  faultAt,
  type IdTokenFault,
  type State,
} from './state.ts'

export type { CallKind, EmulatedPerson, ExpectedPerson } from './shape.ts'
export type { EmulatedClient, EmulatorIo, Fault, IdTokenFault } from './state.ts'

/** A request that was received, for assertions of the wire. */
export interface SeenRequest {
  readonly provider: string
  readonly kind: CallKind
  readonly method: string
  /** The real address, also when the request came to the served one. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** What an app of a client needs besides id and secret, to come to the emulated addresses. */
export interface ProviderSetup {
  readonly settings: Members
  readonly appSettings: Members
  readonly key: string | null
}

/** What an id token made by hand says besides the person. */
export interface HandMadeIdToken {
  readonly claims?: Members
  readonly nonce?: string
  readonly fault?: IdTokenFault
}

/** One stand-in for all providers of identities, each in its own shape. */
export interface IdentityProviderEmulator {
  /** Ids of all providers. */
  readonly providers: readonly string[]
  /** Who signs in at all providers from now on. A served page offers this person first; without a page they agree at once. */
  signIn(person: EmulatedPerson): void
  /** Registers a client: any other client, secret or redirect URI is refused. */
  addClient(provider: string, client: EmulatedClient): void
  /** Answers a request to a real address, or to the served one. 404 for anything else. */
  fetch(request: Request): Promise<Response>
  /** What the documents of the provider say a client must make of this person. An address is verified only if the provider says so. */
  expected(provider: string, person: EmulatedPerson): ExpectedPerson
  /** Addresses: the served ones, before `listen` the real ones. Braces stand for parts of the path, as in the data of the provider. */
  endpoints(provider: string): Readonly<Record<string, string>>
  /** Settings that lead a client to these addresses, for providers that have no address of their own. */
  setup(provider: string): ProviderSetup
  /** All calls of this kind fail so, until cleared. */
  fail(provider: string, at: CallKind, how: Fault): void
  clearFaults(): void
  /** Every request received, oldest first. */
  readonly requests: readonly SeenRequest[]
  /** An id token of the person who signs in, as a client of the token flow gets it. */
  idToken(provider: string, clientId: string, made?: HandMadeIdToken): string
  /** An access token likewise. */
  accessToken(provider: string, clientId: string): string
}

const keyOf = (at: CallKind): string => (at === 'discovery' ? 'discovery_url' : `${at}_url`)

function shapeOf(provider: string): Shape {
  const shape = Object.hasOwn(SHAPES, provider) ? SHAPES[provider] : undefined
  if (shape === undefined) throw new Error(`no provider ${provider}`)
  return shape
}

const ROUTES = routesOf(SHAPES)

/** A real address as this client must call it. */
export const addressAt = (servedAt: string | null, provider: string, real: string): string =>
  servedAt === null ? real : `${servedAt}/${provider}/${real.replace(/^https:\/\//, '')}`

/** Undoes `addressAt`: the provider and the real address. */
function realAddress(sentTo: string, servedAt: string | null): readonly [provider: string | null, real: URL] {
  if (servedAt === null || !sentTo.startsWith(`${servedAt}/`)) return [null, new URL(sentTo)]
  const [provider = '', ...rest] = sentTo.slice(servedAt.length + 1).split('/')
  return [provider, new URL(`https://${rest.join('/')}`)]
}

function mapSettings(members: Members, at: (real: string) => string): Members {
  return Object.fromEntries(
    Object.entries(members).map(([name, value]) => [
      name,
      typeof value === 'string' && value.startsWith('https://') ? at(value) : value,
    ]),
  )
}

/** Answers one request, after it was seen. */
export async function answerRequest(
  state: State,
  seen: SeenRequest[],
  request: Request,
  ask: Ask = () => Promise.resolve(state.person),
): Promise<Response> {
  const [provider, real] = realAddress(request.url, state.servedAt)
  const [route, ...others] = matching(ROUTES, real, provider)
  if (route === undefined) return textReply(404, 'Not found')
  const call = await readCall(request, route, others, real, (address) =>
    addressAt(provider === null ? null : state.servedAt, route.provider, address),
  )
  seen.push({
    provider: call.provider,
    kind: call.kind,
    method: call.method,
    url: real.href,
    headers: Object.fromEntries(request.headers),
    body: call.body,
  })
  const shape = shapeOf(call.provider)
  const fault = faultAt(state, call.provider, call.kind)
  const broken = await faultReply(fault, shape, call, request.signal)
  if (broken !== null) return broken
  return answerCall(state, shape, call, fault === 'denied' ? () => Promise.resolve(null) : ask)
}

/** A stand-in of its own: nothing is shared between two but the keys. */
export function identityProviderEmulator(io: EmulatorIo): IdentityProviderEmulator {
  const state = emptyState(io)
  const seen: SeenRequest[] = []
  const grantFor = (provider: string, clientId: string, nonce: string | null): Grant => ({
    provider,
    clientId,
    person: state.person,
    scopes: [ALL_SCOPES],
    nonce,
    asked: {},
  })
  return {
    providers: Object.keys(SHAPES),
    requests: seen,
    signIn(person) {
      state.person = person
    },
    addClient(provider, client) {
      shapeOf(provider)
      const known = state.clients.get(provider) ?? new Map<string, EmulatedClient>()
      state.clients.set(provider, known.set(client.clientId, client))
    },
    fetch: (request) => answerRequest(state, seen, request),
    expected(provider, person) {
      const nothing = { email: null, emailVerified: false, username: null, firstName: null, lastName: null, name: null }
      return { ...nothing, ...shapeOf(provider).expected(subjectOf(person)) }
    },
    endpoints(provider) {
      const shape = shapeOf(provider)
      const addresses: Record<string, string> = {}
      for (const [kind, real] of addressesOf(shape))
        addresses[keyOf(kind)] ??= addressAt(state.servedAt, provider, filled(shape, real))
      if (shape.protocol !== 'oauth2' || shape.issuer === undefined) return addresses
      const issuer = shape.discovery === undefined ? shape.issuer : addressAt(state.servedAt, provider, shape.issuer)
      return { ...addresses, issuer }
    },
    setup(provider) {
      const { settings = {}, appSettings = {}, key = null } = shapeOf(provider)
      const at = (real: string): string => addressAt(state.servedAt, provider, real)
      return {
        settings: mapSettings(settings, at),
        appSettings: mapSettings(appSettings, at),
        key: key?.startsWith('https://') ? at(key) : key,
      }
    },
    fail(provider, at, how) {
      shapeOf(provider)
      state.faults.set(`${provider} ${at}`, how)
    },
    clearFaults: () => state.faults.clear(),
    idToken(provider, clientId, { claims = {}, nonce, fault } = {}) {
      const shape = shapeOf(provider)
      if (shape.protocol !== 'oauth2') throw new Error(`${provider} has no id tokens`)
      const at = (real: string): string => addressAt(state.servedAt, provider, real)
      const grant = grantFor(provider, clientId, nonce ?? null)
      return signIdTokenFor(
        state,
        { ...shape, idClaims: (who) => ({ ...(shape.idClaims?.(who) ?? standardClaims(who)), ...claims }) },
        { at },
        grant,
        null,
        fault ?? null,
      )
    },
    accessToken: (provider, clientId) => issueToken(state, grantFor(provider, clientId, null)),
  }
}
