import { GatewayError } from '../../server/errors.ts'
import { gatewayRoute, answers, type GatewayRoute, ok } from '../../server/gateway-route.ts'
import { gatewayMail } from '../gateway-mail.ts'
import type { InvitationRow } from './invitation-store.sql.ts'
import type { Invitations, NewInvitation } from './invitations.ts'
import type { HostedAuth } from '@gatepost/auth'
import { z } from 'zod'

/** Dependencies of the invitation routes. */
export interface InvitationParts {
  readonly auth: HostedAuth
  readonly invitations: Invitations
  /** Whether the first account exists. */
  hasAccounts(): Promise<boolean>
  /** Returns the absolute URL of an invitation. */
  invitationLink(token: string): string
}

const invitationShape = z
  .strictObject({
    id: z.string(),
    email: z.string().nullable(),
    staff: z.boolean(),
    created_by: z.string().describe('`owner`, a user id or a token id'),
    created_at: z.int(),
    expires_at: z.int(),
  })
  .meta({ id: 'Invitation', description: 'An open invitation, without its link' })

const createBody = z.strictObject({
  email: z
    .email()
    .max(254)
    .transform((email) => email.toLowerCase())
    .optional()
    .describe('Email address to send the link to. It counts as verified for whoever opens the link'),
  staff: z.boolean().default(false).describe('Whether the new user is staff and can access all accounts'),
})

const toInvitationView = (row: InvitationRow): z.input<typeof invitationShape> => ({
  id: row.id,
  email: row.email,
  staff: row.is_staff === 1,
  created_by: row.created_by,
  created_at: row.created_at_ms,
  expires_at: row.expires_at_ms,
})

/** Routes below `/api/invitations`. */
export const invitationRoutes = (parts: InvitationParts): readonly GatewayRoute[] => [
  gatewayRoute({
    method: 'GET',
    path: '/api/invitations',
    id: 'listInvitations',
    scope: 'admin',
    summary: 'Open invitations, newest first',
    answers: answers('All open invitations', z.strictObject({ invitations: z.array(invitationShape) })),
    errors: [],
    handle: async () => ok({ invitations: (await parts.invitations.list()).map(toInvitationView) }),
  }),
  gatewayRoute({
    method: 'POST',
    path: '/api/invitations',
    id: 'createInvitation',
    scope: 'admin',
    needsRecentSignIn: true,
    summary: 'Create a link that creates one account and expires in seven days',
    body: { schema: createBody, optional: true },
    answers: answers(
      'The invitation. Its link is only in this response and in the email',
      invitationShape.extend({ url: z.string() }).meta({ id: 'NewInvitation' }),
    ),
    errors: ['no_first_account'],
    async handle({ caller, body }) {
      // Otherwise the first user could be non-staff, and no one could take over the owner's account.
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
    summary: 'Revoke an invitation',
    answers: answers('Revoked', z.strictObject({ ok: z.literal(true) })),
    errors: ['unknown_invitation'],
    async handle({ params }) {
      await parts.invitations.revoke(params['id'] ?? '')
      return ok({ ok: true })
    },
  }),
]

/** Stores the invitation and queues its email in one transaction. */
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
