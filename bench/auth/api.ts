import type { Metric } from '../metrics.ts'
import { measureRounds } from '../statistics.ts'
import { measureCost, measureSteadyCost } from './cost.ts'
import type { Server, Site } from './site.ts'
import { apiLogin, apiLoginVisit, checkVisit, flowLoginVisit, sessionVisit } from './visits.ts'

export interface ApiOptions {
  readonly rounds: number
  /** Session requests, and logins without their password hash, per round. */
  readonly sessions: number
  readonly logins: number
  readonly profile: string | null
}

/** A rate that all servers can sustain. */
const SESSIONS_PER_SECOND = 3_000
const SIGNED_IN = 200

/**
 * Measures the JSON API: session requests compared with the baseline, and logins compared with the flow that they wrap.
 */
export async function measureApi(site: Site, options: ApiOptions): Promise<readonly Metric[]> {
  const baseline = await site.start('baseline')
  const auth = await site.start('auth', options.profile)
  try {
    return await compareWithBaseline(site, { baseline, auth }, options)
  } finally {
    for (const server of [baseline, auth]) await server.stop()
  }
}

async function compareWithBaseline(
  { population }: Site,
  { baseline, auth }: { readonly baseline: Server; readonly auth: Server },
  { rounds, sessions, logins }: ApiOptions,
): Promise<readonly Metric[]> {
  await auth.post('/hashing?on=false', {})
  const tokens: string[] = []
  for (let at = 0; at < SIGNED_IN; at++) tokens.push(await apiLogin(auth, (at % population.users) + 1, at))
  let from = SIGNED_IN
  const asked = async (server: Server, visit: ReturnType<typeof sessionVisit>): Promise<number> => {
    from += sessions
    return measureSteadyCost(server, visit, { from, count: sessions }, SESSIONS_PER_SECOND)
  }
  const signedIn = async (visit: ReturnType<typeof sessionVisit>): Promise<number> => {
    from += logins
    return (await measureCost(auth, visit, { from, count: logins })).micros
  }
  const round = async (): Promise<Record<Measured, number>> => {
    const [least, session] = [await asked(baseline, checkVisit(population)), await asked(auth, sessionVisit(tokens))]
    const [flow, login] = [await signedIn(flowLoginVisit(population)), await signedIn(apiLoginVisit(population))]
    return { baseline: least, session, share: least / session, flow, login, added: login / flow }
  }
  await round() // warm-up: everything is compiled and cached
  const all = await measureRounds(rounds, round)
  const unit = 'µs of CPU time'
  return [
    { name: 'baseline: one SELECT by key', unit, ...all.baseline },
    { name: 'GET auth/session', unit, ...all.session },
    { name: 'baseline / session', unit: '', target: { atLeast: 0.5 }, ...all.share },
    { name: 'login flow, no password hash', unit, ...all.flow },
    { name: 'POST auth/login, no password hash', unit, ...all.login },
    { name: 'POST auth/login / login flow', unit: '', target: { atMost: 1.1 }, ...all.added },
  ]
}

type Measured = 'baseline' | 'session' | 'share' | 'flow' | 'login' | 'added'
