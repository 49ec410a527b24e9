import { report, type Section } from '../metrics.ts'
import { measureApi } from './api.ts'
import { measureChecksDuringLogins, measureLogins } from './logins.ts'
import { measureChecks } from './checks.ts'
import { measureJwt, measureOidc } from './tokens.ts'
import { measureMemory, measureStartUp } from './start-and-memory.ts'
import { parseAuthOptions, type BenchOptions, type AuthStage } from '../options.ts'
import { type Site, createSite } from './site.ts'
import { measureTiming } from './timing.ts'

await report(parseAuthOptions(process.argv.slice(2)), measure)

async function measure({ quick, stages, rounds, profile }: BenchOptions<AuthStage>): Promise<readonly Section[]> {
  const done: Section[] = []
  const site = await createSite({ users: 1_000, sessions: 1_000 })
  const section = async (title: string, work: () => Promise<Section['metrics']>): Promise<void> => {
    console.error(`${title} …`)
    done.push({ title, metrics: await work() })
  }
  try {
    if (stages.has('check')) {
      await section('Session checks', () =>
        withMany(quick, (many) =>
          measureChecks(site, many, { rounds, profile, checks: quick ? 5_000 : 20_000, pages: quick ? 500 : 2_000 }),
        ),
      )
    }
    if (stages.has('api')) {
      const counts = quick ? { sessions: 3_000, logins: 500 } : { sessions: 20_000, logins: 3_000 }
      await section('Headless API', () => measureApi(site, { rounds, profile, ...counts }))
    }
    if (stages.has('jwt')) await section('Tokens', () => measureJwt({ rounds, checks: quick ? 3_000 : 20_000 }))
    if (stages.has('oidc')) {
      await section('OpenID Connect provider', () => measureOidc({ rounds, checks: quick ? 3_000 : 20_000 }))
    }
    if (stages.has('login')) {
      const counts = quick ? { cheap: 1_000, whole: 60 } : { cheap: 4_000, whole: 300 }
      await section('Logins', () => measureLogins(site, { rounds, profile, ...counts }))
    }
    if (stages.has('busy'))
      await section('Session checks during logins', () =>
        measureChecksDuringLogins(site, { rounds, checks: quick ? 300 : 1_000 }),
      )
    if (stages.has('start')) await section('Startup', () => measureStartUp(site, rounds))
    if (stages.has('timing')) {
      await section('Account enumeration by timing', () => measureTiming({ rounds, answers: quick ? 50 : 300 }))
    }
    if (stages.has('memory')) await section('Memory', () => measureMemory(site, quick ? 5_000 : 50_000))
  } finally {
    await site.remove()
  }
  return done
}

/** Runs `work` with a site with very many sessions, which takes half a minute to create. */
async function withMany<R>(quick: boolean, work: (many: Site) => Promise<R>): Promise<R> {
  const many = await createSite({ users: 100_000, sessions: quick ? 100_000 : 1_000_000 })
  try {
    return await work(many)
  } finally {
    await many.remove()
  }
}
