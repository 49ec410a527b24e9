import { singleEmail, playProviders, PROVIDERS, type SomebodyThere, START } from '../../social/testing-bench.ts'
import type { SocialStart } from '../../social/social-accounts.ts'
import type { AuthWorld } from '../auth-world.ts'
import { ADA, type Effect } from './effect.ts'

const ON = { socialaccount: { enabled: true, providers: PROVIDERS } } as const
const ADA_THERE = { uid: '1', username: 'ada', emails: singleEmail(ADA.email) }
const TOKENS = { token: 'access', tokenSecret: '', expiresAtMs: null }

/** Returns the result of a login with Google. */
async function runGoogleLogin(world: AuthWorld, as: SomebodyThere): Promise<string> {
  const outcome = await playProviders(world).browser().visit('google', as)
  return outcome.kind === 'login' ? outcome.outcome.kind : outcome.kind
}
const fetchStatus = async (world: AuthWorld, path: string): Promise<number> => (await world.visitor().get(path)).status
const loadSocialRows = async (world: AuthWorld, table: 'socialaccount_socialtoken' | 'socialaccount_socialaccount') => {
  const rows = await world.auth.kernel.database.db.selectFrom(table).select('id').execute()
  return rows.length
}
/** Called when the server that never responds gets a request. */
let asked: () => void = () => {}
const neverReply = (): Promise<Response> => {
  asked()
  return new Promise(() => {})
}

/** Returns how long a login waits for the server, in milliseconds of the clock. */
async function waitFor(world: AuthWorld): Promise<number> {
  const { auth, clock } = world
  const start: SocialStart = { ...START, query: new URLSearchParams() }
  const from = { remoteAddress: '192.0.2.1' }
  const isAsked = new Promise<void>((resolve) => {
    asked = resolve
  })
  const began = clock.now()
  let endedAt: number | null = null
  const work = auth.visit(new Request('http://auth.test/'), from, async (request) => {
    const provider = await auth.module('social').adapter.getProvider(request, 'google')
    const url = new URL(await auth.module('social').begin(request, provider, start))
    const state = url.searchParams.get('state') ?? ''
    await auth.module('social').finish(request, provider, new URLSearchParams({ state, code: 'x' }))
    endedAt = clock.now()
  })
  await isAsked
  for (let second = 0; endedAt === null && second < 20; second++) {
    clock.advance(1_000)
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
  }
  await work
  return (endedAt ?? Number.NaN) - began
}

/** The effects of settings about social login. */
export const SOCIAL_EFFECTS: readonly Effect[] = [
  {
    setting: 'socialaccount.enabled',
    changed: { socialaccount: { enabled: true } },
    observe: (world) => fetchStatus(world, '/accounts/3rdparty/login/cancelled/'),
    without: 404,
    within: 200,
  },
  {
    setting: 'socialaccount.only',
    base: { ...ON, account: { emailVerification: 'none' } },
    changed: { socialaccount: { ...ON.socialaccount, only: true } },
    observe: (world) => fetchStatus(world, '/accounts/signup/'),
    without: 200,
    within: 404,
  },
  {
    setting: 'socialaccount.autoSignup',
    base: ON,
    changed: { socialaccount: { ...ON.socialaccount, autoSignup: false } },
    observe: (world) => runGoogleLogin(world, ADA_THERE),
    without: 'authenticated',
    within: 'signup',
  },
  {
    setting: 'socialaccount.emailAuthentication',
    base: ON,
    changed: { socialaccount: { ...ON.socialaccount, emailAuthentication: true } },
    async observe(world) {
      await world.addUser(ADA)
      return runGoogleLogin(world, ADA_THERE)
    },
    without: 'signup',
    within: 'authenticated',
  },
  {
    setting: 'socialaccount.emailAuthenticationAutoConnect',
    base: { socialaccount: { ...ON.socialaccount, emailAuthentication: true } },
    changed: { socialaccount: { emailAuthenticationAutoConnect: true } },
    async observe(world) {
      await world.addUser(ADA)
      await runGoogleLogin(world, ADA_THERE)
      return loadSocialRows(world, 'socialaccount_socialaccount')
    },
    without: 0,
    within: 1,
  },
  {
    setting: 'socialaccount.emailRequired',
    base: { ...ON, account: { signupFields: ['username*', 'password1*'] } },
    changed: { socialaccount: { emailRequired: true } },
    observe: (world) => runGoogleLogin(world, { uid: '1', username: 'ada' }),
    without: 'authenticated',
    within: 'signup',
  },
  {
    setting: 'socialaccount.emailVerification',
    base: { ...ON, account: { emailVerification: 'none' } },
    changed: { socialaccount: { emailVerification: 'mandatory' } },
    observe: (world) => runGoogleLogin(world, { ...ADA_THERE, emails: singleEmail(ADA.email, false) }),
    without: 'authenticated',
    within: 'stage',
  },
  {
    setting: 'socialaccount.loginOnGet',
    base: ON,
    changed: { socialaccount: { loginOnGet: true } },
    observe: (world) => fetchStatus(world, '/accounts/google/login/'),
    without: 200,
    within: 302,
  },
  {
    setting: 'socialaccount.openidConnectUrlPrefix',
    base: {
      socialaccount: {
        enabled: true,
        providers: {
          openid_connect: {
            APP: { client_id: 'x', provider_id: 'ours', settings: { server_url: 'https://id.example.org' } },
          },
        },
      },
    },
    changed: { socialaccount: { openidConnectUrlPrefix: '' } },
    observe: async (world) => [
      await fetchStatus(world, '/accounts/oidc/ours/login/'),
      await fetchStatus(world, '/accounts/ours/login/'),
    ],
    without: [200, 404],
    within: [404, 200],
  },
  {
    setting: 'socialaccount.providers',
    base: { socialaccount: { enabled: true } },
    changed: ON,
    observe: (world) => fetchStatus(world, '/accounts/google/login/'),
    without: 404,
    within: 200,
  },
  {
    setting: 'socialaccount.queryEmail',
    base: { socialaccount: { ...ON.socialaccount, loginOnGet: true } },
    changed: { socialaccount: { queryEmail: true } },
    async observe(world) {
      const { location } = await world.visitor().get('/accounts/google/login/')
      return new URL(location ?? '').searchParams.get('scope')?.split(' ').includes('email')
    },
    without: false,
    within: true,
  },
  {
    setting: 'socialaccount.requestsTimeout',
    base: ON,
    changed: { socialaccount: { requestsTimeout: 10 } },
    options: { adapters: { social: { getRequestsSession: () => neverReply } } },
    observe: waitFor,
    without: 5_000,
    within: 10_000,
  },
  {
    setting: 'socialaccount.socialaccountStr',
    base: ON,
    changed: { socialaccount: { socialaccountStr: ({ uid }) => `number ${uid}` } },
    async observe(world) {
      await runGoogleLogin(world, { ...ADA_THERE, extraData: { login: 'countess' } })
      const social = world.auth.module('social')
      const { database } = world.auth.kernel
      const account = await social.accounts.find(database.db, 'google', '1')
      return account === null ? null : social.display(account)
    },
    without: 'countess',
    within: 'number 1',
  },
  {
    setting: 'socialaccount.storeTokens',
    base: ON,
    changed: { socialaccount: { storeTokens: true } },
    async observe(world) {
      await runGoogleLogin(world, { ...ADA_THERE, tokens: TOKENS })
      return loadSocialRows(world, 'socialaccount_socialtoken')
    },
    without: 0,
    within: 1,
  },
]
