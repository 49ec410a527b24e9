import { issuerOf, signIdTokenFor, standardClaims } from './id-token.ts'
import { issueToken } from './oauth2-token.ts'
import { addressAt, answerRequest, type SeenRequest, shapeOf } from './requests.ts'
import { addressesOf, filled } from './routes.ts'
import { type Served, serveFetch } from './serve-fetch.ts'
import {
  ALL_SCOPES,
  type Call,
  type CallKind,
  type EmulatedPerson,
  type ExpectedPerson,
  type Grant,
  type Members,
  type Shape,
  type Subject,
  subjectOf,
} from './shape.ts'
import { SHAPES } from './shapes.ts'
import { emptyState, type EmulatedClient, type EmulatorIo, type Fault, type IdTokenFault, type State } from './state.ts'

export type { CallKind, EmulatedPerson, ExpectedPerson } from './shape.ts'
export type { Served } from './serve-fetch.ts'
export {
  type SamlFault,
  type SamlIdentityProvider,
  type SamlOptions,
  type SamlPost,
  type SamlServiceProvider,
  samlIdentityProvider,
} from './saml/identity-provider.ts'
export type { SeenRequest } from './requests.ts'
export type { EmulatedClient, EmulatorIo, Fault, IdTokenFault } from './state.ts'

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
  /**
   * Serves all providers on loopback: `https://host/path` of a provider is `<url>/<provider>/host/path`. A browser is asked who
   * signs in; other programs are sent on at once. Rejects when the port is taken.
   */
  listen(port?: number): Promise<Served>
}

const keyOf = (at: CallKind): string => (at === 'discovery' ? 'discovery_url' : `${at}_url`)

type At = (real: string) => string

/** Addresses among settings, as this client must know them. */
function mapSettings(shape: Shape, members: Members, at: At): Members {
  return Object.fromEntries(
    Object.entries(members).map(([name, value]) => [
      name,
      typeof value === 'string' && value.startsWith('https://') ? at(filled(shape, value)) : value,
    ]),
  )
}

function endpointsOf(shape: Shape, at: At): Readonly<Record<string, string>> {
  const addresses: Record<string, string> = {}
  for (const [kind, real] of addressesOf(shape)) {
    if (real !== shape.secondProfile && real !== shape.secondAuthorize) addresses[keyOf(kind)] = at(filled(shape, real))
  }
  const issuer = shape.protocol === 'oauth2' && shape.issuer !== undefined ? issuerOf(shape, at) : null
  return issuer === null ? addresses : { ...addresses, issuer }
}

function setupOf(shape: Shape, at: At): ProviderSetup {
  const { settings = {}, appSettings = {}, key } = shape
  return {
    settings: mapSettings(shape, settings, at),
    appSettings: mapSettings(shape, appSettings, at),
    key: key?.startsWith('https://') ? at(key) : (key ?? null),
  }
}

const NOTHING_SAID = { email: null, emailVerified: false, username: null, firstName: null, lastName: null, name: null }

const expectedOf = (shape: Shape, person: EmulatedPerson): ExpectedPerson => ({
  ...NOTHING_SAID,
  ...shape.expected(subjectOf(person)),
})

function makeIdToken(state: State, grant: Grant, at: At, { claims = {}, fault }: HandMadeIdToken): string {
  const shape = shapeOf(grant.provider)
  if (shape.protocol !== 'oauth2') throw new Error(`${grant.provider} has no id tokens`)
  const idClaims = (who: Subject): Members => ({ ...(shape.idClaims?.(who) ?? standardClaims(who)), ...claims })
  return signIdTokenFor(state, { ...shape, idClaims }, { at }, grant, null, fault ?? null)
}

/** A stand-in of its own: nothing is shared between two but the keys. */
export function identityProviderEmulator(io: EmulatorIo): IdentityProviderEmulator {
  const state = emptyState(io)
  const seen: SeenRequest[] = []
  const atOf =
    (provider: string): At =>
    (real) =>
      addressAt(state.servedAt, provider, real)
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
    expected: (provider, person) => expectedOf(shapeOf(provider), person),
    endpoints: (provider) => endpointsOf(shapeOf(provider), atOf(provider)),
    setup: (provider) => setupOf(shapeOf(provider), atOf(provider)),
    fail(provider, at, how) {
      shapeOf(provider)
      state.faults.set(`${provider} ${at}`, how)
    },
    clearFaults: () => state.faults.clear(),
    idToken: (provider, clientId, made = {}) =>
      makeIdToken(state, grantFor(provider, clientId, made.nonce ?? null), atOf(provider), made),
    accessToken: (provider, clientId) => issueToken(state, grantFor(provider, clientId, null)),
    listen: (port = 0) => serveIdentityProviders(state, seen, port),
  }
}

/** Names under which the protocols know a client. */
const CLIENT_NAMES = ['client_id', 'app_id', 'appid', 'client_key', 'bot_id', 'app', 'openid.realm']

const clientIn = ({ url }: Call): string =>
  CLIENT_NAMES.map((name) => url.searchParams.get(name)).find((each) => each !== null) ?? 'A service'

/** Serves the providers of `state` on loopback. Rejects when the port is taken. */
async function serveIdentityProviders(state: State, seen: SeenRequest[], port: number): Promise<Served> {
  const served = await serveFetch(port, (request, ask) =>
    answerRequest(state, seen, request, (call) => ask(call.provider, clientIn(call), state.person)),
  )
  state.servedAt = served.url
  return {
    url: served.url,
    close() {
      state.servedAt = null
      return served.close()
    },
  }
}
