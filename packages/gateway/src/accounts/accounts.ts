import {
  changeAccount,
  resetAuthenticators,
  toGatewayDb,
  type AccountChange,
  type AuthenticatorReset,
} from './account-change.ts'
import { type AccessMail, createAccessMail } from './access-mail.ts'
import { accountPage, type AccountRow } from './account-store.sql.ts'
import { createAudit, type Audit, type Client } from './audit/audit.ts'
import { auditFailedLogin, auditSession, auditSignals, auditStaffPage } from './audit/auth-audit.ts'
import { INVITATION_PAGE, invitationPage, createInvitations, type Invitations } from './invitations/invitations.ts'
import type { Caller } from './caller.ts'
import { demoPage, demoPath, ensureVisitor } from './demo-visitor.ts'
import { gatewayMigrations, type GatewayTables } from './schema.ts'
import { requireSecretKeys, type SecretKeys } from '../keys/secret-keys.sql.ts'
import { ensureCliClient, oidcHooks, REGISTRATION_SCOPES, resourcesAt } from './oauth/client-routes.ts'
import { toMount, toOrigin } from '../config/public-url.ts'
import { createPeople, type People } from './people.ts'
import {
  redirectToFactorSetup,
  createSecondFactors,
  endOtherSessions,
  keepsAnotherFactor,
  type SecondFactors,
} from './second-factors.ts'
import { mayCreateAccount, saveInvited, type SignUpRules } from './sign-up.ts'
import { revokeTokensOfUser } from './tokens/token-store.sql.ts'
import { createTokens, type Tokens } from './tokens/tokens.ts'
import { TRANSLATIONS } from './translations.ts'
import {
  type AccountAdapter,
  type AccountAdapterInput,
  type Auth,
  type Visit,
  type AuthSettingsInput,
  type AuthTables,
  createAuth,
  type MailTransport,
  type User,
} from '@gatepost/auth'
import type { Clock, Log, Secret } from '@gatepost/channels'
import { type Database, migrate } from '@gatepost/sql'
import { fileURLToPath } from 'node:url'

/** Users, permissions and sign-up. */
export interface Accounts {
  readonly auth: Auth
  readonly people: People
  readonly factors: SecondFactors
  readonly tokens: Tokens
  readonly invitations: Invitations
  readonly audit: Audit
  readonly accessMail: AccessMail
  /** Returns a page of all accounts, ordered by id. */
  page(page: { readonly limit: number; readonly after: string | null }): Promise<readonly AccountRow[]>
  /** @throws {GatewayError} `unknown_account`, `own_account`, `owner_account` */
  change(caller: Caller, accountId: string, change: AccountChange): Promise<User>
  /** @param origin Public origin of the service. @throws {GatewayError} as `change` */
  resetAuthenticators(caller: Caller, accountId: string, origin: string): Promise<AuthenticatorReset>
  /** Returns the path of an invitation's page. */
  invitationPath(token: string): string
  /** Path that signs a demo visitor in; `null` if this isn't a demo. */
  readonly demoPath: string | null
  /** Whether any user exists. */
  hasAccounts(): Promise<boolean>
  /** Creates the link path for the first account and invalidates earlier ones; `null` if an account exists. */
  createFirstAccountPath(): Promise<string | null>
  readClient(request: Request, remoteAddress: string | null): Client
  /** Stops background work. */
  close(): Promise<void>
}

/** Options of `createAccounts`. */
export interface AccountsOptions {
  readonly database: Database<AuthTables & GatewayTables>
  /** The newest first. */
  readonly secretKeys: SecretKeys
  /** Whether to start without keys that stored data may be encrypted with. */
  readonly canForgetKeys: boolean
  readonly ownerToken: Secret
  /** `null`: only reachable on this machine. */
  readonly publicUrl: string | null
  readonly settings: AuthSettingsInput
  readonly isSignupOpen: boolean
  /** Whether staff need a second factor to use staff permissions. */
  readonly isStaffFactorRequired: boolean
  readonly auditRetentionMs: number
  /** Most valid personal access tokens per account. */
  readonly maxTokens: number
  readonly clock: Clock
  readonly log: Log
  /** Replaces the mail transport of the settings. */
  readonly mail?: MailTransport
  /** Key of the demo link, which signs visitors in. */
  readonly demoKey?: string
}

const TEMPLATES = fileURLToPath(new URL('../../templates', import.meta.url))
/** How often old tokens and audit entries are removed. */
const SWEEP_MS = 86_400_000

/**
 * Migrates the tables and starts the accounts.
 * @throws {AuthError} `settings_invalid`
 * @throws {StartError} if a secret key is missing
 * @throws {SqlError}
 */
export async function createAccounts(options: AccountsOptions): Promise<Accounts> {
  const { clock, log } = options
  const database = options.database as unknown as Database<GatewayTables> // the same database, typed by the gateway's tables
  await migrate(database, { owner: 'gateway', migrations: gatewayMigrations, nowMs: clock.now() })
  await requireSecretKeys({ ...options, database, canForget: options.canForgetKeys })
  const audit = createAudit({ database, clock, log, retentionMs: options.auditRetentionMs })
  const invitations = createInvitations(database, clock)
  const tokens = createTokens({ database, clock, log, maxTokens: options.maxTokens })
  const { auth, factors, hasAccounts } = await startAuth(options, { invitations, audit, database })
  const { demoKey } = options
  if (demoKey !== undefined) await ensureVisitor(auth, database)
  auditSignals(auth.signals, audit, database)
  await ensureCliClient(auth)
  if (options.isStaffFactorRequired) {
    auth.signals.on('mfa_enabled', ({ request, user }) => endOtherSessions(auth, request, user))
  }
  const people = createPeople({ ...options, auth, database, tokens, factors })
  const stopping = new AbortController()
  const sweeping = sweepDaily({ audit, tokens, clock, log }, stopping.signal)
  const invitationPath = (token: string): string => auth.kernel.url(INVITATION_PAGE, { token })
  return {
    auth,
    people,
    factors,
    tokens,
    invitations,
    audit,
    accessMail: createAccessMail({ auth, database, people, clock, log }),
    page: (page) => accountPage(database.db, page),
    change: (caller, accountId, change) => changeAccount({ auth, people }, caller, accountId, change),
    resetAuthenticators: (caller, accountId, origin) =>
      resetAuthenticators({ auth, people }, caller, accountId, origin),
    invitationPath,
    demoPath: demoKey === undefined ? null : demoPath(auth, demoKey),
    hasAccounts,
    async createFirstAccountPath() {
      if (await hasAccounts()) return null
      return invitationPath((await invitations.createFirst()).token)
    },
    readClient: (request, remoteAddress) => ({
      ip: auth.account.adapter.getClientIp(request, remoteAddress),
      userAgent: auth.account.adapter.getHttpUserAgent(request),
    }),
    async close() {
      stopping.abort()
      await auth.close()
      await tokens.settle()
      await sweeping
    },
  }
}

async function startAuth(
  options: AccountsOptions,
  parts: {
    readonly invitations: Invitations
    readonly audit: Audit
    readonly database: Database<GatewayTables>
  },
): Promise<Pick<Accounts, 'auth' | 'factors' | 'hasAccounts'>> {
  const { publicUrl, mail, demoKey, clock, log, secretKeys, isStaffFactorRequired } = options
  const [secretKey, ...olderKeys] = secretKeys
  let somebody = false
  const hasAccounts = async (): Promise<boolean> => (somebody ||= await auth.kernel.users.any(auth.kernel.database.db))
  const rules: SignUpRules = { ...parts, isOpen: options.isSignupOpen, hasAccounts }
  const auth: Auth = await createAuth({
    database: options.database,
    secretKey: [secretKey.reveal(), ...olderKeys.map((key) => key.reveal())],
    ...(publicUrl !== null && { origin: toOrigin(publicUrl) }),
    settings: options.settings,
    adapters: {
      account: accountHooks(rules, {
        secretKey,
        away: (request, user) => redirectToFactorSetup(auth, factors, request, user),
        mayAdminister: (request, user) => mayAdminister({ ...parts, factors }, request, user),
        revokeAccess: (db, userId) => revokeTokensOfUser(toGatewayDb(db), String(userId), clock.now()),
      }),
      mfa: (defaults) => ({
        canDeleteAuthenticator: async (request, factor) =>
          (await defaults.canDeleteAuthenticator(request, factor)) &&
          (!isStaffFactorRequired || (await keepsAnotherFactor(auth, request, factor))),
      }),
      oidc: oidcHooks,
      sessions: (defaults) => ({
        async endSessions(request, sessions) {
          await defaults.endSessions(request, sessions)
          for (const session of sessions) await auditSession(parts, request, 'session_ended', session)
        },
      }),
    },
    oidc: oidcOptions(toMount(publicUrl)),
    templates: { folders: [TEMPLATES] },
    translations: TRANSLATIONS,
    ...(mail !== undefined && { mail }),
    pages: (auth) => [
      invitationPage(auth, parts.invitations),
      ...(demoKey === undefined ? [] : [demoPage(auth, demoKey)]),
    ],
    clock,
    log,
  })
  const factors = createSecondFactors(auth, isStaffFactorRequired)
  return { auth, factors, hasAccounts }
}

const oidcOptions = (mount: string): NonNullable<Parameters<typeof createAuth>[0]['oidc']> => ({
  mount,
  resources: resourcesAt(mount),
  registrationScopes: REGISTRATION_SCOPES,
})

/** Whether a staff member may use staff pages. Records what they submit there. */
async function mayAdminister(
  parts: Parameters<typeof auditStaffPage>[0] & { readonly factors: SecondFactors },
  request: Visit,
  user: User,
): Promise<boolean> {
  const isAllowed = !(await parts.factors.isMissing(user))
  await auditStaffPage(parts, request, user, isAllowed)
  return isAllowed
}

/** @param more.away Returns a redirect after sign-in; `null`: continue to the requested page. */
const accountHooks =
  (
    rules: SignUpRules,
    more: {
      readonly secretKey: Secret
      readonly away: (request: Visit, user: User) => Promise<string | null>
      readonly mayAdminister: (request: Visit, user: User) => Promise<boolean>
      readonly revokeAccess: AccountAdapter['revokeAccess']
    },
  ): AccountAdapterInput =>
  (defaults) => ({
    isOpenForSignup: (request) => mayCreateAccount(rules, request),
    saveUser: (request, user, values) => saveInvited(rules, defaults, request, { user, values }),
    authenticationFailed: (request, typed) => auditFailedLogin(rules.audit, more.secretKey, request, typed),
    mayAdminister: more.mayAdminister,
    revokeAccess: more.revokeAccess,
    postLogin: async (request, login) => (await more.away(request, login.user)) ?? defaults.postLogin(request, login),
  })

async function sweepDaily(
  parts: { readonly audit: Audit; readonly tokens: Tokens; readonly clock: Clock; readonly log: Log },
  signal: AbortSignal,
): Promise<void> {
  const { audit, tokens, clock, log } = parts
  while (!signal.aborted) {
    try {
      await audit.sweep()
      await tokens.sweep()
    } catch (error) {
      log.warn("Couldn't remove old tokens and audit entries", { error })
    }
    await clock.sleep(SWEEP_MS, signal)
  }
}
