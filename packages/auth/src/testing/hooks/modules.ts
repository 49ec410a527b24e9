import { addApp, addKey, readPageData, TWO } from '../../mfa/pages/testing-visits.ts'
import type { AuthOptions } from '../../options.ts'
import type { AuthTables } from '../../kernel/schema/tables.ts'
import type { AuthSettingsInput } from '../../kernel/settings/settings.ts'
import { readPath } from '../api-bench.ts'
import type { AuthWorld } from '../auth-world.ts'
import { ADA, member, PASSWORD } from '../effects/effect.ts'
import type { Visited, Visitor } from '../visitor.ts'
import { MANDATORY } from './hook.ts'

/** A hook of a module other than `account`, and the effect of overriding it. */
export interface ModuleHookChange {
  /** Module and hook, e.g. `mfa.encrypt`. */
  readonly hook: string
  readonly settings?: AuthSettingsInput
  readonly adapters: NonNullable<AuthOptions<AuthTables>['adapters']>
  observe(world: AuthWorld): Promise<unknown>
  readonly expected: unknown
}

/** Settings with all modules on. */
export const MODULES = {
  mfa: { enabled: true, supportedTypes: ['recovery_codes', 'totp', 'webauthn'] },
  headless: { enabled: true, serveSpecification: true, tokenStrategy: 'jwt', jwtAlgorithm: 'HS256' },
  usersessions: { enabled: true },
} as const satisfies AuthSettingsInput

const ACTIVATE = `${TWO}totp/activate/`
const SVG = '<svg xmlns="http://www.w3.org/2000/svg"><title>drawn by the host</title></svg>'
const OTHER_SECRETS = {
  encrypt: (text: string) => `kept elsewhere ${text}`,
  decrypt: (text: string) => text.replace('kept elsewhere ', ''),
}
const KEPT = "This sign-in method can't be removed."

const openTotpActivation = async (world: AuthWorld): Promise<Visited> => (await member(world)).get(ACTIVATE)
const readOtpauthUrl = ({ html }: Visited): string =>
  /href="(otpauth:[^"]*)"/.exec(html)?.[1]?.replaceAll('&amp;', '&') ?? ''
const creation = async (world: AuthWorld): Promise<Readonly<Record<string, unknown>>> =>
  readPageData(await (await member(world)).get(`${TWO}webauthn/add/`)).publicKey
async function addTotpApp(world: AuthWorld): Promise<{ readonly ada: Visitor; readonly app: () => string }> {
  const ada = await member(world)
  return { ada, app: await addApp(world, ada) }
}

const MFA_HOOKS: readonly ModuleHookChange[] = [
  {
    hook: 'mfa.getTotpLabel',
    adapters: { mfa: { getTotpLabel: (_request, { username }) => `keeper ${username}` } },
    observe: async (world) => readOtpauthUrl(await openTotpActivation(world)).replace(/\?.*/, ''),
    expected: 'otpauth://totp/keeper%20ada',
  },
  {
    hook: 'mfa.getTotpIssuer',
    adapters: { mfa: ({ getTotpIssuer }) => ({ getTotpIssuer: (request) => `${getTotpIssuer(request)} Harbour` }) },
    observe: async (world) => /issuer=([^&]*)/.exec(readOtpauthUrl(await openTotpActivation(world)))?.[1],
    expected: 'Example%20Harbour',
  },
  {
    hook: 'mfa.buildTotpUrl',
    adapters: { mfa: { buildTotpUrl: (_request, _user, secret) => `otpauth://totp/x?secret=${secret}&image=y` } },
    observe: async (world) => readOtpauthUrl(await openTotpActivation(world)).replace(/secret=\w+/, 'secret'),
    expected: 'otpauth://totp/x?secret&image=y',
  },
  {
    hook: 'mfa.buildTotpSvg',
    adapters: { mfa: { buildTotpSvg: () => SVG } },
    observe: async (world) => (await openTotpActivation(world)).html.includes(Buffer.from(SVG).toString('base64')),
    expected: true,
  },
  {
    hook: 'mfa.encrypt',
    adapters: { mfa: OTHER_SECRETS },
    async observe(world) {
      await addTotpApp(world)
      const { auth } = world
      const rows = await auth.kernel.database.db
        .selectFrom('mfa_authenticator')
        .select('data')
        .where('type', '=', 'totp')
        .execute()
      return JSON.stringify(rows).includes('kept elsewhere ')
    },
    expected: true,
  },
  {
    hook: 'mfa.decrypt',
    adapters: { mfa: OTHER_SECRETS },
    async observe(world) {
      const { app } = await addTotpApp(world)
      const again = world.visitor()
      await again.login(ADA.username, PASSWORD)
      return (await again.post(`${TWO}authenticate/`, { code: app() })).location
    },
    expected: '/accounts/profile/',
  },
  {
    hook: 'mfa.canDeleteAuthenticator',
    adapters: { mfa: { canDeleteAuthenticator: (_request, { type }) => type !== 'totp' } },
    observe: async (world) => (await (await addTotpApp(world)).ada.post(`${TWO}totp/deactivate/`)).text.includes(KEPT),
    expected: true,
  },
  {
    hook: 'mfa.sendNotificationMail',
    adapters: {
      mfa: { sendNotificationMail: async (request, prefix) => request.addMessage('info', `told: ${prefix}`) },
    },
    async observe(world) {
      const { ada } = await addTotpApp(world)
      const activated = (await ada.get(TWO)).text
      await ada.post(`${TWO}recovery-codes/generate/`)
      const generated = (await ada.get(TWO)).text
      await ada.post(`${TWO}totp/deactivate/`)
      return [activated, generated, (await ada.get(TWO)).text].map((text) => /told: (\S+)/.exec(text)?.[1])
    },
    expected: ['mfa/email/totp_activated', 'mfa/email/recovery_codes_generated', 'mfa/email/totp_deactivated'],
  },
  {
    hook: 'mfa.isMfaEnabled',
    adapters: { mfa: { isMfaEnabled: async () => false } },
    async observe(world) {
      await addTotpApp(world)
      return (await world.visitor().login(ADA.username, PASSWORD)).location
    },
    expected: '/accounts/profile/',
  },
  {
    hook: 'mfa.generateAuthenticatorName',
    adapters: { mfa: { generateAuthenticatorName: async (_request, { username }) => `Key of ${username}` } },
    async observe(world) {
      const ada = await member(world)
      await addKey(ada, { name: '' })
      return (await ada.get(`${TWO}webauthn/`)).text.includes('Key of ada')
    },
    expected: true,
  },
  {
    hook: 'mfa.getPublicKeyCredentialRpEntity',
    adapters: { mfa: { getPublicKeyCredentialRpEntity: () => ({ id: 'test', name: 'Harbour' }) } },
    observe: async (world) => (await creation(world))['rp'],
    expected: { id: 'test', name: 'Harbour' },
  },
  {
    hook: 'mfa.getPublicKeyCredentialUserEntity',
    adapters: {
      mfa: {
        getPublicKeyCredentialUserEntity: (_request, { username }) => ({
          id: new TextEncoder().encode('x'),
          name: `name of ${username}`,
          displayName: 'The keeper',
        }),
      },
    },
    observe: async (world) => (await creation(world))['user'],
    expected: { id: 'eA', name: 'name of ada', displayName: 'The keeper' },
  },
]

const login = async (world: AuthWorld) => {
  await world.addUser(ADA)
  return world.api('app').post('auth/login', { username: ADA.username, password: PASSWORD })
}

const HEADLESS_HOOKS: readonly ModuleHookChange[] = [
  {
    hook: 'headless.serializeUser',
    adapters: {
      headless: { serializeUser: async () => ({ display: 'Countess', has_usable_password: true, plan: 'free' }) },
    },
    observe: async (world) => readPath(await login(world), 'data.user'),
    expected: { display: 'Countess', has_usable_password: true, plan: 'free' },
  },
  {
    hook: 'headless.getFrontendUrl',
    settings: MANDATORY,
    adapters: { headless: { getFrontendUrl: (_request, name) => `https://host.test/${name}` } },
    async observe(world) {
      await world.api('app').post('auth/signup', ADA)
      return /https:\S+/.exec((await world.mailTo(ADA.email)).text)?.[0]
    },
    expected: 'https://host.test/account_confirm_email',
  },
  {
    hook: 'headless.getUserSchema',
    adapters: { headless: { getUserSchema: () => ({ properties: { plan: { type: 'string' } } }) } },
    observe: async (world) =>
      readPath(await world.api('app').get('/_allauth/openapi.json'), 'components.schemas.User.properties.plan'),
    expected: { type: 'string' },
  },
  {
    hook: 'headless.getClaims',
    adapters: { headless: { getClaims: ({ username }) => ({ name: username }) } },
    async observe(world) {
      const claims = String(readPath(await login(world), 'meta.access_token')).split('.')[1] ?? ''
      return Buffer.from(claims, 'base64url').toString().includes('"name":"ada"')
    },
    expected: true,
  },
]

/** Hooks of second factors, the JSON API, and sessions. */
export const MODULE_HOOKS: readonly ModuleHookChange[] = [
  ...MFA_HOOKS,
  ...HEADLESS_HOOKS,
  {
    hook: 'usersessions.endSessions',
    adapters: { sessions: { endSessions: async () => {} } },
    async observe(world) {
      const other = await member(world)
      const ada = world.visitor()
      await ada.login(ADA.username, PASSWORD)
      await ada.post('/accounts/sessions/')
      return other.whoami()
    },
    expected: 'ada',
  },
]
