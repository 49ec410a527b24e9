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
  /** Answers of each kind in one round. */
  readonly answers: number
}

const ORIGIN = 'http://127.0.0.1'
const APP = `${ORIGIN}/_allauth/app/v1/`
/** Ids from here on nobody has. */
const ABSENT = 10_000_000
const WRONG = 'another made-up phrase'

/** What a stranger sends for somebody; `at` counts, so that no two are about the same person. */
interface Probe {
  readonly name: string
  /** Sent before what is measured. @returns its answer */
  readonly before?: (ask: Ask, who: Identifier) => Promise<Reply>
  readonly ask: (ask: Ask, who: Identifier, before: Reply | null) => Promise<Reply>
  readonly status: number
}
interface Identifier {
  readonly email: string
  /** Base64url of the id in base 36, as passkeys have it. */
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
 * Whether the time of an answer tells who has an account. Of each question: of the medians for somebody known and for
 * somebody unknown the larger by the smaller, and how likely it is that of two answers the slower one is the known one's (one half: nothing can
 * be told), which is the statistic U of Mann and Whitney by the number of pairs.
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
        // In turn, and in both orders.
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

/** Milliseconds until the answer. @throws {Error} when it is another than it should be */
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

/** What sends mails works in the background: it must not slow down whoever is next. */
async function untilMailsAreSent({ kernel: { database } }: Auth): Promise<void> {
  while ((await database.db.selectFrom('gatepost_mail').select('id').limit(1).executeTakeFirst()) !== undefined) {
    await new Promise((resolve) => setImmediate(resolve))
  }
}

const toHandle = (id: number): string => Buffer.from(id.toString(36)).toString('base64url')

const readMember = (answer: Reply | null, name: string): string =>
  new RegExp(`"${name}":"([^"]+)"`).exec(answer?.body ?? '')?.[1] ?? ''

/** What an authenticator would send that nobody has registered. */
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

/** How often a value of the first is more than one of the second, of all pairs; equal ones count half. */
function estimateLikelihood(first: readonly number[], second: readonly number[]): number {
  let more = 0
  for (const a of first) for (const b of second) more += a > b ? 1 : a === b ? 0.5 : 0
  return more / (first.length * second.length)
}
