import { changeAccount, resetAuthenticators, type AccountChange, type AuthenticatorReset } from './account-change.ts'
import { accountPage, type AccountRow } from './account-store.sql.ts'
import { createAudit, type Audit, type Client } from './audit/audit.ts'
import { auditFailedLogin, auditSession, auditSignals, auditStaffPage } from './audit/auth-audit.ts'
import { INVITATION_PAGE, invitationPage, createInvitations, type Invitations } from './invitations/invitations.ts'
import type { Caller } from './caller.ts'
import { demoPage, demoPath, ensureVisitor } from './demo-visitor.ts'
import { gatewayMigrations, type GatewayTables } from './schema.ts'
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
import { createTokens, type Tokens } from './tokens/tokens.ts'
import { TRANSLATIONS } from './translations.ts'
import {
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

/** Everything about people: who they are, what they may do, and how they come in. */
export interface Accounts {
  readonly auth: Auth
  readonly people: People
  readonly factors: SecondFactors
  readonly tokens: Tokens
  readonly invitations: Invitations
  readonly audit: Audit
  /** A page of all accounts, in the order of their ids. */
  page(page: { readonly limit: number; readonly after: string | null }): Promise<readonly AccountRow[]>
  /** @throws {GatewayError} `unknown_account`, `own_account`, `owner_account` */
  change(caller: Caller, accountId: string, change: AccountChange): Promise<User>
  /** @throws {GatewayError} as `change` @param origin Where people reach the service. */
  resetAuthenticators(caller: Caller, accountId: string, origin: string): Promise<AuthenticatorReset>
  /** Path of the page of an invitation. */
  invitationPath(token: string): string
  /** Path that signs a visitor of a demo in; `null`: this is no demo. */
  readonly demoPath: string | null
  /** Whether there is any account. */
  hasAccounts(): Promise<boolean>
  /** Path that creates the first account, as long as there is none; the one given before is not valid any more. */
  createFirstAccountPath(): Promise<string | null>
  readClient(request: Request, remoteAddress: string | null): Client
  /** Ends what runs in the background. */
  close(): Promise<void>
}

/** What accounts are made from. */
export interface AccountsOptions {
  readonly database: Database<AuthTables & GatewayTables>
  readonly secretKey: Secret
  readonly ownerToken: Secret
  /** `null`: reached directly, on this machine. */
  readonly publicUrl: string | null
  readonly settings: AuthSettingsInput
  readonly isSignupOpen: boolean
  /** Whether staff without a second factor have no rights of staff. */
  readonly isStaffFactorRequired: boolean
  readonly auditRetentionMs: number
  readonly clock: Clock
  readonly log: Log
  /** Instead of the one that the settings name. */
  readonly mail?: MailTransport
  /** Of a demo: whoever has it is signed in. */
  readonly demoKey?: string
}

const TEMPLATES = fileURLToPath(new URL('../../templates', import.meta.url))
/** How often old tokens and lines of the audit log are removed. */
const SWEEP_MS = 86_400_000

/** Brings the tables up to date and starts. @throws {AuthError} `settings_invalid` @throws {SqlError} */
export async function createAccounts(options: AccountsOptions): Promise<Accounts> {
  const { clock, log } = options
  const database = options.database as unknown as Database<GatewayTables> // the same, seen from its own tables
  await migrate(database, { owner: 'gateway', migrations: gatewayMigrations, nowMs: clock.now() })
  const audit = createAudit({ database, clock, log, retentionMs: options.auditRetentionMs })
  const invitations = createInvitations(database, clock)
  const tokens = createTokens({ database, clock, log })
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
  const { publicUrl, mail, demoKey, clock, log, secretKey, isStaffFactorRequired } = options
  let somebody = false
  const hasAccounts = async (): Promise<boolean> => (somebody ||= await auth.kernel.users.any(auth.kernel.database.db))
  const rules: SignUpRules = { ...parts, isOpen: options.isSignupOpen, hasAccounts }
  const auth: Auth = await createAuth({
    database: options.database,
    secretKey: secretKey.reveal(),
    ...(publicUrl !== null && { origin: toOrigin(publicUrl) }),
    settings: options.settings,
    adapters: {
      account: accountHooks(rules, {
        secretKey,
        away: (request, user) => redirectToFactorSetup(auth, factors, request, user),
        mayAdminister: (request, user) => mayAdminister({ ...parts, factors }, request, user),
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

/** Whether somebody of staff has all that pages for staff need; what they send there is noted. */
async function mayAdminister(
  parts: Parameters<typeof auditStaffPage>[0] & { readonly factors: SecondFactors },
  request: Visit,
  user: User,
): Promise<boolean> {
  const isAllowed = !(await parts.factors.isMissing(user))
  await auditStaffPage(parts, request, user, isAllowed)
  return isAllowed
}

/** @param more.away Where somebody is led after their sign-in, in place of where they wanted; `null`: nowhere else. */
const accountHooks =
  (
    rules: SignUpRules,
    more: {
      readonly secretKey: Secret
      readonly away: (request: Visit, user: User) => Promise<string | null>
      /** `false`: they may not. */
      readonly mayAdminister: (request: Visit, user: User) => Promise<boolean>
    },
  ): AccountAdapterInput =>
  (defaults) => ({
    isOpenForSignup: (request) => mayCreateAccount(rules, request),
    saveUser: (request, user, values) => saveInvited(rules, defaults, request, { user, values }),
    authenticationFailed: (request, typed) => auditFailedLogin(rules.audit, more.secretKey, request, typed),
    mayAdminister: more.mayAdminister,
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
      log.warn('Old tokens and lines of the audit log could not be removed', { error })
    }
    await clock.sleep(SWEEP_MS, signal)
  }
}
