import { generateKeyPairSync } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type Auth, type AuthSettingsInput, type AuthTables, createAuth } from '@gatepost/auth'
import { openDatabase } from '@gatepost/sql'
import { decodeJwt, jwtVerify } from 'jose'
import type { Metric } from '../metrics.ts'
import { measureRounds } from '../statistics.ts'
import { compareCosts } from './cost.ts'
import { SECRET_KEY } from './people.ts'

interface JwtBenchOptions {
  readonly rounds: number
  /** Checks of each kind per round. */
  readonly checks: number
}

type Algorithm = 'HS256' | 'RS256'

const PASSWORD = 'a made-up pass phrase'

/**
 * Measures checks of access tokens by the package and by the bare library, and of session tokens by the guard and by
 * the bare store.
 */
export async function measureJwt(options: JwtBenchOptions): Promise<readonly Metric[]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'gatepost-bench-jwt-'))
  try {
    const secret = await measureAlgorithm(path.join(folder, 'hs.db'), 'HS256', options)
    const rsa = await measureAlgorithm(path.join(folder, 'rs.db'), 'RS256', options)
    return [...secret, ...rsa]
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function measureAlgorithm(
  file: string,
  algorithm: Algorithm,
  { rounds, checks }: JwtBenchOptions,
): Promise<readonly Metric[]> {
  const key = createKey(algorithm)
  const headless = {
    enabled: true,
    tokenStrategy: 'jwt',
    jwtAlgorithm: algorithm,
    jwtPrivateKey: key.signing,
    jwtIssuer: 'https://id.example.org',
    jwtAudience: 'sample-api',
  } as const
  const { auth, close } = await openInstance(file, { headless })
  try {
    const tokens = await signIn(auth)
    const { iss = '', aud } = decodeJwt(tokens.access)
    const expected = { algorithms: [algorithm], issuer: iss, audience: String(aud), requiredClaims: ['exp'] }
    const verifying = await key.verifying()
    const request = { headers: new Headers({ 'x-session-token': tokens.session }) }
    const round = async (): Promise<Record<MeasuredJwt, number>> => {
      const [bare, ours] = await compareCosts(
        checks,
        () => jwtVerify(tokens.access, verifying, expected),
        () => auth.module('headless').tokens.checkAccessToken(tokens.access),
      )
      const [store, guard] = await compareCosts(
        checks,
        () => auth.kernel.sessions.check(tokens.session, Date.now()),
        () => auth.module('headless').guards.requireSessionToken(request),
      )
      return { bare, ours, share: ours / bare, store, guard, guardShare: guard / store }
    }
    await round() // warm-up: everything is compiled and cached
    return toJwtMetrics(algorithm, await measureRounds(rounds, round))
  } finally {
    await close()
  }
}

type MeasuredJwt = 'bare' | 'ours' | 'share' | 'store' | 'guard' | 'guardShare'

function toJwtMetrics(
  algorithm: Algorithm,
  all: Awaited<ReturnType<typeof measureRounds<MeasuredJwt>>>,
): readonly Metric[] {
  const unit = 'µs of CPU time'
  const ofTokens = [
    { name: `${algorithm}: jose verify`, unit, ...all.bare },
    { name: `${algorithm}: access token check`, unit, ...all.ours },
    { name: `${algorithm}: check / jose`, unit: '', target: { atMost: 1.2 }, ...all.share },
  ]
  if (algorithm === 'RS256') return ofTokens
  return [
    ...ofTokens,
    { name: 'session token, store read', unit, ...all.store },
    { name: 'session token, API guard', unit, ...all.guard },
    { name: 'guard / store read', unit: '', target: { atMost: 1.2 }, ...all.guardShare },
  ]
}

async function signIn(auth: Auth): Promise<{ readonly access: string; readonly session: string }> {
  await auth.accounts.create({ username: 'ada', email: 'ada@example.org', password: PASSWORD })
  const url = `${ORIGIN}${auth.settings.headless.path}app/v1/auth/login`
  const body = JSON.stringify({ username: 'ada', password: PASSWORD })
  const headers = { 'content-type': 'application/json', host: '127.0.0.1' }
  const answer = await auth.fetch(new Request(url, { method: 'POST', headers, body }), { remoteAddress: '127.0.0.1' })
  const { meta } = (await answer.json()) as { meta: Record<string, string> } // as every answer of a login
  return { access: meta['access_token'] ?? '', session: meta['session_token'] ?? '' }
}

/** Returns the key as in the settings, and as the library needs it. */
function createKey(algorithm: Algorithm): { readonly signing: string; verifying(): Promise<CryptoKey> } {
  if (algorithm === 'HS256') {
    const hmac = { name: 'HMAC', hash: 'SHA-256' }
    return {
      signing: SECRET_KEY,
      verifying: () => crypto.subtle.importKey('raw', Buffer.from(SECRET_KEY), hmac, false, ['verify']),
    }
  }
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  return {
    signing: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    verifying: async () => publicKey.toCryptoKey({ name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }, false, ['verify']),
  }
}

interface OidcBenchOptions {
  readonly rounds: number
  /** Checks of each kind per round. */
  readonly checks: number
}

const FROM = { remoteAddress: '127.0.0.1' }

/**
 * Measures an API's check of our OpenID Connect provider's access tokens, compared with the check of a session token.
 */
export async function measureOidc({ rounds, checks }: OidcBenchOptions): Promise<readonly Metric[]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'gatepost-bench-oidc-'))
  const settings = { headless: { enabled: true }, idpOidc: { enabled: true } }
  const { auth, close } = await openInstance(path.join(folder, 'oidc.db'), settings)
  try {
    const token = await requestAccessToken(auth)
    const session = await requestSessionToken(auth)
    const request = new Request(`${ORIGIN}/things`, { headers: { authorization: `Bearer ${token}` } })
    const round = async (): Promise<Record<MeasuredOidc, number>> => {
      const [read, check] = await compareCosts(
        checks,
        () => auth.kernel.sessions.check(session, Date.now()),
        () => auth.module('oidc').tokens.check(token),
      )
      const [again, guard] = await compareCosts(
        checks,
        () => auth.module('oidc').tokens.check(token),
        () => auth.module('oidc').guards.requireToken(request, 'openid'),
      )
      return { read, check, share: check / read, guard, guardShare: guard / again }
    }
    await round() // warm-up: everything is compiled and cached
    const all = await measureRounds(rounds, round)
    const unit = 'µs of CPU time'
    return [
      { name: 'session token, store read', unit, ...all.read },
      { name: 'access token check, including client', unit, ...all.check },
      { name: 'access token / session token', unit: '', target: { atMost: 2 }, ...all.share },
      { name: 'access token, API guard', unit, ...all.guard },
      { name: 'guard / check', unit: '', target: { atMost: 1.3 }, ...all.guardShare },
    ]
  } finally {
    await close()
    await rm(folder, { recursive: true, force: true })
  }
}

type MeasuredOidc = 'read' | 'check' | 'share' | 'guard' | 'guardShare'

/** Returns an access token. @throws {Error} if the provider issues none */
async function requestAccessToken(auth: Auth): Promise<string> {
  const { client, secret } = await auth.module('oidc').clients.create(auth.kernel.database.db, {
    name: 'a made-up service',
    grantTypes: ['client_credentials'],
    responseTypes: [],
  })
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: client.id,
    client_secret: secret ?? '',
    scope: 'openid',
  })
  const url = `${ORIGIN}/identity/o/api/token`
  const answer = await auth.fetch(new Request(url, { method: 'POST', headers: { host: '127.0.0.1' }, body }), FROM)
  const given: unknown = await answer.json()
  if (typeof given === 'object' && given !== null && 'access_token' in given) return String(given.access_token)
  throw new Error(`no access token: ${answer.status} ${JSON.stringify(given)}`)
}

async function requestSessionToken(auth: Auth): Promise<string> {
  await auth.accounts.create({ username: 'ada', email: 'ada@example.org', password: 'a made-up pass phrase' })
  const url = `${ORIGIN}${auth.settings.headless.path}app/v1/auth/login`
  const body = JSON.stringify({ username: 'ada', password: 'a made-up pass phrase' })
  const headers = { 'content-type': 'application/json', host: '127.0.0.1' }
  const answer = await auth.fetch(new Request(url, { method: 'POST', headers, body }), FROM)
  const { meta } = (await answer.json()) as { meta: Record<string, string> } // as every answer of a login
  return meta['session_token'] ?? ''
}

/** The instance's origin. */
const ORIGIN = 'http://127.0.0.1'

/** Opens the package in this process, with its own SQLite file. */
async function openInstance(
  file: string,
  settings: AuthSettingsInput,
): Promise<{ readonly auth: Auth; close(): Promise<void> }> {
  const database = await openDatabase<AuthTables>({ file })
  const auth = await createAuth({
    database,
    secretKey: SECRET_KEY,
    origin: ORIGIN,
    settings: { development: true, ...settings },
    mail: { send: async () => {} },
  })
  return {
    auth,
    async close() {
      await auth.close()
      await database.close()
    },
  }
}
