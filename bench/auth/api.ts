import type { Figure } from '../figures.ts'
import { inRounds } from '../gateway/rounds.ts'
import { costOf, steadyCostOf } from './cost.ts'
import type { Server } from './server-process.ts'
import type { Site } from './site.ts'
import { apiLogin, apiLoginVisit, checkVisit, flowLoginVisit, sessionVisit } from './visits.ts'

export interface ApiOptions {
  readonly rounds: number
  /** Questions for the session, and logins without their hash, of one round. */
  readonly sessions: number
  readonly logins: number
  readonly profile: string | null
}

/** Less than any of the servers can answer. */
const SESSIONS_PER_SECOND = 3_000
const SIGNED_IN = 200

/** The JSON API: who is signed in, against the floor; a login, against the flow that it wraps. */
export async function measureApi(site: Site, options: ApiOptions): Promise<readonly Figure[]> {
  const floor = await site.start('floor')
  const auth = await site.start('auth', options.profile)
  try {
    return await inTurn(site, { floor, auth }, options)
  } finally {
    for (const server of [floor, auth]) await server.stop()
  }
}

async function inTurn(
  { population }: Site,
  { floor, auth }: { readonly floor: Server; readonly auth: Server },
  { rounds, sessions, logins }: ApiOptions,
): Promise<readonly Figure[]> {
  await auth.post('/hashing?on=false', {})
  const tokens: string[] = []
  for (let at = 0; at < SIGNED_IN; at++) tokens.push(await apiLogin(auth, (at % population.users) + 1, at))
  let from = SIGNED_IN
  const asked = async (server: Server, visit: ReturnType<typeof sessionVisit>): Promise<number> => {
    from += sessions
    return steadyCostOf(server, visit, { from, count: sessions }, SESSIONS_PER_SECOND)
  }
  const signedIn = async (visit: ReturnType<typeof sessionVisit>): Promise<number> => {
    from += logins
    return (await costOf(auth, visit, { from, count: logins })).micros
  }
  const round = async (): Promise<Record<Measured, number>> => {
    const [least, session] = [await asked(floor, checkVisit(population)), await asked(auth, sessionVisit(tokens))]
    const [flow, login] = [await signedIn(flowLoginVisit(population)), await signedIn(apiLoginVisit(population))]
    return { floor: least, session, share: least / session, flow, login, added: login / flow }
  }
  await round() // everything is compiled and cached
  const all = await inRounds(rounds, round)
  const unit = 'us of processor'
  return [
    { name: 'floor: one select by key', unit, ...all.floor },
    { name: 'GET auth/session', unit, ...all.session },
    { name: 'floor / session', unit: '', target: { atLeast: 0.5 }, ...all.share },
    { name: 'login flow without its hash', unit, ...all.flow },
    { name: 'POST auth/login without its hash', unit, ...all.login },
    { name: 'login by JSON / its flow', unit: '', target: { atMost: 1.1 }, ...all.added },
  ]
}

type Measured = 'floor' | 'session' | 'share' | 'flow' | 'login' | 'added'
