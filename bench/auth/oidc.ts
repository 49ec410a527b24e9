import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Auth } from '@gatepost/auth'
import type { Figure } from '../figures.ts'
import { inRounds } from '../gateway/rounds.ts'
import { instanceOn, ORIGIN } from './instance.ts'
import { costsOf } from './turns.ts'

export interface OidcBenchOptions {
  readonly rounds: number
  /** Of each kind, in one round. */
  readonly checks: number
}

const FROM = { remoteAddress: '127.0.0.1' }

/** An access token of our OpenID Connect provider as an API checks it, against the read of a session token. */
export async function measureOidc({ rounds, checks }: OidcBenchOptions): Promise<readonly Figure[]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'gatepost-bench-oidc-'))
  const settings = { headless: { enabled: true }, idpOidc: { enabled: true } }
  const { auth, close } = await instanceOn(path.join(folder, 'oidc.db'), settings)
  try {
    const token = await accessToken(auth)
    const session = await sessionToken(auth)
    const request = new Request(`${ORIGIN}/things`, { headers: { authorization: `Bearer ${token}` } })
    const round = async (): Promise<Record<Measured, number>> => {
      const [read, check] = await costsOf(
        checks,
        () => auth.core.sessions.check(session, Date.now()),
        () => auth.core.oidc.tokens.check(token),
      )
      const [again, guard] = await costsOf(
        checks,
        () => auth.core.oidc.tokens.check(token),
        () => auth.tokenGuards.requireToken(request, 'openid'),
      )
      return { read, check, share: check / read, guard, guardShare: guard / again }
    }
    await round() // everything is compiled and cached
    const all = await inRounds(rounds, round)
    const unit = 'us of processor'
    return [
      { name: 'session token, read of the store', unit, ...all.read },
      { name: 'access token, with its client', unit, ...all.check },
      { name: 'access token / session token', unit: '', target: { atMost: 2 }, ...all.share },
      { name: 'access token, guard of an API', unit, ...all.guard },
      { name: 'guard / check', unit: '', target: { atMost: 1.3 }, ...all.guardShare },
    ]
  } finally {
    await close()
    await rm(folder, { recursive: true, force: true })
  }
}

type Measured = 'read' | 'check' | 'share' | 'guard' | 'guardShare'

/** @throws {Error} when the provider gives none */
async function accessToken(auth: Auth): Promise<string> {
  const { client, secret } = await auth.core.oidc.clients.create(auth.core.database.db, {
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

async function sessionToken(auth: Auth): Promise<string> {
  await auth.accounts.create({ username: 'ada', email: 'ada@example.org', password: 'a made-up pass phrase' })
  const url = `${ORIGIN}${auth.settings.headless.path}app/v1/auth/login`
  const body = JSON.stringify({ username: 'ada', password: 'a made-up pass phrase' })
  const headers = { 'content-type': 'application/json', host: '127.0.0.1' }
  const answer = await auth.fetch(new Request(url, { method: 'POST', headers, body }), FROM)
  const { meta } = (await answer.json()) as { meta: Record<string, string> } // as every answer of a login
  return meta['session_token'] ?? ''
}
