import { generateKeyPairSync } from 'node:crypto'
import {
  type CallKind,
  type EmulatedPerson,
  identityProviderEmulator,
  type IdentityProviderEmulator,
} from '@gatepost/emulators/identity-provider'
import { expect } from 'vitest'
import type { Log } from '../../kernel/io.ts'
import type { JsonObject } from '../../kernel/settings/json-object.ts'
import { isRecord } from '../../kernel/settings/kind.ts'
import { manualClock } from '../../testing/clock.ts'
import {
  type ExchangeBegun,
  type ExchangeCall,
  type ExchangeStart,
  ProviderError,
  type ProviderIdentity,
} from '../exchange.ts'
import { loadExchange, providerRecord } from '../registry/registry.ts'
import type { SocialApp } from '../apps/social-apps.ts'
import { numberedBytes } from './testing-random.ts'

/** Who signs in. */
export const IDA: EmulatedPerson = {
  id: '20250117',
  email: 'ida@people.example',
  emailVerified: true,
  username: 'ida.b',
  firstName: 'Ida',
  lastName: 'Bär',
}

/** Our callback in these tests. */
export const CALLBACK = 'https://site.example/accounts/3rdparty/callback/'
export const STATE = 'a-state-of-16-ch'
const START: ExchangeStart = {
  state: STATE,
  action: 'authenticate',
  scope: [],
  authParams: {},
  query: new URLSearchParams({ shop: 'emulated-shop' }),
}

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const PRIVATE_PEM = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
const PUBLIC_PEM = publicKey.export({ type: 'spki', format: 'pem' }).toString()

/** Settings that a test adds. */
export interface HandshakeOptions {
  readonly settings?: JsonObject
  readonly providerSettings?: JsonObject
  readonly clientId?: string
  readonly queryEmail?: boolean
  readonly storeTokens?: boolean
  /** In place of the emulator. */
  readonly fetch?: (request: Request) => Promise<Response>
  /** Default: one of its own. */
  readonly emulator?: IdentityProviderEmulator
}

const SILENT: Log = { debug() {}, info() {}, warn() {}, error() {} }

function createTestApp(provider: string, emulator: IdentityProviderEmulator, options: HandshakeOptions): SocialApp {
  const setup = emulator.setup(provider)
  const isApple = provider === 'apple'
  const secret = isApple ? 'KEYID12345' : 'a-made-up-secret'
  emulator.addClient(provider, {
    clientId: 'our-client',
    secret,
    redirectUris: [CALLBACK],
    publicKey: PUBLIC_PEM,
    ...(setup.key !== null && { key: setup.key }),
  })
  return {
    id: null,
    provider,
    providerId: '',
    name: 'Our app',
    clientId: options.clientId ?? 'our-client',
    secret,
    key: isApple ? 'TEAM123456' : (setup.key ?? ''),
    settings: { ...setup.appSettings, ...(isApple && { certificate_key: PRIVATE_PEM }), ...options.settings },
    providerSettings: { ...setup.settings, ...options.providerSettings },
  }
}

/** A client of one emulated provider, that drives the exchange like a browser and the flow would. */
export async function handshake(provider: string, options: HandshakeOptions = {}) {
  const clock = manualClock()
  const random = numberedBytes()
  const emulator = options.emulator ?? identityProviderEmulator({ now: clock.now, random })
  emulator.signIn(IDA)
  let waitedFor: CallKind | null = null
  /** The time limit that the flow sets is over as soon as the call that hangs has arrived. */
  const fetched = async (request: Request): Promise<Response> => {
    const limit = new AbortController()
    const answer = (options.fetch ?? emulator.fetch)(new Request(request, { signal: limit.signal }))
    if (waitedFor !== null) {
      await Promise.race([answer, new Promise((resolve) => setImmediate(resolve))])
      if (emulator.requests.at(-1)?.kind === waitedFor) limit.abort()
    }
    return answer
  }
  const call: ExchangeCall = {
    io: { fetch: fetched, clock, random, log: SILENT },
    app: createTestApp(provider, emulator, options),
    redirectUri: CALLBACK,
    queryEmail: options.queryEmail ?? true,
    storeTokens: options.storeTokens ?? false,
    siteName: 'Our site',
  }
  const exchange = await loadExchange(await providerRecord(provider))
  const begin = (start: Partial<ExchangeStart> = {}): Promise<ExchangeBegun> =>
    exchange.begin(call, { ...START, ...start })
  /** What the provider sends the browser back with. */
  const visit = async (url: string): Promise<URLSearchParams> => readCallback(await emulator.fetch(new Request(url)))
  const finish = (begun: ExchangeBegun, params: URLSearchParams): Promise<ProviderIdentity> =>
    exchange.finish(call, { params, kept: roundTripJson(begun.kept) })
  const signIn = async (start: Partial<ExchangeStart> = {}): Promise<ProviderIdentity> => {
    const begun = await begin(start)
    return finish(begun, await visit(begun.url))
  }
  /** From now on this call never answers. */
  const hang = (kind: CallKind): void => {
    emulator.fail(provider, kind, 'hang')
    waitedFor = kind
  }
  const mend = (): void => {
    emulator.clearFaults()
    waitedFor = null
  }
  return { emulator, clock, call, exchange, begin, visit, finish, signIn, hang, mend }
}

/** The session keeps JSON. */
function roundTripJson(kept: JsonObject): JsonObject {
  const stored: unknown = JSON.parse(JSON.stringify(kept))
  return isRecord(stored) ? stored : {}
}

/** Of a redirect, or of a form that posts itself. */
async function readCallback(reply: Response): Promise<URLSearchParams> {
  const location = reply.headers.get('location')
  if (location !== null) return new URL(location).searchParams
  const inputs = (await reply.text()).matchAll(/name="([^"]+)" value="([^"]*)"/g)
  return new URLSearchParams([...inputs].map(([, name = '', value = '']) => [name, value.replaceAll('&quot;', '"')]))
}

/** Expects an attempt to fail because of the provider, or something in its place. */
export const expectFailure = (attempt: Promise<unknown>): Promise<void> =>
  expect(attempt).rejects.toSatisfy((error) => error instanceof ProviderError && error.code === 'unknown')
