import { InvalidInput } from '../../errors.ts'
import type { AuthSettingsInput } from '../../kernel/settings/settings.ts'
import type { SocialAdapterInput } from '../../social/adapter.ts'
import {
  singleEmail,
  playProviders,
  PROVIDERS,
  type SocialBench,
  type SocialBrowser,
  START,
} from '../../social/testing-bench.ts'
import type { AuthWorld } from '../auth-world.ts'
import { ADA } from '../effects/effect.ts'
import type { ModuleHookChange } from './modules.ts'

const ON = { socialaccount: { enabled: true, providers: PROVIDERS } } as const satisfies AuthSettingsInput
const EVE = { uid: '1', username: 'eve', emails: singleEmail('eve@example.org') }
const CONNECT = { process: 'connect' } as const

type Played = Pick<SocialBench, 'browser' | 'idToken'> & { readonly world: AuthWorld }

/** Describes a hook of social login, which is observed with emulated providers. */
const socialHook = (
  name: string,
  adapter: SocialAdapterInput,
  observe: (played: Played) => Promise<unknown>,
  expected: unknown,
  settings: AuthSettingsInput = {},
): ModuleHookChange => ({
  hook: `socialaccount.${name}`,
  settings: { ...ON, ...settings, socialaccount: { ...ON.socialaccount, ...settings.socialaccount } },
  adapters: { social: adapter },
  observe: (world) => observe({ world, ...playProviders(world, adapter) }),
  expected,
})

const googleLoginKind = async ({ browser }: Played): Promise<string> => (await browser().visit('google', EVE)).kind
const eve = async ({ browser }: Played): Promise<SocialBrowser> => {
  const signedIn = browser()
  await signedIn.visit('google', EVE)
  return signedIn
}
const initial = async (browser: SocialBrowser): Promise<unknown> =>
  browser.run(async (request, social) => {
    const sociallogin = await social.pendingSignup(request)
    return sociallogin === null ? null : social.adapter.getSignupFormInitialData(sociallogin)
  })
const FORM = { socialaccount: { autoSignup: false } } as const

/** The URL that was last requested. */
let seen = ''

/** Hooks of social login. */
export const SOCIAL_HOOKS: readonly ModuleHookChange[] = [
  socialHook(
    'preSocialLogin',
    {
      preSocialLogin() {
        throw new InvalidInput([{ code: 'not_today', message: 'Not today.' }])
      },
    },
    googleLoginKind,
    'failed',
  ),
  ...(['onAuthenticationError', 'authenticationError'] as const).map((name) =>
    socialHook(
      name,
      {
        [name]: (request: { readonly notes: Map<string, unknown> }) => {
          request.notes.set('told', name)
        },
      },
      ({ browser }) =>
        browser().run(async (request, social) => {
          const provider = await social.adapter.getProvider(request, 'google')
          await social.finish(request, provider, new URLSearchParams())
          return request.notes.get('told')
        }),
      name,
    ),
  ),
  socialHook(
    'newUser',
    { newUser: () => ({ isStaff: true }) },
    async (at) => {
      await googleLoginKind(at)
      const { users, database } = at.world.auth.kernel
      return (await users.byId(database.db, 1))?.isStaff
    },
    true,
  ),
  socialHook(
    'saveUser',
    ({ saveUser }) => ({
      async saveUser(request, sociallogin, values) {
        sociallogin.user = { ...sociallogin.user, username: 'renamed' }
        return saveUser(request, sociallogin, values)
      },
    }),
    async (at) => (await eve(at)).whoami(),
    'renamed',
  ),
  socialHook(
    'populateUser',
    { populateUser: (_request, _sociallogin, { username = '' }) => ({ username: `${username}_there` }) },
    async (at) => (await eve(at)).whoami(),
    'eve_there',
  ),
  socialHook(
    'getConnectRedirectUrl',
    { getConnectRedirectUrl: (_request, { provider }) => `/linked/${provider}/` },
    async (at) => {
      const outcome = await (await eve(at)).visit('github', { uid: '2' }, CONNECT)
      return outcome.kind === 'connected' && outcome.redirectTo
    },
    '/linked/github/',
  ),
  socialHook(
    'validateDisconnect',
    {
      validateDisconnect: async (_request, { provider }) => {
        throw new InvalidInput([{ code: `keep_${provider}`, message: 'Keep it.' }])
      },
    },
    async (at) => {
      const browser = await eve(at)
      await browser.visit('github', { uid: '2' }, CONNECT)
      return browser.run(async (request, social) => {
        if (request.user === null) return null
        return social.disconnect(request, request.user, 2).catch((error: unknown) => String(error))
      })
    },
    'InvalidInput: keep_github',
  ),
  socialHook('isAutoSignupAllowed', { isAutoSignupAllowed: async () => false }, googleLoginKind, 'signup'),
  socialHook('isOpenForSignup', { isOpenForSignup: () => false }, googleLoginKind, 'signup_closed'),
  socialHook(
    'getSignupFormInitialData',
    { getSignupFormInitialData: ({ account }) => ({ username: `user_${account.uid}` }) },
    async (at) => initial(await eve(at)),
    { username: 'user_1' },
    FORM,
  ),
  socialHook(
    'serializeInstance',
    ({ serializeInstance }) => ({
      serializeInstance: (sociallogin) => serializeInstance({ ...sociallogin, user: { username: 'kept' } }),
    }),
    async (at) => initial(await eve(at)),
    { email: 'eve@example.org', username: 'kept', first_name: '', last_name: '', phone: '' },
    FORM,
  ),
  socialHook(
    'deserializeInstance',
    { deserializeInstance: async () => null },
    async (at) => initial(await eve(at)),
    null,
    FORM,
  ),
  socialHook(
    'listProviders',
    { listProviders: async () => [] },
    async ({ world }) => JSON.stringify((await world.api('app').get('config')).body).includes('google'),
    false,
    { headless: { enabled: true } },
  ),
  socialHook(
    'getProvider',
    ({ getProvider }) => ({ getProvider: (request, provider) => getProvider(request, provider.replace('my-', '')) }),
    async ({ browser }) => (await browser().visit('my-google', EVE)).kind,
    'login',
  ),
  socialHook(
    'listApps',
    ({ listApps }) => ({
      listApps: async (...given) => (await listApps(...given)).map((app) => ({ ...app, clientId: 'of the tenant' })),
    }),
    async ({ browser }) => (await browser().leave('google')).searchParams.get('client_id'),
    'of the tenant',
  ),
  socialHook(
    'getApp',
    ({ getApp }) => ({ getApp: async (request) => getApp(request, 'github') }),
    async ({ browser }) => (await browser().leave('google')).searchParams.get('client_id'),
    'github-app',
  ),
  socialHook(
    'sendNotificationMail',
    { sendNotificationMail: async (request, prefix) => request.addMessage('info', `told: ${prefix}`) },
    async (at) => {
      const told: string[] = []
      await (await eve(at)).run(async (request, social) => {
        const provider = await social.adapter.getProvider(request, 'github')
        const url = new URL(await social.begin(request, provider, { ...START, ...CONNECT }))
        const add = request.addMessage.bind(request)
        request.addMessage = (level, text) => {
          told.push(text)
          add(level, text)
        }
        const state = url.searchParams.get('state') ?? ''
        await social.finish(request, provider, new URLSearchParams({ state, code: at.idToken({ uid: '2' }) }))
      })
      return told[0]
    },
    'told: socialaccount/email/account_connected',
  ),
  {
    hook: 'socialaccount.getRequestsSession',
    settings: ON,
    adapters: {
      social: {
        getRequestsSession: () => async (request) => {
          seen = request.url
          return new Response('{}', { status: 400 })
        },
      },
    },
    async observe({ auth }) {
      const from = { remoteAddress: '192.0.2.1' }
      await auth.visit(new Request('http://auth.test/'), from, async (request) => {
        const social = auth.module('social')
        const provider = await social.adapter.getProvider(request, 'google')
        const url = new URL(await social.begin(request, provider, START))
        const state = url.searchParams.get('state') ?? ''
        await social.finish(request, provider, new URLSearchParams({ state, code: 'x' }))
      })
      return seen
    },
    expected: 'https://oauth2.googleapis.com/token',
  },
  socialHook(
    'isEmailVerified',
    { isEmailVerified: (_provider, email) => email.endsWith('@example.org') },
    async ({ world, browser }) => {
      await browser().visit('google', { ...EVE, emails: singleEmail('eve@example.org', false) })
      const { emails } = world.auth.account
      const { database } = world.auth.kernel
      return (await emails.ofUser(database.db, 1)).map(({ verified }) => verified)
    },
    [true],
  ),
  socialHook(
    'canAuthenticateByEmail',
    { canAuthenticateByEmail: (_sociallogin, email) => email === ADA.email },
    async ({ world, browser }) => {
      await world.addUser(ADA)
      const signedIn = browser()
      await signedIn.visit('google', { ...EVE, emails: singleEmail(ADA.email) })
      return signedIn.whoami()
    },
    'ada',
  ),
  socialHook(
    'generateStateParam',
    { generateStateParam: ({ process }) => `state-to-${process}` },
    async ({ browser }) => (await browser().leave('google')).searchParams.get('state'),
    'state-to-login',
  ),
]
