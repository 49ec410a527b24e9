import { type ReactNode, type SubmitEvent, useRef, useState } from 'react'
import type { Invitation } from '../../api/gateway-api.ts'
import { useCall, useChange } from '../../api/queries.ts'
import { useTexts } from '../../language/language.ts'
import { Badge } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { Confirm, Dialog, DialogActions } from '../../parts/dialog.tsx'
import { Checkbox, TextField } from '../../parts/field.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Row } from '../../parts/layout.tsx'
import { Empty, Failure, Loaded } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'
import { RelativeTime } from '../../parts/time.tsx'
import { ListCard, OneTimeSecret, staffTexts, useDialogCallbacks } from './staff-page.tsx'
import style from './staff.module.css'
import { peopleTexts } from './account-texts.ts'

/** The list of pending invitations. */
export function Invitations(): ReactNode {
  const texts = useTexts(peopleTexts)
  const open = useCall('listInvitations', {})
  const [asked, setAsked] = useState<Invitation | null>(null)
  return (
    <ListCard title={texts.invitations} lead={texts.invitationsLead}>
      <Loaded query={open}>
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
                { title: texts.recipient, cell: (invitation) => <Recipient invitation={invitation} /> },
                { title: texts.made, cell: ({ created_at: at }) => <RelativeTime at={at} /> },
                { title: texts.expires, cell: ({ expires_at: at }) => <RelativeTime at={at} /> },
                {
                  title: texts.acts,
                  end: true,
                  cell: (invitation) => <RevokeButton invitation={invitation} onRevoke={() => setAsked(invitation)} />,
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
      <span>{email ?? texts.anyone}</span>
      {staff && <Badge tone="accent">{texts.staff}</Badge>}
    </Row>
  )
}

function RevokeButton({
  invitation: { email },
  onRevoke,
}: {
  readonly invitation: Invitation
  onRevoke(): void
}): ReactNode {
  const texts = useTexts(peopleTexts)
  return (
    <Button small aria-label={texts.revokeLabel(email ?? texts.anyone)} onClick={onRevoke}>
      {texts.revoke}
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
  const callbacks = useDialogCallbacks(texts.revoked, onClose)
  const revoke = useChange('revokeInvitation', 'listInvitations', 'listAudit')
  return (
    <Confirm
      open
      title={texts.revokeTitle}
      act={texts.revoke}
      busy={revoke.isPending}
      onConfirm={() => revoke.mutate({ params: { id } }, callbacks)}
      onClose={onClose}
    >
      {texts.revokeText}
    </Confirm>
  )
}

/** Creates an invitation and shows its link once. */
export function Invite(): ReactNode {
  const texts = useTexts(peopleTexts)
  const [isOpen, setOpen] = useState(false)
  const create = useChange('createInvitation', 'listInvitations', 'listAudit')
  const close = (): void => {
    setOpen(false)
    create.reset()
  }
  return (
    <>
      <Button kind="primary" onClick={() => setOpen(true)}>
        <Icon name="plus" /> {texts.invite}
      </Button>
      <Dialog
        open={isOpen}
        title={create.data ? texts.linkTitle : texts.inviteTitle}
        lead={create.data ? texts.linkOnce : texts.inviteLead}
        onClose={close}
      >
        {create.data ? (
          <OneTimeSecret secret={create.data.url} copyLabel={texts.copyLink} done={texts.done} onDone={close}>
            {create.data.email !== null && <p>{texts.linkSent(create.data.email)}</p>}
          </OneTimeSecret>
        ) : (
          <InviteForm create={create} onClose={close} />
        )}
      </Dialog>
    </>
  )
}

function InviteForm({
  create,
  onClose,
}: {
  readonly create: ReturnType<typeof useChange<'createInvitation'>>
  onClose(): void
}): ReactNode {
  const texts = useTexts(peopleTexts)
  const { cancel } = useTexts(staffTexts)
  const [email, setEmail] = useState('')
  const [staff, setStaff] = useState(false)
  const [isWrong, setWrong] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  const submit = (event: SubmitEvent): void => {
    event.preventDefault()
    const address = email.trim()
    const wrong = address !== '' && !/^[^\s@]+@[^\s@]+$/.test(address)
    setWrong(wrong)
    if (wrong) field.current?.focus()
    else create.mutate({ body: { staff, ...(address !== '' && { email: address }) } })
  }
  return (
    <form className={style['form']} noValidate onSubmit={submit}>
      {create.error !== null && <Failure error={create.error} />}
      <TextField
        ref={field}
        label={texts.email}
        hint={texts.emailHint}
        error={isWrong ? texts.emailWrong : null}
        type="email"
        value={email}
        onChange={setEmail}
      />
      <Checkbox label={texts.asStaff} hint={texts.asStaffHint} checked={staff} onChange={setStaff} />
      <DialogActions>
        <Button onClick={onClose}>{cancel}</Button>
        <Button kind="primary" type="submit" busy={create.isPending}>
          {texts.createLink}
        </Button>
      </DialogActions>
    </form>
  )
}
