import { type ReactNode, useState } from 'react'
import { ListCard } from '../list-card.tsx'
import { useDialogCallbacks } from '../told.ts'
import { peopleTexts } from './texts.ts'
import type { Invitation } from '../../../api/gateway-api.ts'
import { useCall, useChange } from '../../../api/queries.ts'
import { useTexts } from '../../../language/texts.ts'
import { Badge } from '../../../parts/badge.tsx'
import { Button } from '../../../parts/button.tsx'
import { Confirm } from '../../../parts/dialog.tsx'
import { Row } from '../../../parts/layout.tsx'
import { Empty, Loaded } from '../../../parts/states.tsx'
import { Table } from '../../../parts/table.tsx'
import { RelativeTime } from '../../../parts/time.tsx'

/** The list of pending invitations. */
export function Invitations(): ReactNode {
  const texts = useTexts(peopleTexts)
  const open = useCall('listInvitations', {})
  const [asked, setAsked] = useState<Invitation | null>(null)
  return (
    <ListCard title={texts.invitations} lead={texts.invitationsLead}>
      <Loaded of={open}>
        {({ invitations }) =>
          invitations.length === 0 ? (
            <Empty icon="link" title={texts.noInvitations}>
              {texts.noInvitationsHint}
            </Empty>
          ) : (
            <Table
              label={texts.invitations}
              rows={invitations}
              rowKey={({ id }) => id}
              columns={[
                { title: texts.forWhom, cell: (invitation) => <Recipient invitation={invitation} /> },
                { title: texts.made, cell: ({ created_at: at }) => <RelativeTime at={at} /> },
                { title: texts.expires, cell: ({ expires_at: at }) => <RelativeTime at={at} /> },
                {
                  title: texts.acts,
                  end: true,
                  cell: (invitation) => (
                    <RevokeButton invitation={invitation} onTakeBack={() => setAsked(invitation)} />
                  ),
                },
              ]}
            />
          )
        }
      </Loaded>
      {asked !== null && <ConfirmRevoke invitation={asked} onClose={() => setAsked(null)} />}
    </ListCard>
  )
}

function Recipient({ invitation: { email, staff } }: { readonly invitation: Invitation }): ReactNode {
  const texts = useTexts(peopleTexts)
  return (
    <Row>
      <span>{email ?? texts.anybody}</span>
      {staff && <Badge tone="accent">{texts.staff}</Badge>}
    </Row>
  )
}

function RevokeButton({
  invitation: { email },
  onTakeBack,
}: {
  readonly invitation: Invitation
  onTakeBack(): void
}): ReactNode {
  const texts = useTexts(peopleTexts)
  return (
    <Button small aria-label={texts.takeBackOf(email ?? texts.anybody)} onClick={onTakeBack}>
      {texts.takeBack}
    </Button>
  )
}

function ConfirmRevoke({
  invitation: { id },
  onClose,
}: {
  readonly invitation: Invitation
  onClose(): void
}): ReactNode {
  const texts = useTexts(peopleTexts)
  const told = useDialogCallbacks(texts.takenBack, onClose)
  const revoke = useChange('revokeInvitation', 'listInvitations', 'listAudit')
  return (
    <Confirm
      open
      title={texts.takeBackTitle}
      act={texts.takeBack}
      busy={revoke.isPending}
      onConfirm={() => revoke.mutate({ params: { id } }, told)}
      onClose={onClose}
    >
      {texts.takeBackText}
    </Confirm>
  )
}
