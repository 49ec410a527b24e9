import type { ReactNode } from 'react'
import { Accounts } from './people/accounts.tsx'
import { Invitations } from './people/invitations.tsx'
import { Invite } from './people/invite.tsx'
import { StaffPage } from './staff-page.tsx'

/** The page of accounts and invitations. */
export const Page = (): ReactNode => (
  <StaffPage tab="people" actions={<Invite />}>
    <Accounts />
    <Invitations />
  </StaffPage>
)
