import { accountById, accountOfUser } from './account-store.sql.ts'
import { GatewayError } from '../server/errors.ts'
import { type Caller, OWNER, toPermissions } from './caller.ts'
import { createClientCheck, createTokenCheck } from './tokens/token-callers.ts'
import { isSameSecret } from './secret-text.ts'
import type { SecondFactors } from './second-factors.ts'
import type { GatewayTables } from './schema.ts'
import type { Tokens } from './tokens/tokens.ts'
import type { Auth, HostedAuth, User, UserId } from '@gatepost/auth'
import type { Principal, Secret } from '@gatepost/channels'
import type { Database } from '@gatepost/sql'

/** Authenticates requests and resolves the account that they act in. */
export interface People {
  /**
   * Authenticates by the `Authorization` header (owner token, personal access token, or an access token of a client or an
   * app), else by `X-Session-Token`, else by the session cookie. `null`: not authenticated.
   */
  findCaller(request: Request): Promise<Caller | null>
  /** @throws {GatewayError} `csrf_failed` for a state-changing request without a valid CSRF token */
  checkCsrf(request: Request): void
  /**
   * Resolves the account that a call is about: the caller's own or, for staff, the named one.
   * @throws {GatewayError} `unknown_account` (for other callers always), `second_factor_required`
   */
  resolveAccount(caller: Caller, named: string | undefined): Promise<Principal>
  /**
   * Requires a person to have signed in recently, with their second factor if they have one. Tokens and OAuth clients
   * pass: creating or authorizing them required it, and they can't do more than they were given.
   * @throws {GatewayError} `reauthentication_required`, with `flows`
   */
  requireRecentSignIn(request: Request, caller: Caller, remoteAddress: string | null): Promise<void>
  /** Returns the user with this id (as text). */
  user(userId: string): Promise<User | null>
}

/** Creates the authentication of callers. */
export function createPeople(parts: {
  readonly auth: Pick<Auth, keyof HostedAuth | 'identify' | 'checkCsrf' | 'requiredReauthentication' | 'settings'>
  readonly database: Database<GatewayTables>
  readonly tokens: Tokens
  readonly factors: Pick<SecondFactors, 'isMissing'>
  readonly ownerToken: Secret
  /** `null`: only reachable on this machine. */
  readonly publicUrl: string | null
}): People {
  const { auth, database, tokens, factors, ownerToken, publicUrl } = parts
  const isNumber = ['integer', 'bigint'].includes(auth.settings.userTable.idType)
  const user = (userId: string): Promise<User | null> =>
    auth.kernel.users.byId(auth.kernel.database.db, isNumber ? Number(userId) : userId)
  const ownAccount = accountLookup(database)
  const byToken = createTokenCheck({ auth, database, tokens, factors, user, ownAccount })
  const byClient = createClientCheck({ auth, database, factors, user, ownAccount, publicUrl })
  const asPerson = createPersonCaller(factors, ownAccount)
  return {
    async findCaller(request) {
      const { headers } = request
      if (headers.has('authorization')) {
        const given = BEARER.exec(headers.get('authorization') ?? '')?.[1]
        if (given !== undefined && isSameSecret(given, ownerToken.reveal())) return OWNER
        if (given?.startsWith('gp_') === true) return byToken(given)
        const client = given === undefined ? null : await byClient(given, request)
        return client ?? asPerson(await byAccessToken(auth, request), false)
      }
      if (headers.has('x-session-token')) return asPerson(await bySessionToken(auth, request), false)
      return asPerson((await auth.identify(request))?.user ?? null, true)
    },
    checkCsrf(request) {
      try {
        auth.checkCsrf(request)
      } catch (cause) {
        throw new GatewayError('csrf_failed', { cause })
      }
    },
    async resolveAccount(caller, named) {
      if (named === undefined) return caller.principal
      if (caller.withheld.has('admin')) throw new GatewayError('second_factor_required')
      const mayAsk = caller.isStaff && caller.scopes.has('admin')
      if (!mayAsk || (await accountById(database.db, named)) === null) throw new GatewayError('unknown_account')
      return { accountId: named }
    },
    async requireRecentSignIn(request, { kind, isByCookie }, remoteAddress) {
      if (kind !== 'session') return
      const session = isByCookie ? null : await auth.module('headless').tokens.findSession(request)
      const flows = await auth.requiredReauthentication(request, { remoteAddress }, session ?? undefined)
      if (flows !== null) throw new GatewayError('reauthentication_required', { details: { flows } })
    },
    user,
  }
}

const BEARER = /^Bearer +([\w.~+/=-]{1,4096}) *$/i

type Apps = Pick<Auth, 'module' | 'settings'>

/** Whether apps can sign in through the headless API. */
const hasApps = ({ headless }: Auth['settings']): boolean => headless.enabled && headless.clients.includes('app')

async function byAccessToken({ module, settings }: Apps, request: Request): Promise<User | null> {
  if (!hasApps(settings) || settings.headless.tokenStrategy !== 'jwt') return null
  const access = await module('headless').guards.requireAccessToken(request)
  return access.ok ? access.user : null
}

async function bySessionToken({ module, settings }: Apps, request: Request): Promise<User | null> {
  if (!hasApps(settings)) return null
  const found = await module('headless').guards.requireSessionToken(request)
  return found.ok ? found.identity.user : null
}

/** Returns a function that turns a signed-in user into a caller; `null` stays `null`. */
const createPersonCaller =
  (factors: Pick<SecondFactors, 'isMissing'>, ownAccount: (id: UserId) => Promise<string>) =>
  async (user: User | null, isByCookie: boolean): Promise<Caller | null> => {
    if (user === null) return null
    const userId = String(user.id)
    return {
      principal: { accountId: await ownAccount(user.id) },
      ...toPermissions(user, await factors.isMissing(user)),
      kind: 'session',
      isByCookie,
      userId,
      actor: userId,
      expiresAtMs: null,
    }
  }

const REMEMBERED_MAX = 10_000

/** Caches the account of each user, which never changes. */
function accountLookup(database: Database<GatewayTables>): (id: UserId) => Promise<string> {
  const known = new Map<string, string>()
  return async (id) => {
    const userId = String(id)
    const remembered = known.get(userId)
    if (remembered !== undefined) return remembered
    const accountId = await accountOfUser(database.db, userId)
    if (known.size >= REMEMBERED_MAX) known.clear()
    known.set(userId, accountId)
    return accountId
  }
}
