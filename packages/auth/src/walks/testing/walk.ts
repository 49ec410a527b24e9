import type { testDatabases } from '@gatepost/sql/testing'
import { Secret, TOTP } from 'otpauth'
import type { Auth } from '../../auth.ts'
import type { ApiClient } from '../../kernel/operations/declaration.ts'
import { parseJsonColumn } from '../../kernel/schema/values.ts'
import type { AuthSettingsInput } from '../../kernel/settings/settings.ts'
import { readPath } from '../../testing/api-bench.ts'
import { type ApiAnswered, type ApiVisitor, apiVisitor } from '../../testing/api-visitor.ts'
import type { AuthWorld } from '../../testing/auth-world.ts'
import { browserSite } from '../../testing/browser-site.ts'
import { checkAnswer } from '../../testing/checked-answer.ts'
import { type Visitor, visitor } from '../../testing/visitor.ts'

export const EMAIL = 'ada@example.org'
export const PASSWORD = 'a made-up pass phrase'
export const CREDENTIALS = { email: EMAIL, password: PASSWORD }

/** An instance behind HTTP, everything switched on, with nobody in it yet. */
export interface Walk {
  readonly world: AuthWorld
  readonly origin: string
  /** A client of the JSON API with plain requests over HTTP; its answers are held against the description. */
  api(client: ApiClient): ApiVisitor
  /** A browser without scripts, over HTTP. */
  visitor(): Visitor
  /** What the database holds of whoever is in it. */
  rows(): Promise<Rows>
  close(): Promise<void>
}

/** Rows as a table of what counts in them, in the order of their ids. */
export interface Rows {
  /** Address, and whether it is verified. */
  readonly addresses: readonly (readonly [email: string, verified: boolean])[]
  /** Kind, and whether it was used. */
  readonly factors: readonly (readonly [type: string, used: boolean])[]
  /** How many recovery codes are used up. */
  readonly usedCodes: number
  /** Sessions in which somebody is signed in: what their browsers or apps call themselves, sorted. */
  readonly sessions: readonly string[]
  /** How many rows the list of sessions has. */
  readonly listed: number
}

/** @param open One of `testDatabases`; default: SQLite. */
export async function startWalk(
  { account, mfa, headless, ...settings }: AuthSettingsInput = {},
  open?: (typeof testDatabases)[number][1],
): Promise<Walk> {
  const { world, origin, close } = await browserSite(
    {
      account: {
        loginMethods: ['email'],
        signupFields: ['email*', 'password1*'],
        emailVerification: 'mandatory',
        ...account,
      },
      mfa: {
        enabled: true,
        supportedTypes: ['recovery_codes', 'totp', 'webauthn'],
        passkeyLoginEnabled: true,
        trustEnabled: true,
        ...mfa,
      },
      usersessions: { enabled: true },
      headless: { enabled: true, ...headless },
      ...settings,
    },
    open,
  )
  const overHttp: Auth = { ...world.auth, fetch: (request) => fetch(request) }
  return {
    world,
    origin,
    api: (client) =>
      apiVisitor(overHttp, origin, client, { userAgent: client === 'app' ? 'App/1.0' : 'Browser/1.0' }, (answer) =>
        checkAnswer(world.auth, answer),
      ),
    visitor: () => visitor(overHttp, origin, {}),
    rows: () => loadWalkRows(world),
    close,
  }
}

async function loadWalkRows({ auth }: AuthWorld): Promise<Rows> {
  const { db, dialect } = auth.kernel.database
  const addresses = await db.selectFrom('account_emailaddress').selectAll().orderBy('id').execute()
  const factors = await db.selectFrom('mfa_authenticator').selectAll().orderBy('id').execute()
  const sessions = await db.selectFrom('gatepost_session').selectAll().where('user_id', 'is not', null).execute()
  const listed = await db.selectFrom('usersessions_usersession').select('id').execute()
  const codes = factors.find(({ type }) => type === 'recovery_codes')
  const data: unknown = parseJsonColumn(codes?.data ?? {}, dialect)
  const mask = typeof data === 'object' && data !== null && 'used_mask' in data ? Number(data.used_mask) : 0
  return {
    addresses: addresses.map(({ email, verified }) => [email, Boolean(verified)]),
    factors: factors.map(({ type, last_used_at }) => [type, last_used_at !== null]),
    usedCodes: mask.toString(2).replaceAll('0', '').length,
    sessions: sessions.map(({ user_agent }) => user_agent).toSorted(),
    listed: listed.length,
  }
}

/** What an authenticator app shows that was given this secret. */
export function createWalkTotpApp({ clock }: AuthWorld, secret: string): () => string {
  const totp = new TOTP({ secret: Secret.fromBase32(secret) })
  return () => totp.generate({ timestamp: clock.now() })
}

/** A list in an answer. */
export function findListItems(answer: ApiAnswered, path: string): readonly unknown[] {
  const found = readPath(answer, path)
  if (!Array.isArray(found)) throw new Error(`there is no list at ${path}: ${JSON.stringify(answer.body)}`)
  return found
}

/** The steps that an answer says are waited for. */
export const findPendingFlows = ({ body }: ApiAnswered): readonly unknown[] => {
  const { data } = body as { data?: { flows?: readonly { id: string; is_pending?: boolean }[] } } // as every answer with flows
  return (data?.flows ?? []).filter(({ is_pending }) => is_pending === true).map(({ id }) => id)
}
