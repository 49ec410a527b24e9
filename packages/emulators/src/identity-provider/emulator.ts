import { findIssuer, signIdTokenFor, standardClaims } from './id-token.ts'
import { issueToken } from './oauth2-token.ts'
import { addressAt, answerRequest, type SeenRequest, requireShape } from './requests.ts'
import { listAddresses, fillTemplate } from './routes.ts'
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
  toSubject,
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

/** Settings of an app, besides id and secret, that point it at the emulated addresses. */
export interface ProviderSetup {
  readonly settings: Members
  readonly appSettings: Members
  readonly key: string | null
}

/** Options of a hand-made ID token. */
export interface HandMadeIdToken {
  readonly claims?: Members
  readonly nonce?: string
  readonly fault?: IdTokenFault
}

/** An emulator of all identity providers. */
export interface IdentityProviderEmulator {
  /** Ids of all providers. */
  readonly providers: readonly string[]
  /** Sets the person who signs in at all providers. The page lists them first; without a page they agree immediately. */
  signIn(person: EmulatedPerson): void
  /** Registers a client. Other clients, secrets and redirect URIs are refused. */
  addClient(provider: string, client: EmulatedClient): void
  /** Handles a request to a real or served address. Returns 404 for anything else. */
  fetch(request: Request): Promise<Response>
  /** Returns what a client must read about this person, by the provider's documentation. Emails count as verified only if the provider says so. */
  expected(provider: string, person: EmulatedPerson): ExpectedPerson
  /** Returns the served addresses, or the real ones before `listen`. Braces mark parts of the path, as in the provider's data. */
  endpoints(provider: string): Readonly<Record<string, string>>
  /** Returns settings for providers without a fixed address. */
  setup(provider: string): ProviderSetup
  /** Makes all calls of this kind fail until cleared. */
  fail(provider: string, at: CallKind, how: Fault): void
  /** Removes all faults. */
  clearFaults(): void
  /** Received requests, oldest first. */
  readonly requests: readonly SeenRequest[]
  /** Returns an ID token of the person, as clients get it in the token flow. */
  idToken(provider: string, clientId: string, made?: HandMadeIdToken): string
  /** Returns an access token of the person. */
  accessToken(provider: string, clientId: string): string
  /**
   * Serves all providers on loopback: `https://host/path` of a provider is `<url>/<provider>/host/path`. Browsers get a
   * page to pick a person; other programs are redirected immediately. Rejects when the port is taken.
   */
  listen(port?: number): Promise<Served>
}

const toSettingName = (at: CallKind): string => (at === 'discovery' ? 'discovery_url' : `${at}_url`)

type At = (real: string) => string

/** Maps the addresses in settings. */
function mapSettings(shape: Shape, members: Members, at: At): Members {
  return Object.fromEntries(
    Object.entries(members).map(([name, value]) => [
      name,
      typeof value === 'string' && value.startsWith('https://') ? at(fillTemplate(shape, value)) : value,
    ]),
  )
}

function listEndpoints(shape: Shape, at: At): Readonly<Record<string, string>> {
  const addresses: Record<string, string> = {}
  for (const [kind, real] of listAddresses(shape)) {
    if (real !== shape.secondProfile && real !== shape.secondAuthorize)
      addresses[toSettingName(kind)] = at(fillTemplate(shape, real))
  }
  const issuer = shape.protocol === 'oauth2' && shape.issuer !== undefined ? findIssuer(shape, at) : null
  return issuer === null ? addresses : { ...addresses, issuer }
}

function toSetup(shape: Shape, at: At): ProviderSetup {
  const { settings = {}, appSettings = {}, key } = shape
  return {
    settings: mapSettings(shape, settings, at),
    appSettings: mapSettings(shape, appSettings, at),
    key: key?.startsWith('https://') ? at(key) : (key ?? null),
  }
}

const EMPTY_PERSON = { email: null, emailVerified: false, username: null, firstName: null, lastName: null, name: null }

const toExpected = (shape: Shape, person: EmulatedPerson): ExpectedPerson => ({
  ...EMPTY_PERSON,
  ...shape.expected(toSubject(person)),
})

function makeIdToken(state: State, grant: Grant, at: At, { claims = {}, fault }: HandMadeIdToken): string {
  const shape = requireShape(grant.provider)
  if (shape.protocol !== 'oauth2') throw new Error(`${grant.provider} has no ID tokens`)
  const idClaims = (who: Subject): Members => ({ ...(shape.idClaims?.(who) ?? standardClaims(who)), ...claims })
  return signIdTokenFor(state, { ...shape, idClaims }, { at }, grant, null, fault ?? null)
}

/** Creates an emulator. Emulators share nothing but their keys. */
export function identityProviderEmulator(io: EmulatorIo): IdentityProviderEmulator {
  const state = emptyState(io)
  const seen: SeenRequest[] = []
  const createAddressMapper =
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
      requireShape(provider)
      const known = state.clients.get(provider) ?? new Map<string, EmulatedClient>()
      state.clients.set(provider, known.set(client.clientId, client))
    },
    fetch: (request) => answerRequest(state, seen, request),
    expected: (provider, person) => toExpected(requireShape(provider), person),
    endpoints: (provider) => listEndpoints(requireShape(provider), createAddressMapper(provider)),
    setup: (provider) => toSetup(requireShape(provider), createAddressMapper(provider)),
    fail(provider, at, how) {
      requireShape(provider)
      state.faults.set(`${provider} ${at}`, how)
    },
    clearFaults: () => state.faults.clear(),
    idToken: (provider, clientId, made = {}) =>
      makeIdToken(state, grantFor(provider, clientId, made.nonce ?? null), createAddressMapper(provider), made),
    accessToken: (provider, clientId) => issueToken(state, grantFor(provider, clientId, null)),
    listen: (port = 0) => serveIdentityProviders(state, seen, port),
  }
}

/** Parameter names of the client id. */
const CLIENT_NAMES = ['client_id', 'app_id', 'appid', 'client_key', 'bot_id', 'app', 'openid.realm']

const findClientId = ({ url }: Call): string =>
  CLIENT_NAMES.map((name) => url.searchParams.get(name)).find((each) => each !== null) ?? 'A service'

/** Serves the providers on loopback. Rejects when the port is taken. */
async function serveIdentityProviders(state: State, seen: SeenRequest[], port: number): Promise<Served> {
  const served = await serveFetch(port, (request, ask) =>
    answerRequest(state, seen, request, (call) => ask(call.provider, findClientId(call), state.person)),
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
