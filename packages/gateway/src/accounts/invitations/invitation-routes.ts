import { GatewayError } from '../../server/errors.ts'
import { gatewayRoute, answers, type GatewayRoute, ok } from '../../server/gateway-route.ts'
import { gatewayMail } from '../gateway-mail.ts'
import type { InvitationRow } from './invitation-store.sql.ts'
import type { Invitations, NewInvitation } from './invitations.ts'
import type { HostedAuth } from '@gatepost/auth'
import { z } from 'zod'

/** What the routes of invitations need. */
export interface InvitationParts {
  readonly auth: HostedAuth
  readonly invitations: Invitations
  /** Whether the first account is there. */
  hasAccounts(): Promise<boolean>
  /** Absolute address of the page of an invitation. */
  invitationLink(token: string): string
}

const invitationShape = z
  .strictObject({
    id: z.string(),
    email: z.string().nullable(),
    staff: z.boolean(),
    created_by: z.string().describe('`owner`, the key of a user, or the id of a token'),
    created_at: z.int(),
    expires_at: z.int(),
  })
  .meta({ id: 'Invitation', description: 'An invitation that nobody has used yet, without its link' })

const createBody = z.strictObject({
  email: z
    .email()
    .max(254)
    .transform((email) => email.toLowerCase())
    .optional()
    .describe('The link is sent there, and the address counts as verified for who opens it'),
  staff: z.boolean().default(false).describe('The account will see all others'),
})

const toInvitationView = (row: InvitationRow): z.input<typeof invitationShape> => ({
  id: row.id,
  email: row.email,
  staff: row.is_staff === 1,
  created_by: row.created_by,
  created_at: row.created_at_ms,
  expires_at: row.expires_at_ms,
})

/** `/api/invitations` */
export const invitationRoutes = (parts: InvitationParts): readonly GatewayRoute[] => [
  gatewayRoute({
    method: 'GET',
    path: '/api/invitations',
    id: 'listInvitations',
    scope: 'admin',
    summary: 'Invitations that can still be used, newest first',
    answers: answers('The open ones', z.strictObject({ invitations: z.array(invitationShape) })),
    errors: [],
    handle: async () => ok({ invitations: (await parts.invitations.list()).map(toInvitationView) }),
  }),
  gatewayRoute({
    method: 'POST',
    path: '/api/invitations',
    id: 'createInvitation',
    scope: 'admin',
    summary: 'Make a link that creates one account within seven days',
    body: { schema: createBody, optional: true },
    answers: answers(
      'The invitation; its link is in this answer, and in the mail, and nowhere else',
      invitationShape.extend({ url: z.string() }).meta({ id: 'NewInvitation' }),
    ),
    errors: ['no_first_account'],
    async handle({ caller, body }) {
      // Whoever came before would be the first, and not of staff: nobody could take the account of the owner token.
      if (!(await parts.hasAccounts())) throw new GatewayError('no_first_account')
      const { token, row } = await invite(parts, caller.actor, createBody.parse(body ?? {}))
      return ok({ ...toInvitationView(row), url: parts.invitationLink(token) }, row.id)
    },
  }),
  gatewayRoute({
    method: 'DELETE',
    path: '/api/invitations/{id}',
    id: 'revokeInvitation',
    scope: 'admin',
    summary: 'Take an invitation back',
    answers: answers('Its link is not valid any more', z.strictObject({ ok: z.literal(true) })),
    errors: ['unknown_invitation'],
    async handle({ params }) {
      await parts.invitations.revoke(params['id'] ?? '')
      return ok({ ok: true })
    },
  }),
]

/** The mail is queued in the transaction that stores the invitation. */
async function invite(
  { auth, invitations, invitationLink }: InvitationParts,
  createdBy: string,
  { email, staff }: z.output<typeof createBody>,
): Promise<NewInvitation> {
  if (email === undefined) return invitations.create({ email: null, isStaff: staff, createdBy })
  const made = await invitations.create({ email, isStaff: staff, createdBy }, async ({ token }, tx) => {
    const db = tx as unknown as Parameters<HostedAuth['kernel']['mail']['enqueue']>[0] // its tables are in the same database
    await auth.kernel.mail.enqueue(
      db,
      await gatewayMail(auth, { name: 'invitation', to: email, link: invitationLink(token) }),
    )
  })
  auth.kernel.mail.wake()
  return made
}
