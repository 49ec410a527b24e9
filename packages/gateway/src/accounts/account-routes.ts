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
  .meta({ id: 'Person', description: 'Whose account it is' })

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
    user: userShape.nullable().describe('null: nobody has it yet, or they are gone'),
    second_factors: factorsShape,
  })
  .meta({ id: 'Account' })

const pageQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(200).default(50).describe('Entries on a page'),
  before: z.string().min(1).max(256).optional().describe('`next` of the page before'),
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
  .meta({ id: 'AuditLine', description: 'Who did what, when and from where' })

const toAuditView = ({ at_ms, account_id, ...row }: AuditRow): object => ({ ...row, at: at_ms, account: account_id })

/** What these routes call. */
export interface PeopleParts {
  readonly people: Pick<People, 'user'>
  readonly factors: SecondFactors
  readonly audit: Pick<Audit, 'page'>
  readonly change: (caller: Caller, accountId: string, change: AccountChange) => Promise<User>
  readonly resetAuthenticators: (caller: Caller, accountId: string) => Promise<AuthenticatorReset>
  readonly accounts: (page: { readonly limit: number; readonly after: string | null }) => Promise<readonly AccountRow[]>
}

/** `/api/me`, `/api/accounts`, `/api/accounts/{id}`, `/api/accounts/{id}/authenticators`, `/api/audit` */
export const peopleRoutes = (parts: PeopleParts): readonly GatewayRoute[] => [
  meRoute(parts),
  accountsRoute(parts),
  changeRoute(parts),
  resetRoute(parts),
  auditRoute(parts),
]

/** An account as it is told; `user`: whose it is. */
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
    summary: 'Who is asking, in which account, and what is allowed',
    answers: answers(
      'The caller',
      z.strictObject({
        account: z.string(),
        kind: z.enum(['owner', 'session', 'token', 'client']),
        scopes: z.array(scope),
        user: userShape.nullable().describe('null: the owner token'),
        second_factors: factorsShape,
        second_factor_required: z.boolean().describe('true: staff, without rights of staff until they have one'),
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
    summary: 'Every account, in the order of their ids',
    query: pageQuery.omit({ before: true }).extend({
      after: z.string().min(1).max(256).optional().describe('`next` of the page before'),
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
    staff: z.boolean().optional().describe('Whether they see all accounts'),
    active: z.boolean().optional().describe('false: signed out at once, tokens refused; channels go on running'),
  })
  .refine((change) => Object.keys(change).length > 0, 'Say what to change: staff, active.')

const changeRoute = ({ change, factors }: PeopleParts): GatewayRoute =>
  gatewayRoute({
    method: 'PATCH',
    path: '/api/accounts/{id}',
    id: 'changeAccount',
    scope: 'admin',
    summary: 'Make somebody staff or not, disable or enable their account',
    accountInPath: true,
    body: { schema: changeBody },
    answers: answers('As it is now', accountShape),
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
    summary: 'Remove the second factors of somebody who has lost them, and sign them out everywhere',
    accountInPath: true,
    answers: answers('As it is now', accountShape),
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
    summary: 'What was done, by whom and from where, newest first',
    query: pageQuery.extend({
      account: z.string().min(1).max(100).optional().describe('Only what was about this one'),
      action: z.string().min(1).max(100).optional().describe('Only what is named so'),
      outcome: auditShape.shape.outcome.optional().describe('Only what ended so'),
      q: z
        .string()
        .min(1)
        .max(200)
        .optional()
        .describe('A text in who did it, the action, what it was done to, where from, or the code'),
    }),
    answers: answers('A page of lines', z.strictObject({ items: z.array(auditShape), next: z.string().nullable() })),
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
