import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type Auth, type AuthSettingsInput, createAuth } from '@gatepost/auth'
import { openDatabase } from '@gatepost/sql'
import type { Metric } from '../metrics.ts'
import { now } from '../machine.ts'
import { median, measureRounds } from '../statistics.ts'
import { populate, SECRET_KEY } from './people.ts'

export interface TimingOptions {
  readonly rounds: number
  /** Responses of each kind per round. */
  readonly answers: number
}

const ORIGIN = 'http://127.0.0.1'
const APP = `${ORIGIN}/_allauth/app/v1/`
/** No user has this ID or a higher one. */
const ABSENT = 10_000_000
const WRONG = 'another made-up phrase'

/** A stranger's request about a user. `at` counts up, so that every request is about a different user. */
interface Probe {
  readonly name: string
  /** Sends the request before the measured one. @returns its response */
  readonly before?: (ask: Ask, who: Identifier) => Promise<Reply>
  readonly ask: (ask: Ask, who: Identifier, before: Reply | null) => Promise<Reply>
  readonly status: number
}
interface Identifier {
  readonly email: string
  /** Returns the user handle of passkeys: the ID in base 36, as base64url. */
  readonly handle: string
}
interface Reply {
  readonly status: number
  readonly body: string
}
type Ask = (method: string, path: string, body?: object, token?: string) => Promise<Reply>

const askCode = (ask: Ask, { email }: Identifier): Promise<Reply> => ask('POST', 'auth/code/request', { email })

const PROBES: readonly Probe[] = [
  {
    name: 'wrong password',
    ask: (ask, { email }) => ask('POST', 'auth/login', { email, password: WRONG }),
    status: 400,
  },
  {
    name: 'sign-up',
    ask: (ask, { email }) => ask('POST', 'auth/signup', { email, password: WRONG }),
    status: 401,
  },
  { name: 'password request', ask: (ask, { email }) => ask('POST', 'auth/password/request', { email }), status: 200 },
  { name: 'code request', ask: askCode, status: 401 },
  {
    name: 'code resend',
    before: askCode,
    ask: (ask, _who, before) => ask('POST', 'auth/code/resend', undefined, readMember(before, 'session_token')),
    status: 200,
  },
  {
    name: 'passkey',
    before: (ask) => ask('GET', 'auth/webauthn/login'),
    ask: (ask, { handle }, before) =>
      ask(
        'POST',
        'auth/webauthn/login',
        { credential: forgeCredential(before, handle) },
        readMember(before, 'session_token'),
      ),
    status: 400,
  },
]

const SETTINGS = {
  development: true,
  trustedProxyCount: 1,
  siteName: 'Bench',
  account: {
    loginMethods: ['email'],
    signupFields: ['email*', 'password1*'],
    emailVerification: 'mandatory',
    loginByCodeEnabled: true,
    loginByCodeSupportsResend: 1,
  },
  mfa: { enabled: true, supportedTypes: ['totp', 'webauthn'], passkeyLoginEnabled: true },
  headless: { enabled: true },
} as const satisfies AuthSettingsInput

/**
 * Measures whether response times reveal who has an account. For each request: the ratio of the larger to the smaller
 * of the medians for known and unknown users, and the probability that the response for a known user is the slower of
 * two. One half means that nothing is revealed. It's the Mann-Whitney U statistic divided by the number of pairs.
 */
export async function measureTiming({ rounds, answers }: TimingOptions): Promise<readonly Metric[]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'gatepost-bench-timing-'))
  const file = path.join(folder, 'auth.db')
  await populate(file, { users: (rounds + 1) * answers * PROBES.length, sessions: 0 })
  const database = await openDatabase({ file })
  const auth = await createAuth({ database, secretKey: SECRET_KEY, settings: SETTINGS, mail: { send: async () => {} } })
  try {
    return await compareTimes(auth, { rounds, answers })
  } finally {
    await auth.close()
    await database.close()
    await rm(folder, { recursive: true, force: true })
  }
}

async function compareTimes(auth: Auth, { rounds, answers }: TimingOptions): Promise<readonly Metric[]> {
  const metrics: Metric[] = []
  let at = 0
  for (const question of PROBES) {
    const round = async (): Promise<Record<'ratio' | 'likely', number>> => {
      const [known, unknown]: [number[], number[]] = [[], []]
      for (let n = 0; n < answers; n += 1) {
        at += 1
        const pair = [
          { who: { email: `user${at}@example.org`, handle: toHandle(at) }, times: known },
          { who: { email: `new${at}@example.org`, handle: toHandle(at + ABSENT) }, times: unknown },
        ]
        // Alternate between known and unknown, in both orders.
        for (const { who, times } of n % 2 === 0 ? pair : pair.toReversed()) {
          times.push(await measureAnswer(auth, question, who, at))
        }
      }
      const [of, other] = [median(known), median(unknown)]
      return { ratio: Math.max(of, other) / Math.min(of, other), likely: estimateLikelihood(known, unknown) }
    }
    await round() // warm-up: everything is compiled and cached
    const { ratio, likely } = await measureRounds(rounds, round)
    metrics.push({ name: `${question.name}: slower / faster median`, unit: '', target: { atMost: 1.05 }, ...ratio })
    metrics.push({ name: `${question.name}: known account is slower`, unit: 'of pairs', ...likely })
  }
  return metrics
}

/** Measures the response time in milliseconds. @throws {Error} for an unexpected response */
async function measureAnswer(
  auth: Auth,
  { name, before, ask, status }: Probe,
  who: Identifier,
  at: number,
): Promise<number> {
  const asked = createAsk(auth, `10.${(at >> 16) & 255}.${(at >> 8) & 255}.${at & 255}`)
  const first = (await before?.(asked, who)) ?? null
  await untilMailsAreSent(auth)
  const beganAtMs = now()
  const answer = await ask(asked, who, first)
  const tookMs = now() - beganAtMs
  if (answer.status !== status) throw new Error(`${name} answered ${answer.status} ${answer.body.slice(0, 200)}`)
  await untilMailsAreSent(auth)
  return tookMs
}

const createAsk =
  (auth: Auth, ip: string): Ask =>
  async (method, below, body, token) => {
    const headers = {
      'content-type': 'application/json',
      'x-forwarded-for': ip,
      ...(token !== undefined && { 'x-session-token': token }),
    }
    const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) }
    const response = await auth.fetch(new Request(`${APP}${below}`, init), { remoteAddress: '127.0.0.1' })
    return { status: response.status, body: await response.text() }
  }

/** Waits until all mail is sent, so that sending it in the background doesn't slow down the next request. */
async function untilMailsAreSent({ kernel: { database } }: Auth): Promise<void> {
  while ((await database.db.selectFrom('gatepost_mail').select('id').limit(1).executeTakeFirst()) !== undefined) {
    await new Promise((resolve) => setImmediate(resolve))
  }
}

const toHandle = (id: number): string => Buffer.from(id.toString(36)).toString('base64url')

const readMember = (answer: Reply | null, name: string): string =>
  new RegExp(`"${name}":"([^"]+)"`).exec(answer?.body ?? '')?.[1] ?? ''

/** Returns the response of an unregistered authenticator. */
function forgeCredential(options: Reply | null, userHandle: string): object {
  const id = Buffer.alloc(32, 7).toString('base64url')
  const clientData = { type: 'webauthn.get', challenge: readMember(options, 'challenge'), origin: ORIGIN }
  const encoded = (bytes: Buffer): string => bytes.toString('base64url')
  const response = {
    clientDataJSON: encoded(Buffer.from(JSON.stringify(clientData))),
    authenticatorData: encoded(Buffer.alloc(37, 5)),
    signature: encoded(Buffer.alloc(70, 1)),
    userHandle,
  }
  return { id, rawId: id, type: 'public-key', response, clientExtensionResults: {} }
}

/**
 * Returns the share of all pairs in which the value from `first` is larger than the one from `second`. Equal ones count
 * half.
 */
function estimateLikelihood(first: readonly number[], second: readonly number[]): number {
  let more = 0
  for (const a of first) for (const b of second) more += a > b ? 1 : a === b ? 0.5 : 0
  return more / (first.length * second.length)
}
