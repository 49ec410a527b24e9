import { generateKeyPairSync } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Auth } from '@gatepost/auth'
import { decodeJwt, jwtVerify } from 'jose'
import type { Figure } from '../figures.ts'
import { inRounds } from '../gateway/rounds.ts'
import { instanceOn, ORIGIN } from './instance.ts'
import { SECRET_KEY } from './secret-key.ts'
import { costsOf } from './turns.ts'

export interface JwtBenchOptions {
  readonly rounds: number
  /** Of each kind, in one round. */
  readonly checks: number
}

type Algorithm = 'HS256' | 'RS256'

const PASSWORD = 'a made-up pass phrase'

/** Access tokens checked by us and by the bare library, in turn; and session tokens by the guard and by the bare store. */
export async function measureJwt(options: JwtBenchOptions): Promise<readonly Figure[]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'gatepost-bench-jwt-'))
  try {
    const secret = await measured(path.join(folder, 'hs.db'), 'HS256', options)
    const rsa = await measured(path.join(folder, 'rs.db'), 'RS256', options)
    return [...secret, ...rsa]
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function measured(
  file: string,
  algorithm: Algorithm,
  { rounds, checks }: JwtBenchOptions,
): Promise<readonly Figure[]> {
  const key = keyOf(algorithm)
  const headless = { enabled: true, tokenStrategy: 'jwt', jwtAlgorithm: algorithm, jwtPrivateKey: key.signing } as const
  const { auth, close } = await instanceOn(file, { headless })
  try {
    const tokens = await signIn(auth)
    const { iss = '', aud } = decodeJwt(tokens.access)
    const expected = { algorithms: [algorithm], issuer: iss, audience: String(aud), requiredClaims: ['exp'] }
    const verifying = await key.verifying()
    const request = { headers: new Headers({ 'x-session-token': tokens.session }) }
    const round = async (): Promise<Record<Measured, number>> => {
      const [bare, ours] = await costsOf(
        checks,
        () => jwtVerify(tokens.access, verifying, expected),
        () => auth.verifyAccessToken(tokens.access),
      )
      const [store, guard] = await costsOf(
        checks,
        () => auth.core.sessions.check(tokens.session, Date.now()),
        () => auth.apiGuards.requireSessionToken(request),
      )
      return { bare, ours, share: ours / bare, store, guard, guardShare: guard / store }
    }
    await round() // everything is compiled and cached
    return figuresOf(algorithm, await inRounds(rounds, round))
  } finally {
    await close()
  }
}

type Measured = 'bare' | 'ours' | 'share' | 'store' | 'guard' | 'guardShare'

function figuresOf(algorithm: Algorithm, all: Awaited<ReturnType<typeof inRounds<Measured>>>): readonly Figure[] {
  const unit = 'us of processor'
  const ofTokens = [
    { name: `${algorithm}: bare verify of jose`, unit, ...all.bare },
    { name: `${algorithm}: check of an access token`, unit, ...all.ours },
    { name: `${algorithm}: check / bare`, unit: '', target: { atMost: 1.2 }, ...all.share },
  ]
  if (algorithm === 'RS256') return ofTokens
  return [
    ...ofTokens,
    { name: 'session token, read of the store', unit, ...all.store },
    { name: 'session token, guard of an API', unit, ...all.guard },
    { name: 'guard / read', unit: '', target: { atMost: 1.2 }, ...all.guardShare },
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

/** The key as the settings have it, and as the library is given it. */
function keyOf(algorithm: Algorithm): { readonly signing: string; verifying(): Promise<CryptoKey> } {
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
