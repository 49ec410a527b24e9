import { type ReactNode, type SubmitEvent, useRef, useState } from 'react'
import style from '../staff.module.css'
import { OneTimeSecret } from '../shown-once.tsx'
import { staffTexts } from '../texts.ts'
import { peopleTexts } from './texts.ts'
import { useChange } from '../../../api/queries.ts'
import { useTexts } from '../../../language/texts.ts'
import { Button } from '../../../parts/button.tsx'
import { Dialog, DialogActions } from '../../../parts/dialog.tsx'
import { Checkbox, TextField } from '../../../parts/field.tsx'
import { Icon } from '../../../parts/icon.tsx'
import { Failure } from '../../../parts/states.tsx'

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
          {texts.makeLink}
        </Button>
      </DialogActions>
    </form>
  )
}
