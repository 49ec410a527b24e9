import { gatewayRoute, answers, type GatewayRoute, ok } from '../server/gateway-route.ts'
import type { AccountChange, AuthenticatorReset } from './account-change.ts'
import type { AccountRow } from './account-store.sql.ts'
import type { Audit } from './audit/audit.ts'
import type { AuditRow } from './audit/audit-store.sql.ts'
import type { Caller } from './caller.ts'
import type { People } from './people.ts'
import type { SecondFactors } from './second-factors.ts'
import { scope } from './tokens/token-routes.ts'
import type { User } from '@gatepost/auth'
import { z } from 'zod'

const userShape = z
  .strictObject({
    id: z.string(),
    email: z.string(),
    name: z.string(),
    staff: z.boolean(),
    active: z.boolean(),
  })
  .meta({ id: 'Person', description: 'The user of an account' })

const toUserView = (user: User | null): z.input<typeof userShape> | null =>
  user && {
    id: String(user.id),
    email: user.email,
    name: [user.firstName, user.lastName].filter(Boolean).join(' ') || user.username,
    staff: user.isStaff,
    active: user.isActive,
  }

const factorsShape = z.array(z.enum(['recovery_codes', 'totp', 'webauthn'])).describe('Types of second factors')

const accountShape = z
  .strictObject({
    id: z.string(),
    user: userShape.nullable().describe('null: the account has no user'),
    second_factors: factorsShape,
  })
  .meta({ id: 'Account' })

const pageQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(200).default(50).describe('Entries per page'),
  before: z.string().min(1).max(256).optional().describe('`next` of the previous page'),
})

const auditShape = z
  .strictObject({
    id: z.string(),
    at: z.int(),
    actor: z.string(),
    actor_kind: z.enum(['owner', 'session', 'token', 'client', 'visitor', 'system']),
    account: z.string().nullable(),
    action: z.string(),
    target: z.string().nullable(),
    ip: z.string().nullable(),
    user_agent: z.string().nullable(),
    outcome: z.enum(['ok', 'refused', 'failed']),
    code: z.string().nullable(),
  })
  .meta({ id: 'AuditLine', description: 'An entry of the audit log' })

const toAuditView = ({ at_ms, account_id, ...row }: AuditRow): object => ({ ...row, at: at_ms, account: account_id })

/** Dependencies of the account routes. */
export interface PeopleParts {
  readonly people: Pick<People, 'user'>
  readonly factors: SecondFactors
  readonly audit: Pick<Audit, 'page'>
  readonly change: (caller: Caller, accountId: string, change: AccountChange) => Promise<User>
  readonly resetAuthenticators: (caller: Caller, accountId: string) => Promise<AuthenticatorReset>
  readonly accounts: (page: { readonly limit: number; readonly after: string | null }) => Promise<readonly AccountRow[]>
}

/** Routes `/api/me`, `/api/accounts`, `/api/accounts/{id}`, `/api/accounts/{id}/authenticators`, `/api/audit`. */
export const peopleRoutes = (parts: PeopleParts): readonly GatewayRoute[] => [
  meRoute(parts),
  accountsRoute(parts),
  changeRoute(parts),
  resetRoute(parts),
  auditRoute(parts),
]

/** Converts an account to the API's shape. */
async function toAccountView(
  factors: SecondFactors,
  id: string,
  user: User | null,
): Promise<z.input<typeof accountShape>> {
  return { id, user: toUserView(user), second_factors: user === null ? [] : [...(await factors.listTypes(user))] }
}

const meRoute = ({ people, factors }: PeopleParts): GatewayRoute =>
  gatewayRoute({
    method: 'GET',
    path: '/api/me',
    id: 'whoAmI',
    scope: 'account',
    summary: 'The caller, their account and their permissions',
    answers: answers(
      'The caller',
      z.strictObject({
        account: z.string(),
        kind: z.enum(['owner', 'session', 'token', 'client']),
        scopes: z.array(scope),
        user: userShape.nullable().describe('null: the owner token'),
        second_factors: factorsShape,
        second_factor_required: z
          .boolean()
          .describe('true: staff permissions are withheld until the user sets up a second factor'),
      }),
    ),
    errors: [],
    async handle({ caller, principal }) {
      const user = caller.userId === null ? null : await people.user(caller.userId)
      return ok({
        account: principal.accountId,
        kind: caller.kind,
        scopes: [...caller.scopes],
        user: toUserView(user),
        second_factors: user === null ? [] : await factors.listTypes(user),
        second_factor_required: user !== null && (await factors.isMissing(user)),
      })
    },
  })

const accountsRoute = ({ people, factors, accounts }: PeopleParts): GatewayRoute =>
  gatewayRoute({
    method: 'GET',
    path: '/api/accounts',
    id: 'listAccounts',
    scope: 'admin',
    summary: 'All accounts, ordered by id',
    query: pageQuery.omit({ before: true }).extend({
      after: z.string().min(1).max(256).optional().describe('`next` of the previous page'),
    }),
    answers: answers(
      'A page of accounts',
      z.strictObject({ items: z.array(accountShape), next: z.string().nullable() }),
    ),
    errors: [],
    async handle({ query }) {
      const after = query.after ?? null
      const rows = await accounts({ limit: query.limit, after })
      const items: z.input<typeof accountShape>[] = []
      for (const { account_id: id, user_id } of rows) {
        items.push(await toAccountView(factors, id, user_id === null ? null : await people.user(user_id)))
      }
      return ok({ items, next: rows.length < query.limit ? null : (rows.at(-1)?.account_id ?? null) })
    },
  })

const changeBody = z
  .strictObject({
    staff: z.boolean().optional().describe('Whether the user is staff and can access all accounts'),
    active: z
      .boolean()
      .optional()
      .describe('false: signs the user out and rejects their tokens; channels keep running'),
  })
  .refine((change) => Object.keys(change).length > 0, 'Nothing to change: pass staff or active.')

const changeRoute = ({ change, factors }: PeopleParts): GatewayRoute =>
  gatewayRoute({
    method: 'PATCH',
    path: '/api/accounts/{id}',
    id: 'changeAccount',
    scope: 'admin',
    needsRecentSignIn: true,
    summary: 'Change staff permissions, or enable or disable an account',
    accountInPath: true,
    body: { schema: changeBody },
    answers: answers('The current state', accountShape),
    errors: ['unknown_account', 'own_account', 'owner_account'],
    async handle({ caller, principal, body }) {
      const user = await change(caller, principal.accountId, body)
      const done = Object.entries(body).map((entry) => entry.join('='))
      const { accountId } = principal
      return ok(await toAccountView(factors, accountId, user), [accountId, ...done].join(' '))
    },
  })

const resetRoute = ({ resetAuthenticators, factors }: PeopleParts): GatewayRoute =>
  gatewayRoute({
    method: 'DELETE',
    path: '/api/accounts/{id}/authenticators',
    id: 'resetAuthenticators',
    scope: 'admin',
    needsRecentSignIn: true,
    summary: "Remove a user's second factors and sign the user out everywhere",
    accountInPath: true,
    answers: answers('The current state', accountShape),
    errors: ['unknown_account', 'own_account', 'owner_account'],
    async handle({ caller, principal: { accountId } }) {
      const { user, removed } = await resetAuthenticators(caller, accountId)
      return ok(await toAccountView(factors, accountId, user), [accountId, ...removed].join(' '))
    },
  })

const auditRoute = ({ audit }: PeopleParts): GatewayRoute =>
  gatewayRoute({
    method: 'GET',
    path: '/api/audit',
    id: 'listAudit',
    scope: 'admin',
    summary: 'Audit log, newest first',
    query: pageQuery.extend({
      account: z.string().min(1).max(100).optional().describe('Only entries about this account'),
      action: z.string().min(1).max(100).optional().describe('Only entries with this action'),
      outcome: auditShape.shape.outcome.optional().describe('Only entries with this outcome'),
      q: z
        .string()
        .min(1)
        .max(200)
        .optional()
        .describe('Text to find in actor, account, action, target, IP address, user agent or code'),
    }),
    answers: answers('A page of entries', z.strictObject({ items: z.array(auditShape), next: z.string().nullable() })),
    errors: [],
    async handle({ query }) {
      const rows = await audit.page({
        limit: query.limit,
        before: query.before ?? null,
        accountId: query.account ?? null,
        action: query.action ?? null,
        outcome: query.outcome ?? null,
        text: query.q ?? null,
      })
      const next = rows.length < query.limit ? null : (rows.at(-1)?.id ?? null)
      return ok({ items: rows.map(toAuditView), next })
    },
  })
