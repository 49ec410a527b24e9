import { type ReactNode, useState } from 'react'
import style from '../staff.module.css'
import { peopleTexts } from './texts.ts'
import type { Invitation } from '../../../api/gateway-api.ts'
import { useCall, useChange } from '../../../api/queries.ts'
import { useTexts } from '../../../language/texts.ts'
import { Badge } from '../../../parts/badge.tsx'
import { Button } from '../../../parts/button.tsx'
import { Confirm } from '../../../parts/dialog.tsx'
import { Card, Row } from '../../../parts/layout.tsx'
import { Empty, Loaded } from '../../../parts/states.tsx'
import { Table } from '../../../parts/table.tsx'
import { Ago } from '../../../parts/time.tsx'
import { tell, useTellError } from '../../../parts/toast.tsx'

/** Invitations that can still be used. */
export function Invitations(): ReactNode {
  const texts = useTexts(peopleTexts)
  const open = useCall('listInvitations', {})
  const [asked, setAsked] = useState<Invitation | null>(null)
  return (
    <Card flush>
      <div className={style['head']}>
        <div>
          <h2>{texts.invitations}</h2>
          <p>{texts.invitationsLead}</p>
        </div>
      </div>
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
                { title: texts.forWhom, cell: (invitation) => <ForWhom invitation={invitation} /> },
                { title: texts.made, cell: ({ created_at: at }) => <Ago at={at} /> },
                { title: texts.expires, cell: ({ expires_at: at }) => <Ago at={at} /> },
                {
                  title: texts.acts,
                  end: true,
                  cell: (invitation) => <Acts invitation={invitation} onTakeBack={() => setAsked(invitation)} />,
                },
              ]}
            />
          )
        }
      </Loaded>
      {asked !== null && <TakingBack invitation={asked} onClose={() => setAsked(null)} />}
    </Card>
  )
}

function ForWhom({ invitation: { email, staff } }: { readonly invitation: Invitation }): ReactNode {
  const texts = useTexts(peopleTexts)
  return (
    <Row>
      <span>{email ?? texts.anybody}</span>
      {staff && <Badge tone="accent">{texts.staff}</Badge>}
    </Row>
  )
}

function Acts({
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

function TakingBack({ invitation: { id }, onClose }: { readonly invitation: Invitation; onClose(): void }): ReactNode {
  const texts = useTexts(peopleTexts)
  const tellError = useTellError()
  const revoke = useChange('revokeInvitation', 'listInvitations', 'listAudit')
  const confirm = (): void =>
    revoke.mutate(
      { params: { id } },
      {
        onSuccess: () => tell(texts.takenBack),
        onError: tellError,
        onSettled: onClose,
      },
    )
  return (
    <Confirm
      open
      title={texts.takeBackTitle}
      act={texts.takeBack}
      busy={revoke.isPending}
      onConfirm={confirm}
      onClose={onClose}
    >
      {texts.takeBackText}
    </Confirm>
  )
}
